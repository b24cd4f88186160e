"""The front door of the library: everything the command line does, as methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autokb.app.workspace import Workspace, open_workspace

if TYPE_CHECKING:
    from autokb.answering.answer import Answer
    from autokb.app.adding import Added, Kind
    from autokb.app.importing import Imported
    from autokb.app.stages import Progress
    from autokb.sources import Fields


def _silent(_stage: str, _done: int, _total: int) -> None:
    """Report no progress."""


class SupportKB:
    """A knowledge base in a workspace folder.

    >>> kb = SupportKB.create(folder, "headphones", examples=True)  # doctest: +SKIP
    >>> kb.build()["solutions"]  # doctest: +SKIP
    >>> kb.ask("my earbuds do not pair with my iPhone").outcome  # doctest: +SKIP
    'answered'
    """

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._index: Any = None

    @classmethod
    def create(cls, folder: Path | str, domain: str = "", *, examples: bool = False) -> SupportKB:
        """Make a workspace; ``domain`` is a shipped name or the path of a ``domain.yaml``."""
        from autokb.app.starting import start

        start(Path(folder), domain, examples=examples)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path | str, *, model: str = "", mode: str = "economical") -> SupportKB:
        """Open a workspace that exists (BadInputError when it does not); ``model`` stands before the settings'."""
        return cls(open_workspace(Path(folder), model=model, mode=mode))

    def add(
        self,
        paths: Iterable[Path | str],
        kind: Kind = "documents",
        fields: Fields | None = None,
        *,
        sync: bool = False,
    ) -> Added:
        """Stage documents or raw issues for the next build."""
        from autokb.app.adding import add

        return add(self.workspace, [Path(p) for p in paths], kind, fields, sync=sync)

    def plan(self) -> dict[str, Any]:
        """Return what a build would cost, in the shape of ``autokb plan --json``."""
        from autokb.app.planning import plan

        return plan(self.workspace)

    def build(
        self,
        *,
        rethink: bool = False,
        budget: float | None = None,
        batch: bool = False,
        batch_files: Path | str | None = None,
        progress: Progress = _silent,
    ) -> dict[str, Any]:
        """Build and publish, in the shape of ``autokb build --json``.

        Raises StoppedOnPurposeError when ``budget`` (USD) is reached or a batch's replies are awaited; call it again
        to go on.
        """
        from autokb.app.build import build
        from autokb.app.models import AskModels

        asking = AskModels(budget, batch, Path(batch_files) if batch_files else None)
        built: dict[str, Any] = build(self.workspace, rethink=rethink, asking=asking, progress=progress)
        return built

    def ask(self, text: str, attributes: Mapping[str, Sequence[str]] | None = None, k: int = 5) -> Answer:
        """Answer a question from what the last build published; the index stays in memory until the next one."""
        from autokb.app.asking import open_index, read_values

        if self._index is not None and not self._index.is_current():
            self._index.close()
            self._index = None
        if self._index is None:
            self._index = open_index(self.workspace)
        answer: Answer = self._index.ask(text, read_values(self._index.index.spec, attributes or {}), k)
        return answer

    def show(self, issue: str | None = None) -> dict[str, Any]:
        """Return the trees, or one issue with its solutions."""
        from autokb.app.showing import issue_json, tree_json

        return tree_json(self.workspace) if issue is None else issue_json(self.workspace, issue)

    def costs(self) -> dict[str, Any]:
        """Return what was spent in the workspace's life."""
        from autokb.app.planning import costs

        return costs(self.workspace)

    def export(self, target: Path | str) -> int:
        """Write the knowledge base as JSONL, Markdown or CSV, by the suffix."""
        from autokb.app.exporting import export

        return export(self.workspace, Path(target))

    def import_(self, source: Path | str) -> Imported:
        """Take in what ``export`` wrote, edited or not."""
        from autokb.app.importing import import_file

        done = import_file(self.workspace, Path(source))
        self.workspace = open_workspace(self.workspace.folder)
        return done
