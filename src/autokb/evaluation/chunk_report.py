"""What an evaluation of chunkers found, for people: what judges said and what was counted never stand in one table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from autokb.evaluation.report import STYLE, Grid, grid_html, interval, number, tables_of

if TYPE_CHECKING:
    from rich.table import Table

JUDGED = "Judged by a model: shares of chunks, and weighted precision of what is found (mean and 95 % interval)"
COUNTED = "Mechanical: counted, judged by nobody (share and 95 % interval)"
GAP = 2  # columns between two of a table
RETRIEVED = "Needed text in the first five chunks (mean and 95 % interval)"


def method_grids(answer: Mapping[str, Any]) -> list[Grid]:
    """Return the tables of an answer of ``evaluate chunking``, a row for each method."""
    methods = answer["methods"]
    found = [
        Grid("Chunks", ("method", "chunks", "mean", "p95", "seconds"), tuple(_first(methods))),
        _grid(JUDGED, methods, "tenets", _judged),
        _grid(COUNTED, methods, "mechanical", _counted),
        _grid(RETRIEVED, methods, "retrieval", interval),
    ]
    return [grid for grid in found if grid.rows]


def _first(methods: Mapping[str, Any]) -> Iterable[tuple[str, ...]]:
    for name, body in methods.items():
        size = (None if body["size"][n] is None else round(body["size"][n]) for n in ("mean", "p95"))
        yield (name, number(body["chunks"]), *map(number, size), f"{body['seconds']:.2f}")


def _grid(title: str, methods: Mapping[str, Any], part: str, cell: Callable[[Any], str]) -> Grid:
    """Return one table; a column in which no method has anything is left out, and so is a table without columns."""
    columns = dict.fromkeys(column for body in methods.values() for column in body.get(part, {}))
    cells = {column: [cell(body.get(part, {}).get(column)) for body in methods.values()] for column in columns}
    filled = {column: own for column, own in cells.items() if any(text != "–" for text in own)}
    rows = zip(methods, *filled.values(), strict=True) if filled else ()
    return Grid(title, ("method", *filled), tuple(rows))


def _judged(found: Mapping[str, Any] | None) -> str:
    if not found or (found["value"] is None and not found["unreadable"]):
        return "–"
    apart = f", {found['unreadable']} unreadable" if found["unreadable"] else ""
    return interval(found) + apart


def _counted(found: Any) -> str:
    return interval(found) if isinstance(found, Mapping) else number(found)


def method_tables(answer: Mapping[str, Any], width: int | None = None) -> list[Table]:
    """Return the tables for a terminal of so many columns: one that is too wide for it goes on in another."""
    grids = method_grids(answer)
    return tables_of(part for grid in grids for part in (_parts(grid, width) if width else (grid,)))


def _parts(grid: Grid, width: int) -> Iterable[Grid]:
    """Give a grid in parts that fit, each with the names of the rows: a figure that is broken up cannot be compared."""
    sizes = [max(map(len, column)) + GAP for column in zip(grid.columns, *grid.rows, strict=True)]
    parts: list[list[int]] = []
    room = 0
    for n, size in enumerate(sizes[1:], 1):
        if not parts or size > room:
            parts.append([])
            room = width - sizes[0]
        parts[-1].append(n)
        room -= size
    for n, places in enumerate(parts):
        title = "(continued)" if n else grid.title
        columns, *rows = ((row[0], *(row[place] for place in places)) for row in (grid.columns, *grid.rows))
        yield Grid(title, columns, tuple(rows))


def method_page(answer: Mapping[str, Any], title: str) -> str:
    """Return one HTML page without anything from elsewhere; every word from the data is escaped."""
    body = "\n".join(grid_html(grid) for grid in method_grids(answer))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE}\n</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n{body}\n"
        "</body>\n</html>\n"
    )
