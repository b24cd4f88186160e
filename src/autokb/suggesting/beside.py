"""The port to what is known beside the knowledge base: plug-ins open it, suggestions and checks ask it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Protocol

from autokb.answering.strategies.passages import StrategyPassage
from autokb.answering.suggest import Suggestion
from autokb.core.errors import NothingPublishedError
from autokb.core.plugins import built_in, of_ours
from autokb.core.reply_rules import ReplyRules
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


class Beside(Protocol):
    """What a plug-in knows of a workspace, open in memory; threads share it, and no model is asked.

    Its class is made with the workspace, and raises NothingPublishedError where there is nothing.
    """

    workspace: Workspace
    file: WorkspaceFile

    def suggestions(self, question: str, rules: ReplyRules, language: str) -> Iterator[Suggestion]:
        """Give what can be sent to the customer as it stands, the best first."""

    def passages(self, question: str) -> Iterator[StrategyPassage]:
        """Give what a model may write a reply from."""

    def found(self, question: str) -> tuple[str, Sequence[str]]:
        """Return the outcome of an answer, and the ids of what was found, the best first."""

    def close(self) -> None:
        """Let go of what is open."""


def open_beside(workspace: Workspace) -> dict[str, Beside]:
    """Open what is known beside the knowledge base, by the source that suggestions name."""
    opened: dict[str, Beside] = {}
    for source in built_in("beside"):
        with suppress(NothingPublishedError):
            opened[source] = of_ours("beside", source)(workspace)
    return opened
