"""What an evaluation found, for people: tables in the terminal and one self-contained HTML page."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from autokb.notebook.html import html
from autokb.text.control_characters import for_terminal

if TYPE_CHECKING:
    from rich.table import Table

TABULATED = frozenset({"systems", "differences", "relevant"})  # parts of an answer that are no single figures
OF_RUN = frozenset({"seconds", "calls", "cached", "tokens", "cost"})  # what a run took: another run of the same differs
ROW_HEIGHT = 24  # px of a bar of the chart with the gap below it
MARGIN = 4  # px above the first bar
GAP = 2  # characters between two columns in the terminal


@dataclass(frozen=True, slots=True)
class ReportTable:
    """One table of words: a title, column names and rows.

    What is ``of_run`` stays out of the page, so that the same evaluation gives the same bytes. ``pictures`` are SVG
    for the page, where each is an image: nothing in it can run or load anything.
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    of_run: bool = False
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bar:
    """A system's share with its interval, all from 0 to 1; ``top`` is in px."""

    label: str
    top: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Chart:
    """A bar for each system; ``height`` is in px."""

    title: str
    bars: tuple[Bar, ...]
    height: int


# Complex: the tables stand in the order of the report, and each part of an answer may be missing.
def answer_tables(answer: Mapping[str, Any]) -> list[ReportTable]:
    """Return the tables of any answer of ``evaluate``: systems, parts of them, differences, single figures."""
    systems = answer.get("systems", {})
    found = [*_systems_tables("Systems (mean and 95 % interval)", systems)]
    for kind in ("levels", "origins"):
        for part in dict.fromkeys(name for body in systems.values() for name in body.get(kind, {})):
            bodies = {system: body.get(kind, {}).get(part, {}) for system, body in systems.items()}
            found += _systems_tables(f"{part} only", bodies)
    found += _differences_tables(answer.get("differences", ()))
    for title, of_run in (("Figures", False), ("This run", True)):
        keys = [key for key in answer if key not in TABULATED and (key in OF_RUN) == of_run]
        figures = tuple(pair for key in keys for pair in _find_figures(key, answer[key]))
        found.append(ReportTable(title, ("figure", "value"), figures, of_run))
    return [table for table in found if table.rows]


# Complex: metrics are grouped by the systems that have them, which takes each from both sides.
def _systems_tables(title: str, systems: Mapping[str, Any]) -> Iterator[ReportTable]:
    """Yield a table for the metrics that the same systems have: no system stands among figures it cannot have."""
    owners: dict[str, tuple[str, ...]] = {
        m: tuple(s for s, body in systems.items() if m in body.get("metrics", {}))
        for m in dict.fromkeys(m for body in systems.values() for m in body.get("metrics", {}))
    }
    for number, those in enumerate(dict.fromkeys(owners.values())):
        names = [m for m, found in owners.items() if found == those]
        kinds = ", ".join(dict.fromkeys(m.partition("@")[0] for m in names))
        rows = ((s, *(interval_text(systems[s]["metrics"][m]) for m in names)) for s in those)
        yield ReportTable(f"{title}: {kinds}" if number else title, ("system", *names), tuple(rows))


def _differences_tables(differences: Iterable[Mapping[str, Any]]) -> Iterator[ReportTable]:
    """Yield a table for each baseline with a row a system, the best place to see what is better than what."""
    by_baseline: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for d in differences:
        by_baseline.setdefault(d["baseline"], {}).setdefault(d["system"], {})[d["metric"]] = d
    for baseline, systems in by_baseline.items():
        names = tuple(dict.fromkeys(m for found in systems.values() for m in found))
        rows = ((s, *(interval_text(found.get(m), signed=True) for m in names)) for s, found in systems.items())
        yield ReportTable(f"Differences to {baseline} (paired)", ("system", *names), tuple(rows))


def comparison_tables(answer: Mapping[str, Any]) -> list[ReportTable]:
    """Return the tables of an answer of ``evaluate compare``: a row a figure, with what its interval allows to say."""
    rows = tuple(
        (
            f"{d['system']}.{d['metric']}" if d["system"] else d["metric"],
            *(number_text(d[end]) for end in ("before", "after")),
            interval_text(d, signed=True),
            *((str(d["wins"]), str(d["losses"]), d["verdict"]) if d["verdict"] else ("–", "–", "not paired")),
        )
        for d in answer["differences"]
    )
    columns = ("figure", "before", "after", "difference", "wins", "losses", "verdict")
    changes = ReportTable("Before and after (paired by query; 95 % interval)", columns, rows)
    return [changes, *answer_tables({key: value for key, value in answer.items() if key != "differences"})]


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


