"""What the command for a paper's tables measures on workspaces: one module a paper, beside what the paper printed."""

from __future__ import annotations

import importlib.resources
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.progress import Progress, silent
from autokb.pipeline.model_choice import OFFLINE
from autokb.plugins.lab.evaluation.report import UNMEASURED, Printed, Record, Rows, Table
from autokb.stores.workspace import Workspace, open_workspace

PAPERS = ("autokb", "autochunker", "tickets", "suggestions")
WITH_CASES = ("autochunker", "tickets")  # papers that can be measured on a file of questions
WITH_SHEETS = ("autokb",)  # papers some of whose cells people fill
NOT_JUDGED = "not judged: name a judge with --judge MODEL"
NEEDS_PEOPLE = "needs people: {how}"


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


@dataclass(frozen=True, slots=True)
class PaperReport(Record):
    """All tables of one paper."""

    paper: str
    tables: tuple[Table, ...]

    def as_tables(self) -> Sequence[Table]:
        """Return the tables that people read."""
        return self.tables


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
    tables: Callable[[PaperRun], Iterator[Table]] = import_module(f"{__name__}.{paper}").tables
    run = PaperRun(workspaces, judge or OFFLINE, **more)  # type: ignore[arg-type]
    return PaperReport(paper, tuple(tables(run)))


class PaperTables:
    """The tables of a paper as ``tables.yaml`` declares them: titles, columns, notes, and what the paper prints."""

    def __init__(self, paper: str) -> None:
        import yaml

        text = importlib.resources.files(__package__).joinpath("tables.yaml").read_text("utf-8")
        self._declared: Mapping[str, Any] = yaml.safe_load(text)[paper]

    def printed(self, table: str) -> Mapping[str, Any]:
        """Return what the paper prints in a table, mostly rows of values by their names."""
        found: Mapping[str, Any] = self._declared[table]["printed"]
        return found

    def table(
        self,
        name: str,
        rows: Rows,
        printed: Mapping[str, Sequence[Printed]] | None = None,
        /,
        *,
        columns: Iterable[str] = (),
        missing: str = UNMEASURED,
        notes: Iterable[str] = (),
        pictures: Iterable[str] = (),
        **words: Any,
    ) -> Table:
        """Return a table of what was measured beside what is ``printed``, where that is not as declared.

        ``columns`` are those of a table that declares none, ``notes`` stand behind its own, and ``words`` are filled
        into all of it. ``missing`` says why a row of the paper is not measured.
        """
        declared = self._declared[name]
        note = " ".join(filter(None, (declared.get("note", "").format(**words), *notes)))
        heads = [column.format(**words) for column in declared.get("columns", columns)]
        title, of_run = declared["title"].format(**words), declared.get("of_run", False)
        table = Table.of(title, rows, heads, note, pictures=tuple(pictures), of_run=of_run)
        return table.beside(declared.get("printed", {}) if printed is None else printed, missing)


def printed_absolute(printed: Mapping[str, Sequence[float | None]], first: str, row: str) -> Sequence[float | None]:
    """Return what a paper's values of a row come to, which it prints as points above those of its ``first`` row.

    Where the paper prints none for the row there is None.
    """
    if row == first:
        return printed[first]
    pairs = zip(printed[first], printed.get(row, (None,) * len(printed[first])), strict=True)
    return [None if base is None or more is None else round(base + more, 2) for base, more in pairs]
