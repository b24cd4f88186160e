"""What the command for a paper's tables measures on workspaces: one module a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.progress import Progress, silent
from autokb.pipeline.model_choice import OFFLINE
from autokb.plugins.lab.evaluation.papers.tables import PaperReport, PaperTable
from autokb.stores.workspace import Workspace, open_workspace

PAPERS = ("autokb", "autochunker", "tickets", "suggestions")
WITH_CASES = ("autochunker", "tickets")  # papers that can be measured on a file of questions
WITH_SHEETS = ("autokb",)  # papers some of whose cells people fill


@dataclass(frozen=True, slots=True)
class PaperRun:
    """The workspaces that a paper's tables are measured on, and who judges: a model, or nobody.

    ``budget`` (USD) bounds what models are asked for in this run. ``cases`` is a file of labelled questions, of the
    papers that take one. Sheets for people are written to the folder ``sheets``, and filled ones are read from
    ``filled``.
    """

    workspaces: Sequence[Workspace]
    judge: str = OFFLINE
    budget: float | None = None
    progress: Progress = silent
    cases: Path | None = None
    sheets: Path | None = None
    filled: Path | None = None

    @property
    def has_judge(self) -> bool:
        """Whether a model judges."""
        return self.judge != OFFLINE


def paper_tables(paper: str, folders: Sequence[Path], judge: str = "", **more: object) -> PaperReport:
    """Return the tables of one of the ``PAPERS``, measured on the workspaces in these folders.

    BadInputError where the paper is unknown, takes no ``cases`` or has no ``sheets``, where there is no workspace, or
    nothing is published in one.
    """
    if paper not in PAPERS:
        raise BadInputError(f"There is no paper {paper!r}; there are {', '.join(PAPERS)}.")
    if more.get("cases") and paper not in WITH_CASES:
        raise BadInputError(f"The paper {paper} takes no cases; leave --cases out.")
    if (more.get("sheets") or more.get("filled")) and paper not in WITH_SHEETS:
        raise BadInputError(f"The paper {paper} has no sheets; leave --sheets and --read out.")
    if not folders:
        raise BadInputError("Name the workspaces that are measured.")
    workspaces = [open_workspace(folder, model=judge) for folder in folders]
    tables: Callable[[PaperRun], Iterator[PaperTable]] = import_module(f"{__name__}.{paper}").tables
    run = PaperRun(workspaces, judge or OFFLINE, **more)  # type: ignore[arg-type]
    return PaperReport(paper, tuple(tables(run)))
