"""What an evaluation found: its JSON, and its tables in the terminal, in a notebook and on one self-contained page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from autokb.core.results import Result
from autokb.notebook.html import html
from autokb.stats.bootstrap import Interval
from autokb.stats.shares import Share
from autokb.text.control_characters import for_terminal

if TYPE_CHECKING:
    from jinja2 import Environment
    from rich.console import RenderableType

UNMEASURED = "there is nothing to measure"
NOTHING = "–"
GAP = 2  # characters between two columns in the terminal
WIDEST = 8  # columns; a table of more has its rows and columns exchanged where that makes it narrower

Printed = float | int | str | None
Found = Interval | Share | str  # what was measured, or why it could not be
Rows = Mapping[str, Iterable[object]] | Iterable[tuple[str, Iterable[object]]]  # cells, or figures of an answer


# -- tables -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cell:
    """What was measured, with the ends of its 95 % interval where there is one, and what a paper printed.

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

    def text(self, reasons: dict[str, str]) -> str:
        """Return ``ours [low, high] (paper: theirs)``; what is missing is a mark, by the reason, among ``reasons``."""
        if self.missing is not None:
            ours = reasons.setdefault(self.missing, "*" * (len(reasons) + 1))
        else:
            ours = interval_text({"value": self.value, "low": self.low, "high": self.high})
        return ours if self.paper is None else f"{ours} (paper: {number_text(self.paper)})"