def number_text(value: Any, *, signed: bool = False) -> str:
    """Return a figure as people read it: three decimals for a share, a dash for what nobody could work out."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:+.3f}" if signed else f"{value:.3f}"
    return str(value)


def interval_text(estimate: Mapping[str, Any] | None, *, signed: bool = False) -> str:
    """Return ``0.512 [0.470, 0.555]``."""
    if not estimate:
        return "–"
    value = number_text(estimate.get("value"), signed=signed)
    if estimate.get("low") is None or estimate.get("high") is None:
        return value
    low, high = (number_text(estimate[end], signed=signed) for end in ("low", "high"))
    return f"{value} [{low}, {high}]"


# -- for the terminal -------------------------------------------------------------------------------------------------


def terminal_tables(tables: Iterable[ReportTable]) -> list[Table]:
    """Return each table as rich draws it."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = []
    for shown in tables:
        table = Table(title=shown.title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
        for number, column in enumerate(shown.columns):
            # In a narrow terminal figures go over two lines; a name that is cut tells nothing.
            table.add_column(column, no_wrap=not number, overflow="fold")
        for row in shown.rows:
            table.add_row(*map(Text, row))  # Text: brackets in a name are no markup
        drawn.append(table)
    return drawn


def fit_width(table: ReportTable, width: int) -> Iterator[ReportTable]:
    """Yield a table in parts of at most so many characters, each with the names of the rows.

    A figure that is broken over two lines cannot be compared. A part has one column even where that is too wide.
    """
    widths = [max(map(len, column)) + GAP for column in zip(table.columns, *table.rows, strict=True)]
    parts: list[list[int]] = []
    left = 0
    for n, needed in enumerate(widths[1:], 1):
        if not parts or needed > left:
            parts.append([])
            left = width - widths[0]
        parts[-1].append(n)
        left -= needed
    for number, columns in enumerate(parts):
        title = "(continued)" if number else table.title
        names, *rows = ((row[0], *(row[n] for n in columns)) for row in (table.columns, *table.rows))
        yield ReportTable(title, names, tuple(rows), table.of_run)


class Reported:
    """What an evaluation answers, shown in a notebook as its tables."""

    __slots__ = ()

    def _tables(self) -> list[ReportTable]:
        return answer_tables(self.as_json())  # type: ignore[attr-defined]

    def _repr_html_(self) -> str:
        return html("tables", tables=self._tables())


# -- for a browser ----------------------------------------------------------------------------------------------------


def html_page(title: str, tables: Sequence[ReportTable], chart: Chart | None = None) -> str:
    """Return one HTML page that loads nothing from elsewhere; every word from the data is escaped.

    Tables of the run are left out.
    """
    import jinja2

    templates = jinja2.Environment(
        loader=jinja2.PackageLoader("autokb.plugins.lab.evaluation"),
        autoescape=True,
        finalize=lambda value: for_terminal(value) if isinstance(value, str) else value,  # no marks of direction either
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return templates.get_template("page.html").render(
        title=title, tables=[table for table in tables if not table.of_run], chart=chart, encode=_base64
    )


def _base64(picture: str) -> str:
    return b64encode(picture.encode()).decode()


def systems_chart(answer: Mapping[str, Any]) -> Chart | None:
    """Return the first metric of every system as bars; None for an answer without systems."""
    systems = answer.get("systems", {})
    first = next((m for body in systems.values() for m in body.get("metrics", {})), None)
    if first is None:
        return None
    shown = [(s, body["metrics"][first]) for s, body in systems.items() if first in body.get("metrics", {})]
    bars = []
    for row, (system, estimate) in enumerate(shown):
        if (value := estimate.get("value")) is not None:
            ends = (value if (end := estimate.get(name)) is None else end for name in ("low", "high"))
            shares = (min(max(float(share), 0.0), 1.0) for share in (value, *ends))
            bars.append(Bar(system, row * ROW_HEIGHT + MARGIN, *shares))
    return Chart(first, tuple(bars), len(shown) * ROW_HEIGHT + MARGIN)
