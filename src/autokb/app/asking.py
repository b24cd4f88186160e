"""Opening a workspace to be asked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autokb.answering.answer import Answer
from autokb.app.embedding import embedder_of
from autokb.app.index import AskIndex, load_index, published_gate
from autokb.app.published import NOTHING_PUBLISHED, published_spec, read_published
from autokb.app.reading_questions import read_overrides, read_values
from autokb.app.workspace import Workspace
from autokb.core.attributes import Values
from autokb.core.errors import BadInputError
from autokb.stores.workspace_file import WorkspaceFile

__all__ = ["OpenIndex", "open_index", "read_overrides", "read_values"]
LONGEST_QUESTION = 100_000  # characters; nobody reads more, and the encoder reads its first 256 tokens


@dataclass(frozen=True)
class OpenIndex:
    """A workspace's knowledge base in memory, and whether a later build has replaced it."""

    index: AskIndex
    file: WorkspaceFile

    def ask(self, text: str, overrides: Mapping[str, Values] | None = None, k: int = 5) -> Answer:
        """Answer a question; an empty one is refused."""
        if not text.strip():
            raise BadInputError("The question is empty; write what the customer asks.")
        return self.index.ask(_clean(text), overrides, k)

    def ask_json(self, text: str, overrides: Mapping[str, Values] | None = None, k: int = 5) -> dict[str, Any]:
        """Answer in the shape of the contract."""
        started = time.perf_counter()
        answer = self.ask(text, overrides, k)
        return answer.as_json(time.perf_counter() - started)

    def is_current(self) -> bool:
        """Return whether nothing was published or edited since."""
        return self.file.is_in_place() and (self.file.meta("generation") or "0") == self.index.generation

    def close(self) -> None:
        """Let go of the knowledge file."""
        self.file.close()


def _clean(text: str) -> str:
    """Cut a question that nobody would read to its end; bytes that are no text read as a question mark."""
    return text[:LONGEST_QUESTION].encode("utf-8", "replace").decode("utf-8")


def open_index(workspace: Workspace) -> OpenIndex:
    """Load what the last build published (BadInputError when nothing was)."""
    file = WorkspaceFile(workspace.knowledge_path)
    published = read_published(file)
    if not published.kb.documents and not published.kb.issues:
        file.close()
        raise BadInputError(NOTHING_PUBLISHED.format(folder=workspace.folder))
    embedder = embedder_of(workspace.settings)
    published_gate(published, embedder).passes(0.0, embedder.name)  # before anything is embedded, perhaps for money
    return OpenIndex(load_index(published, published_spec(workspace, published), embedder, file), file)