@dataclass(frozen=True, slots=True)
class Table:
    """A table of what was found: ``cells`` has a row for each of ``rows`` and in it one for each of ``columns``.

    ``note`` says in a sentence what a reader must know, ``corner`` stands above the names of the rows. ``pictures`` are
    SVG for the page, where each is an image: nothing in it can run or load anything. What is ``of_run``, such as
    seconds, stays out of the page, so that the same evaluation gives the same bytes.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    note: str = ""
    pictures: tuple[str, ...] = ()
    of_run: bool = False
    corner: str = ""

    @classmethod
    def of(cls, name: str, rows: Rows, columns: Iterable[str], note: str = "", **more: Any) -> Table:
        """Return the table of these rows with their names; ``more`` are the fields behind ``note``."""
        pairs = list(rows.items() if isinstance(rows, Mapping) else rows)
        cells = tuple(tuple(one if isinstance(one, Cell) else Cell(_text(one)) for one in row) for _, row in pairs)
        return cls(name, tuple(name for name, _ in pairs), tuple(columns), cells, note, **more)

    def beside(self, printed: Mapping[str, Sequence[Printed]], missing: str = UNMEASURED) -> Table:
        """Return the table with what a paper printed in its cells, by the names of rows.

        A row that the paper alone has comes last, and says what is ``missing``.
        """
        theirs = [name for name in printed if name not in self.rows]
        ours = (*self.cells, *((Cell(missing=missing),) * len(self.columns) for _ in theirs))
        rows = (*self.rows, *theirs)
        cells = (
            tuple(replace(cell, paper=paper) for cell, paper in zip_longest(row, printed.get(name, ())))
            for name, row in zip(rows, ours, strict=True)
        )
        return replace(self, rows=rows, cells=tuple(cells))

    def turned(self, corner: str) -> Table:
        """Return the table with its rows as columns, which is narrower where there are many figures of few systems."""
        cells = tuple(zip(*self.cells, strict=True))
        return replace(self, rows=self.columns, columns=self.rows, cells=cells, corner=corner)

    def __post_init__(self) -> None:
        """Refuse cells that are not one for each row and column."""
        if len(self.cells) != len(self.rows) or any(len(row) != len(self.columns) for row in self.cells):
            raise ValueError(f"{self.name} has {len(self.rows)} rows and {len(self.columns)} columns, not its cells'.")

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        cells = [[asdict(cell) for cell in row] for row in self.cells]
        shape = {"name": self.name, "rows": list(self.rows), "columns": list(self.columns), "cells": cells}
        return shape | ({"note": self.note} if self.note else {})

    @property
    def head(self) -> tuple[str, ...]:
        """The names of the columns as people read them."""
        return (self.corner, *self.columns)

    @property
    def lines(self) -> list[tuple[str, ...]]:
        """The rows as people read them, each with its name."""
        return self._read()[0]

    @property
    def below(self) -> list[str]:
        """What stands below the rows: why cells are empty, and the note."""
        return self._read()[1]

    def _read(self) -> tuple[list[tuple[str, ...]], list[str]]:
        reasons: dict[str, str] = {}
        pairs = zip(self.rows, self.cells, strict=True)
        lines = [(name, *(cell.text(reasons) for cell in cells)) for name, cells in pairs]
        told = [f"{mark} {reason}" for reason, mark in reasons.items()]
        return lines, [*told, self.note] if self.note else told


def _text(figure: object) -> str:
    """Return a figure of an answer as people read it: a number, or a mapping with the ends of its interval."""
    if not isinstance(figure, Mapping):
        return number_text(figure)
    unreadable = f", {figure['unreadable']} unreadable" if figure.get("unreadable") else ""
    return interval_text(figure) + unreadable


def number_text(value: object, *, signed: bool = False) -> str:
    """Return a figure as people read it: three decimals for a share, a dash for what nobody could work out."""
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:+.3f}" if signed else f"{value:.3f}"
    return str(value)


def interval_text(estimate: Mapping[str, Any] | None, *, signed: bool = False) -> str:
    """Return ``0.512 [0.470, 0.555]``."""
    if not estimate:
        return NOTHING
    value = number_text(estimate.get("value"), signed=signed)
    if estimate.get("low") is None or estimate.get("high") is None:
        return value
    low, high = (number_text(estimate[end], signed=signed) for end in ("low", "high"))
    return f"{value} [{low}, {high}]"


# -- the tables of an answer ------------------------------------------------------------------------------------------

SYSTEMS = "Systems (mean and 95 % interval)"
JUDGED = "Judged by a model: shares of chunks, and weighted precision of what is found (mean and 95 % interval)"
COUNTED = "Intrinsic: counted, judged by nobody (share and 95 % interval)"
NEEDED = "Needed text in the first chunks (mean and 95 % interval)"
# What an answer says of each of its systems or methods, each part in a table of its own.
PARTS = {
    "metrics": SYSTEMS,
    "size": "Chunks, and their characters",
    "tenets": JUDGED,
    "mechanical": COUNTED,
    "retrieval": NEEDED,
    "verdicts": "First suggestions by verdict",
}
TABULATED = frozenset({"systems", "methods", "differences", "over_worst", "cosines", "sheet", "relevant", "notes"})
OF_RUN = frozenset({"seconds", "calls", "cached", "tokens", "cost"})  # what a run took: another run of the same differs
OF_DIFFERENCE = frozenset({"system", "baseline", "metric", "value", "low", "high"})


def answer_tables(answer: Mapping[str, Any]) -> list[Table]:
    """Return the tables of any answer of ``evaluate``: systems, parts of them, differences, single figures."""
    kind = "methods" if "methods" in answer else "systems"
    systems: Mapping[str, Any] = answer.get(kind, {})
    corner = kind.removesuffix("s")
    found = [*_system_tables(systems, corner)]
    found += _difference_tables("Differences to {} (paired)", answer.get("differences", ()))
    found += _difference_tables("Per cent over the worst encoder, {}", answer.get("over_worst", ()))
    found += _cosine_tables(answer.get("cosines", {}))
    found += _sheet_tables(answer.get("sheet") or {})
    found += figure_tables("Seconds", {name: _seconds(body) for name, body in systems.items()}, corner, of_run=True)
    found += _single_figures(answer)
    return [table for table in found if table.rows]


def _system_tables(systems: Mapping[str, Any], corner: str) -> Iterator[Table]:
    """Yield the tables of what is said of systems, and of parts of their questions; the first has a picture."""
    for part, title in PARTS.items():
        bodies = {name: _figures_of(body, part) for name, body in systems.items()}
        yield from figure_tables(title, bodies, corner, pictures=_bars(bodies) if part == "metrics" else ())
    for kind in ("levels", "origins"):
        for part in dict.fromkeys(name for body in systems.values() for name in body.get(kind, {})):
            bodies = {name: body.get(kind, {}).get(part, {}).get("metrics", {}) for name, body in systems.items()}
            yield from figure_tables(f"{part} only", bodies, corner)


def _figures_of(body: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Return a part of what is said of a system: times are a part of their own, and lengths are whole characters."""
    found = {name: figure for name, figure in body.get(part, {}).items() if name != "seconds"}
    if part != "size":
        return found
    return {"chunks": body.get("chunks"), **{name: size and round(size) for name, size in found.items()}}


