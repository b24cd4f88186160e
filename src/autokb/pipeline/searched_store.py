"""What a store gives that finds what questions need by itself, so that no process holds the knowledge base.

It is ``Store.searched`` of [stores](../stores/store.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Protocol

from autokb.core.attributes import Attributes
from autokb.pipeline.embedding import Encoder
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

Found = tuple[QuestionIndex, ScoredQuestion]  # an index, and what a question finds by it


class SearchedKnowledge(Protocol):
    """A published knowledge base in the store, which threads share."""

    def empty(self) -> QuestionIndex:
        """Return an index over nothing, for whoever needs the domain and what all indexes share."""

    def score(self, texts: Sequence[str], said: str = "", overrides: Attributes | None = None) -> Found:
        """Return an index over what the readings of a message need, and what the first of them finds by it.

        ``said`` is all that the customer said, and ``overrides`` replace attributes that are read from the first. It
        answers as an index over everything would.
        """

    def index_with(self, solution: str) -> QuestionIndex:
        """Return an index over the documents that have a passage of this id."""


class SearchedStore(Protocol):
    """What is searched in a store: written from what is published, and read for each question."""

    def count_rows(self, file: WorkspaceFile) -> int:
        """Return roughly how many texts of the newest version are compared with a question."""

    def is_current(self, file: WorkspaceFile) -> bool:
        """Return whether what is searched is that of what is published."""

    def is_ready(self, file: WorkspaceFile) -> bool:
        """Return whether it is current, or as new as this user can have it (UnwritableWorkspaceError: nothing is)."""

    def write_rows(self, workspace: Workspace, file: WorkspaceFile, encoder: Encoder) -> object:
        """Write what is searched, in one transaction."""

    def open(self, workspace: Workspace, file: WorkspaceFile, encoder: Encoder, held: ExitStack) -> SearchedKnowledge:
        """Open what was written; what it needs is held open by the stack."""
