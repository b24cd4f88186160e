"""What a store has to give that finds what questions need by itself, so that no process holds the knowledge base.

``Store.searched`` returns it ([stores](../stores/store.py)).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from autokb.core.attributes import Attributes
from autokb.core.domain import DomainSpec
from autokb.core.vectors import Vectors
from autokb.llm.rerankers import Reranker
from autokb.pipeline.embedding import Encoder, TokenEncoder
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.own_features import OwnFeatures
from autokb.stores.published import Published
from autokb.stores.workspace_file import WorkspaceFile


class SearchedKnowledge(Protocol):
    """A published knowledge base in the store, which threads share."""

    def empty(self) -> QuestionIndex:
        """Return an index over nothing, for whoever needs the domain and what all indexes share."""

    def index_for(self, texts: Sequence[str], said: str = "", overrides: Attributes | None = None) -> QuestionIndex:
        """Return an index over what the readings of a message need; ``said`` is all that the customer said.

        ``overrides`` replace attributes that are read from the first. It answers as an index over everything would.
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

    def write_rows(
        self,
        file: WorkspaceFile,
        published: Published,
        spec: DomainSpec,
        embed: Callable[[Sequence[str]], Vectors],
        tokens: TokenEncoder | None,
    ) -> object:
        """Write what is searched, in one transaction."""

    def open(
        self,
        file: WorkspaceFile,
        settings: Mapping[str, Mapping[str, object]],
        spec: DomainSpec,
        encoder: Encoder,
        caution: float,
        *,
        reranker: Reranker | None,
        own: OwnFeatures | None,
    ) -> SearchedKnowledge:
        """Open what was written; ``settings`` are those that were published."""
