"""A table of a paper: under its rows and columns what was measured here beside what the paper printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from autokb.plugins.lab.evaluation.report import Reported, ReportTable, interval_text, number_text
from autokb.stats.bootstrap import Interval
from autokb.stats.shares import Share

Printed = float | int | str | None
Found = Interval | Share | str  # what was measured, or why it could not be
NOT_JUDGED = "not judged: name a judge with --judge MODEL"
NEEDS_PEOPLE = "needs people: {how}"
UNMEASURED = "there is nothing to measure"


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured, with the ends of its 95 % interval where there is one, and what the paper printed.

    ``missing`` says why there is no value and how to fill the cell.
    """

    value: Printed = None
    low: float | None = None
    high: float | None = None
    paper: Printed = None
    missing: str | None = None

    @classmethod
    def of(cls, found: Found, paper: Printed = None, *, percent: bool = False, missing: str = UNMEASURED) -> Cell:
        """Return a measured mean with its interval, in per cent where the paper prints that.

        Where there is none, ``missing`` says why, or ``found`` itself does.
        """
        if isinstance(found, str) or found.value is None:
            return cls(paper=paper, missing=found if isinstance(found, str) else missing)
        times = 100 if percent else 1
        value, low, high = (None if end is None else end * times for end in (found.value, found.low, found.high))
        return cls(value, low, high, paper)

    @classmethod
    def known(cls, value: Printed, missing: str, paper: Printed = None) -> Cell:
        """Return a figure without an interval; ``missing`` says why there is none where it is None."""
        return cls(value, paper=paper, missing=missing if value is None else None)

    @classmethod
    def unmeasured(cls, printed: Iterable[Printed], missing: str) -> tuple[Cell, ...]:
        """Return a row of what the paper printed alone; ``missing`` says why nothing stands beside it."""
        return tuple(cls(paper=value, missing=missing) for value in printed)

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """One table or figure of a paper: ``cells`` has a row for each of ``rows`` and in it one for each of ``columns``.

    ``note`` says in a sentence what a reader must know, such as why a result of the paper is not reproduced.
    ``pictures`` are SVG for the page. What is ``of_run``, such as seconds, stays out of the page, as everywhere.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    note: str = ""
    pictures: tuple[str, ...] = ()
    of_run: bool = False

    @classmethod
    def of(
        cls, name: str, rows: Mapping[str, tuple[Cell, ...]], columns: tuple[str, ...], note: str = "", **more: Any
    ) -> PaperTable:
        """Return the table of these rows by their names; ``more`` are the fields behind ``note``."""
        return cls(name, tuple(rows), columns, tuple(rows.values()), note, **more)

    def __post_init__(self) -> None:
        """Refuse cells that are not one for each row and column."""
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise ValueError(f"{self.name} has {len(self.rows)} rows and {len(self.columns)} columns, not its cells'.")

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        cells = [[cell.as_json() for cell in row] for row in self.cells]
        shape = {"name": self.name, "rows": list(self.rows), "columns": list(self.columns), "cells": cells}
        return shape | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, slots=True)
class PaperReport(Reported):
    """All tables of one paper."""

    paper: str
    tables: tuple[PaperTable, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {"paper": self.paper, "tables": [table.as_json() for table in self.tables]}

    def _tables(self) -> list[ReportTable]:
        return report_tables(self.tables)


def report_tables(tables: Sequence[PaperTable]) -> list[ReportTable]:
    """Return the tables as people read them: ``ours [low, high] (paper: theirs)``; what is missing is told below."""
    found = []
    for table in tables:
        reasons: dict[str, str] = {}
        rows = tuple(
            (row, *(_cell_text(cell, reasons) for cell in cells))
            for row, cells in zip(table.rows, table.cells, strict=True)
        )
        found.append(ReportTable(table.name, ("", *table.columns), rows, table.of_run, table.pictures))
        told = [(mark, reason) for reason, mark in reasons.items()] + ([("", table.note)] if table.note else [])
        if told:
            found.append(ReportTable("", ("", f"on {table.name.partition(':')[0].lower()}"), tuple(told), table.of_run))
    return found


def printed_absolute(printed: Mapping[str, Sequence[float | None]], first: str, row: str) -> Sequence[float | None]:
    """Return what a paper's values of a row come to, which it prints as points above those of its ``first`` row.

    Where the paper prints none for the row there is None.
    """
    if row == first:
        return printed[first]
    pairs = zip(printed[first], printed.get(row, (None,) * len(printed[first])), strict=True)
    return [None if base is None or more is None else round(base + more, 2) for base, more in pairs]


def _cell_text(cell: Cell, reasons: dict[str, str]) -> str:
    if cell.missing is not None:
        ours = reasons.setdefault(cell.missing, "*" * (len(reasons) + 1))
    else:
        ours = interval_text(cell.as_json())
    return ours if cell.paper is None else f"{ours} (paper: {number_text(cell.paper)})"