def figure_tables(title: str, bodies: Mapping[str, Mapping[str, Any]], corner: str = "", **more: Any) -> list[Table]:
    """Return a table for the figures that the same ones of ``bodies`` have: none stands among what it cannot have.

    A figure that nobody has is left out. ``more`` are fields of the first table.
    """
    found: list[Table] = []
    for owners, columns in _columns_by_owners(bodies).items():
        kinds = ", ".join(dict.fromkeys(name.partition("@")[0] for name in columns))
        name, fields_ = (f"{title}: {kinds}", {}) if found else (title, more)
        rows = {one: [bodies[one][column] for column in columns] for one in owners}
        table = Table.of(name, rows, columns, corner=corner, **fields_)
        found.append(table.turned("figure") if len(columns) > max(WIDEST, len(owners)) else table)
    return found


def _columns_by_owners(bodies: Mapping[str, Mapping[str, Any]]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for name in dict.fromkeys(name for body in bodies.values() for name in body):
        if owners := tuple(one for one, body in bodies.items() if _is_known(body.get(name))):
            found.setdefault(owners, []).append(name)
    return found


def _is_known(figure: Any) -> bool:
    if isinstance(figure, Mapping):
        return figure.get("value") is not None or bool(figure.get("unreadable"))
    return figure is not None


def _seconds(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what a system took: its mean and percentiles, or its time in all."""
    taken = body.get("seconds", {})
    mean = body.get("metrics", {}).get("seconds")
    return {"mean": mean, **taken} if isinstance(taken, Mapping) else {"seconds": taken}


def _difference_tables(title: str, differences: Iterable[Mapping[str, Any]]) -> Iterator[Table]:
    """Yield a table for each baseline: a row a system, or a row a figure where more is said of each difference."""
    by_baseline: dict[str, list[Mapping[str, Any]]] = {}
    for one in differences:
        by_baseline.setdefault(one["baseline"], []).append(one)
    for baseline, those in by_baseline.items():
        more = [key for key, value in those[0].items() if key not in OF_DIFFERENCE and not isinstance(value, Mapping)]
        if more:
            rows = {
                figure_name(d["system"], d["metric"]): (
                    interval_text(d, signed=True),
                    *(d[key] for key in more),
                )
                for d in those
            }
            columns = ("difference", *(key.replace("_", " ") for key in more))
            yield Table.of(title.format(baseline), rows, columns, corner="figure")
            continue
        bodies: dict[str, dict[str, str]] = {}
        for one in those:
            bodies.setdefault(one["system"], {})[one["metric"]] = interval_text(one, signed=True)
        yield from figure_tables(title.format(baseline), bodies, "system")


def figure_name(system: str | None, metric: str) -> str:
    """Return how a person names a figure."""
    return f"{system}.{metric}" if system else metric


def _single_figures(answer: Mapping[str, Any]) -> Iterator[Table]:
    """Yield what is in no other table, and what the run took."""
    for title, of_run in (("Figures", False), ("This run", True)):
        keys = [key for key in answer if key not in TABULATED and (key in OF_RUN) == of_run]
        figures = {name: (text,) for key in keys for name, text in _find_figures(key, answer[key])}
        yield Table.of(title, figures, ("value",), of_run=of_run, corner="figure")


def _cosine_tables(encoders: Mapping[str, Mapping[str, Any]]) -> list[Table]:
    """Return how many of each encoder's first documents are near their question, by kind of question."""
    shares = {
        f"{encoder}: {kind}": {"n": body["n"], **body["at_least"]}
        for encoder, kinds in encoders.items()
        for kind, body in kinds.items()
    }
    return figure_tables("Share of first documents with a cosine of at least", shares, "questions")


def _sheet_tables(sheet: Mapping[str, Any]) -> list[Table]:
    """Return what people said on a sheet, and how far they agree."""
    if not sheet:
        return []
    said = {system: body["metrics"] for system, body in sheet["systems"].items()}
    agreed = {**sheet["agreement"], "judge and people": sheet["judge_and_people"]}
    title = f"What people say ({sheet['items']} cases)"
    return [*figure_tables(title, said, "system"), *figure_tables("Agreement", agreed, "question")]


def _find_figures(name: str, value: Any) -> Iterator[tuple[str, str]]:
    """Yield every figure below a part of an answer with its dotted name."""
    if isinstance(value, Mapping):
        if "low" in value:
            yield name, interval_text(value)
            value = {k: v for k, v in value.items() if k not in ("value", "low", "high")}
        for key, child in value.items():
            yield from _find_figures(name if key == "value" else f"{name}.{key}", child)
    elif isinstance(value, list | tuple):
        yield name, ", ".join(map(str, value)) or "none"
    else:
        yield name, number_text(value)


def _bars(bodies: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the picture of the first metric of every system, with its interval; none without a figure."""
    metric = next((name for body in bodies.values() for name in body), "")
    shown = {}
    for system, body in bodies.items():
        figure = body.get(metric, {})
        if (value := figure.get("value")) is not None:
            ends = (value if figure.get(end) is None else figure[end] for end in ("low", "high"))
            shown[system] = [min(max(float(share), 0.0), 1.0) for share in (value, *ends)]
    return (picture("bars", title=metric, bars=shown),) if shown else ()


# -- reports ----------------------------------------------------------------------------------------------------------

# Fields whose parts stand in their place, so that the ends of an interval are beside what was counted with it.
INLINE = frozenset({"difference", "gold", "interval", "results", "shares", "source", "spending", "usage"})


class Record(Result):
    """A frozen dataclass that is its own JSON shape: every field under its name, in the order of the fields.

    An optional field (one with a default) that holds nothing is left out. A notebook shows its tables.
    """

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        shape: dict[str, Any] = {}
        for field in fields(self):  # type: ignore[arg-type]  # whatever has no fields is no record
            value = getattr(self, field.name)
            is_optional = field.default is not MISSING or field.default_factory is not MISSING
            if value or not is_optional:
                shape |= _json(value) if field.name in INLINE else {field.name: _json(value)}
        return shape

    def as_tables(self) -> Sequence[Table]:
        """Return the tables that people read."""
        return answer_tables(self.as_json())

    def _repr_html_(self) -> str:
        return html("tables", tables=self.as_tables())


def _json(value: Any) -> Any:
    if hasattr(value, "as_json"):
        return value.as_json()
    if isinstance(value, Mapping):
        return {str(key): _json(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


# -- for the terminal and the browser ---------------------------------------------------------------------------------


def terminal_tables(tables: Iterable[Table], width: int = 0) -> list[RenderableType]:
    """Return the tables as rich draws them, each in parts of at most so many characters; 0 is as wide as they are."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn: list[RenderableType] = []
    for shown in tables:
        head, lines = shown.head, shown.lines
        for number, columns in enumerate(_parts([head, *lines], width)):
            title = "(continued)" if number else shown.name
            table = RichTable(title=title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
            for place, column in enumerate(columns):
                # In a narrow terminal figures go over two lines; a name that is cut tells nothing.
                table.add_column(head[column], no_wrap=not place, overflow="fold")
            for line in lines:
                table.add_row(*(Text(line[column]) for column in columns))  # Text: brackets in a name are no markup
            drawn.append(table)
        drawn += map(Text, shown.below)
    return drawn


def _parts(lines: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """Return the columns of each part of a table, the first of which is in all of them.

    A figure that is broken over two lines cannot be compared. A part has one more column even where that is too wide.
    """
    widths = [max(map(len, column)) + GAP for column in zip(*lines, strict=True)]
    parts: list[list[int]] = []
    left = 0
    for column, needed in enumerate(widths[1:], 1):
        if not parts or (width and needed > left):
            parts.append([0])
            left = width - widths[0]
        parts[-1].append(column)
        left -= needed
    return parts


def html_page(title: str, tables: Iterable[Table]) -> str:
    """Return one HTML page that loads nothing from elsewhere, without the tables of the run.

    Every word from the data is escaped.
    """
    shown = [table for table in tables if not table.of_run]
    return _templates().get_template("page.html").render(title=title, tables=shown, encode=_base64)


def picture(name: str, **values: object) -> str:
    """Return an SVG by the template of this name; every word from the data is escaped."""
    return _templates().get_template(f"{name}.svg").render(values)


@cache
def _templates() -> Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("autokb.plugins.lab.evaluation"),
        autoescape=True,
        finalize=lambda value: for_terminal(value) if type(value) is str else value,  # no marks of direction either
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _base64(svg: str) -> str:
    return b64encode(svg.encode()).decode()
