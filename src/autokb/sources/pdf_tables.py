"""Ruled tables of a PDF page: each word goes to the smallest cell around it; a mere frame is no table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict

# Left, top, right, bottom in points from the page's left top corner.
Box = tuple[float, float, float, float]


class Word(TypedDict):
    """A word as pdfplumber gives it: its place (from the left and the top) and its size in points, and its font."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    fontname: str
    upright: bool


@dataclass(frozen=True, slots=True)
class Grid:
    """What the rulings of a page enclose: the whole and the cells of each row (None where a cell is spanned)."""

    box: Box
    rows: tuple[tuple[Box | None, ...], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its texts and its place on the page in points."""

    rows: tuple[tuple[str, ...], ...]
    top: float
    bottom: float
    left: float
    right: float


def take_tables(words: Sequence[Word], grids: Sequence[Grid]) -> tuple[list[Table], list[Word]]:
    """Return the real tables and the words outside them."""
    free = list(words)
    tables = []
    for grid in sorted(grids, key=lambda g: (g.box[1], g.box[0])):
        inside = [word for word in free if _contains(grid.box, word)]
        rows = _compact(_cell_texts(grid, inside))
        if len(rows) >= 2 and len(rows[0]) >= 2:
            taken = {id(word) for word in inside}
            free = [word for word in free if id(word) not in taken]
            left, top, right, bottom = grid.box
            tables.append(Table(rows, top, bottom, left, right))
    return tables, free


def _contains(box: Box, word: Word) -> bool:
    """Return whether the middle of a word is in a box."""
    left, top, right, bottom = box
    x, y = (word["x0"] + word["x1"]) / 2, (word["top"] + word["bottom"]) / 2
    return left <= x <= right and top <= y <= bottom


def _cell_texts(grid: Grid, words: Sequence[Word]) -> list[list[str]]:
    cells = [(r, c, box) for r, row in enumerate(grid.rows) for c, box in enumerate(row) if box]
    # The smallest first: a cell may lie in another.
    cells.sort(key=lambda cell: (cell[2][2] - cell[2][0]) * (cell[2][3] - cell[2][1]))
    texts = [[""] * max(map(len, grid.rows), default=0) for _ in grid.rows]
    for word in sorted(words, key=lambda w: (round(w["bottom"]), w["x0"])):
        for r, c, box in cells:
            if _contains(box, word):
                texts[r][c] = f"{texts[r][c]} {word['text']}".strip()
                break
    return texts


def _compact(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Leave out empty rows, and join neighbouring columns that never have text in the same row (double rulings)."""
    rows = [row for row in rows if any(row)]
    width = max(map(len, rows), default=0)
    columns = [column for n in range(width) if any(column := [row[n] for row in rows])]
    joined: list[list[str]] = []
    for column in columns:
        if joined and not any(a and b for a, b in zip(joined[-1], column, strict=True)):
            joined[-1] = [a or b for a, b in zip(joined[-1], column, strict=True)]
        else:
            joined.append(column)
    return tuple(zip(*joined, strict=True))
