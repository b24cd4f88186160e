"""What an evaluation found, for people: a table in the terminal and one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Grid:
    """One table of words: a title, column names and rows."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def grids(answer: Mapping[str, Any]) -> list[Grid]:
    """Return the tables of any answer of ``evaluate``: systems, their parts, differences, single figures."""
    found = [_systems(answer), *_parts(answer), _differences(answer), _figures(answer)]
    return [grid for grid in found if grid.rows]


def _systems(answer: Mapping[str, Any]) -> Grid:
    systems = answer.get("systems", {})
    names = tuple(dict.fromkeys(m for body in systems.values() for m in body.get("metrics", {})))
    rows = ((s, *(interval(body.get("metrics", {}).get(m)) for m in names)) for s, body in systems.items())
    return Grid("Systems (mean and 95 % interval)", ("system", *names), tuple(rows))


def _parts(answer: Mapping[str, Any]) -> Iterable[Grid]:
    """Yield a table a level of variations, and one for what they are of: each has the columns of the systems."""
    systems = answer.get("systems", {})
    for kind in ("levels", "origins"):
        for part in dict.fromkeys(name for body in systems.values() for name in body.get(kind, {})):
            bodies = {s: body.get(kind, {}).get(part, {}) for s, body in systems.items()}
            grid = _systems({"systems": bodies})
            yield Grid(f"{part} only", grid.columns, grid.rows)


def _differences(answer: Mapping[str, Any]) -> Grid:
    """Return one row a system where the metrics share a baseline, the best place to see what is better than what."""
    by_system: dict[tuple[str, str], dict[str, Mapping[str, Any]]] = {}
    for d in answer.get("differences", ()):
        by_system.setdefault((d.get("system") or "", d.get("baseline") or ""), {})[d["metric"]] = d
    names = tuple(dict.fromkeys(m for found in by_system.values() for m in found))
    rows = ((s, b, *(interval(found.get(m), signed=True) for m in names)) for (s, b), found in by_system.items())
    if len(baselines := {b for _, b in by_system}) == 1:  # said once, it leaves a terminal the width for figures
        title = f"Differences to {baselines.pop()} (paired)"
        return Grid(title, ("system", *names), tuple((system, *figures) for system, _, *figures in rows))
    return Grid("Differences (paired)", ("system", "against", *names), tuple(rows))


def _figures(answer: Mapping[str, Any]) -> Grid:
    flat = (pair for key, value in answer.items() if key not in _TABLES for pair in _flat(key, value))
    return Grid("Figures", ("figure", "value"), tuple(flat))


_TABLES = frozenset({"systems", "differences", "relevant"})


def _flat(name: str, value: Any) -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        if "low" in value:
            yield name, interval(value)
            value = {k: v for k, v in value.items() if k not in ("value", "low", "high")}
        for key, child in value.items():
            yield from _flat(name if key == "value" else f"{name}.{key}", child)
    elif isinstance(value, list | tuple):
        yield name, ", ".join(map(str, value)) or "none"
    else:
        yield name, number(value)


def number(value: Any, *, signed: bool = False) -> str:
    """Return a figure as people read it: three decimals for a share, a dash for what nobody could work out."""
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:+.3f}" if signed else f"{value:.3f}"
    return str(value)


def interval(estimate: Mapping[str, Any] | None, *, signed: bool = False) -> str:
    """Return ``0.512 [0.470, 0.555]``."""
    if not estimate:
        return "–"
    value = number(estimate.get("value"), signed=signed)
    if estimate.get("low") is None or estimate.get("high") is None:
        return value
    return f"{value} [{number(estimate['low'], signed=signed)}, {number(estimate['high'], signed=signed)}]"


def tables(answer: Mapping[str, Any]) -> list[Table]:
    """Return the tables for the terminal."""
    return tables_of(grids(answer))


def tables_of(shown: Iterable[Grid]) -> list[Table]:
    """Return a table for the terminal for each grid."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    made = []
    for grid in shown:
        table = Table(title=grid.title, title_justify="left", box=SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
        for number, column in enumerate(grid.columns):
            # In a narrow terminal figures go over two lines; a name that is cut tells nothing.
            table.add_column(column, no_wrap=not number, overflow="fold")
        for row in grid.rows:
            table.add_row(*map(Text, row))  # Text: brackets in a name are no markup
        made.append(table)
    return made


STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem; color: #1c2733; }
table { border-collapse: collapse; margin: .5rem 0 2rem; } caption, h2 { text-align: left; font-weight: 600; }
th, td { border-bottom: 1px solid #d7dee5; padding: .3rem .8rem; text-align: left; white-space: pre-wrap; }
thead th { background: #eef2f6; } figure { margin: 0 0 2rem; } svg text { font-size: 12px; }
""".strip()


def page(answer: Mapping[str, Any], title: str) -> str:
    """Return one HTML page without anything from elsewhere; every word from the data is escaped."""
    body = "\n".join([*(grid_html(grid) for grid in grids(answer)), _chart(answer)])
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n"
        "</body>\n</html>\n"
    )


def grid_html(grid: Grid) -> str:
    head = "".join(f"<th>{escape(c)}</th>" for c in grid.columns)
    rows = "\n".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in row) + "</tr>" for row in grid.rows)
    return (
        f"<h2>{escape(grid.title)}</h2>\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    )


def _chart(answer: Mapping[str, Any]) -> str:
    """Draw the first metric of every system as a bar with its interval."""
    systems = answer.get("systems", {})
    first = next((m for body in systems.values() for m in body.get("metrics", {})), None)
    if first is None:
        return ""
    shown = [(s, body["metrics"][first]) for s, body in systems.items() if first in body.get("metrics", {})]
    bars = "\n".join(_bar(n, s, e) for n, (s, e) in enumerate(shown) if e.get("value") is not None)
    height = 24 * len(shown) + 4
    svg = f'<svg viewBox="0 0 700 {height}" width="700" height="{height}" role="img" aria-label="{escape(first)}">'
    return f"<figure>\n<figcaption>{escape(first)}</figcaption>\n{svg}\n{bars}\n</svg>\n</figure>"


def _bar(row: int, system: str, estimate: Mapping[str, Any]) -> str:
    value = float(estimate["value"])
    low, high = (float(value if (end := estimate.get(name)) is None else end) for name in ("low", "high"))
    top, (x, left, right) = row * 24 + 4, (_across((value, low, high)))
    return (
        f'<text x="0" y="{top + 13}">{escape(system)}</text>'
        f'<rect x="200" y="{top}" width="{x - 200:.1f}" height="16" fill="#7aa6d6"/>'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{top + 8}" y2="{top + 8}" stroke="#1c2733" stroke-width="2"/>'
    )


def _across(shares: Sequence[float]) -> list[float]:
    return [200 + 440 * min(max(share, 0.0), 1.0) for share in shares]
