"""Words on a PDF page become lines in reading order, without the headers and footers that run through the pages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
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
    for line in rows_of(words):
        words_of = defaultdict[tuple[int, int], list[str]](list)
        for word in line:
            for r, c, box in cells:
                if _contains(box, word):
                    words_of[r, c].append(word["text"])
                    break
        for (r, c), of_cell in words_of.items():
            texts[r][c] = f"{texts[r][c]}\n{' '.join(of_cell)}".lstrip("\n")
    return texts


# Complex: columns are joined one after the other, each with what those before it became.
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


_DIGITS = re.compile(r"\d+")
_BOLD_FONT = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_MONO_FONT = re.compile(r"mono|courier|consol|typewriter", re.IGNORECASE)
_CONTENTS_ENTRY = re.compile(r".*(?:\.\s?){5,}\s*\d*$")
_PAGE_NUMBER = re.compile(r"(?:page |[-–] ?)?\d{1,4}(?: ?[-–]| ?(?:of|/) ?\d{1,4})?", re.IGNORECASE)
# Share of the page's height, above and below, in which running lines are.
_MARGIN = 0.1
# Times the size of body text: a line in the margin this large is a heading, whose number tells it from others.
_LARGE_SIZE = 1.1
# A document of body text only may have no characters to tell its size, in points.
DEFAULT_SIZE = 10.0
_MAX_CUTS = 40
# Share of a word's size by which base lines differ in one row.
_ROW_TOLERANCE = 0.5
# A column of prose has three words a line and more than this share of the page's width; a column of cells has less.
_MIN_WORDS_PER_LINE = 3
_MIN_COLUMN_WIDTH = 0.12


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page as pdfplumber gives them, its ruled grids and its size in points.

    ``is_drawn`` says that it has large pictures or text as outlines, ``recognised`` what a program reads of them.
    """

    words: tuple[Word, ...]
    grids: tuple[Grid, ...]
    width: float
    height: float
    is_drawn: bool = False
    recognised: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text: its place in points, its font size and whether all of it is bold or typewriter."""

    text: str
    left: float
    right: float
    top: float
    bottom: float
    size: float
    bold: bool
    mono: bool


def in_reading_order(words: Sequence[Word], width: float) -> Iterator[Line]:
    """Give the lines of a page, columns and side notes one after the other; tables of contents are left out."""
    for row in _cut(list(words), width, 0):
        line = _line(row)
        has_text = len(line.text) > 2 or any(c.isalnum() for c in line.text) or line.text in "•●○▪–"
        if has_text and not _CONTENTS_ENTRY.fullmatch(line.text):
            yield line


def _cut(words: list[Word], page_width: float, depth: int) -> Iterator[list[Word]]:
    """Cut a region at a gutter from top to bottom, else at its widest gap from left to right, and go on inside.

    This is the recursive X-Y cut (Nagy and Seth, 1984) with a rule for which gutters part columns.
    """
    rows = rows_of(words)
    has_gap = any(right["x0"] - left["x1"] > left["size"] for row in rows for left, right in pairwise(row))
    if len(rows) < 3 or depth > _MAX_CUTS or not has_gap:
        yield from rows
        return
    regions = _at_gutter(words, page_width)
    if not regions:
        gaps = [_top(below) - _bottom(above) for above, below in pairwise(rows)]
        widest = max(range(len(gaps)), key=lambda n: (gaps[n], -n))
        regions = [[*chain(*part)] for part in (rows[: widest + 1], rows[widest + 1 :])]
    for region in regions:
        yield from _cut(region, page_width, depth + 1)


def _top(row: Sequence[Word]) -> float:
    return float(min(word["top"] for word in row))


def _bottom(row: Sequence[Word]) -> float:
    return float(max(word["bottom"] for word in row))


def rows_of(words: Sequence[Word]) -> list[list[Word]]:
    """Return the words by their base line, each row from left to right."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (round(w["bottom"], 1), w["x0"])):
        first = rows[-1][0] if rows else None
        if first and word["bottom"] - first["bottom"] <= _ROW_TOLERANCE * min(word["size"], first["size"]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: (w["x0"], w["top"])) for row in rows]


# Complex: the gutter is found from the words and refused by the two sides that it makes.
def _at_gutter(words: list[Word], page_width: float) -> list[list[Word]]:
    """Return the words left and right of a strip that no word crosses, if both sides are prose, not cells or marks."""
    spans = sorted((float(word["x0"]), float(word["x1"])) for word in words)
    reach = spans[0][1]
    gutter_width, middle = float(words[0]["size"]), None
    for start, end in spans[1:]:
        if start - reach > gutter_width:
            gutter_width, middle = start - reach, (start + reach) / 2
        reach = max(reach, end)
    if middle is None:
        return []
    sides = [[w for w in words if w["x1"] <= middle], [w for w in words if w["x0"] >= middle]]
    for side in sides:
        lines = len(rows_of(side))
        width = max(w["x1"] for w in side) - min(w["x0"] for w in side)
        if lines < 2 or len(side) < _MIN_WORDS_PER_LINE * lines or width <= _MIN_COLUMN_WIDTH * page_width:
            return []
    return sides


def _line(words: Sequence[Word]) -> Line:
    characters_of_size = Counter[float]()
    for word in words:
        characters_of_size[round(float(word["size"]) * 2) / 2] += len(word["text"])
    lettered = [word for word in words if any(c.isalnum() for c in word["text"])] or list(words)
    return Line(
        text=" ".join(word["text"] for word in words),
        left=float(words[0]["x0"]),
        right=float(words[-1]["x1"]),
        top=_top(words),
        bottom=_bottom(words),
        size=max(characters_of_size, key=lambda size: (characters_of_size[size], size)),
        bold=all(_BOLD_FONT.search(word["fontname"]) for word in lettered),
        mono=all(_MONO_FONT.search(word["fontname"]) for word in lettered),
    )


# Complex: a row is dropped for what other pages have, so that all margins are counted first.
def without_running_lines(pages: Sequence[PageWords]) -> list[PageWords]:
    """Drop rows in the margins that come back, whatever their numbers, on a third of the pages, and page numbers."""
    body_size = _body_size(pages)
    margins = [[(row, _without_numbers(row, body_size)) for row in _rows_in_margins(page)] for page in pages]
    pages_with = Counter(text for rows in margins for text in {text for _, text in rows})
    needed = max(3, len(pages) // 3) if len(pages) > 2 else 2
    result = []
    for page, rows_with_text in zip(pages, margins, strict=True):
        dropped = {
            id(word)
            for row, text in rows_with_text
            if pages_with[text] >= needed or _PAGE_NUMBER.fullmatch(" ".join(w["text"] for w in row))
            for word in row
        }
        result.append(replace(page, words=tuple(word for word in page.words if id(word) not in dropped)))
    return result


def _body_size(pages: Sequence[PageWords]) -> float:
    """Return the size, rounded to points, that most characters have."""
    characters_of_size = Counter[float]()
    for page in pages:
        for word in page.words:
            characters_of_size[round(float(word["size"]))] += len(word["text"])
    return max(characters_of_size, key=lambda size: (characters_of_size[size], -size), default=DEFAULT_SIZE)


def _rows_in_margins(page: PageWords) -> list[list[Word]]:
    top, bottom = _MARGIN * page.height, (1 - _MARGIN) * page.height
    return rows_of([word for word in page.words if word["bottom"] < top or word["top"] > bottom])


def _without_numbers(row: Sequence[Word], body_size: float) -> str:
    """Return what makes two rows the same: their words without numbers, but "Chapter 2" in large type is a heading."""
    words = " ".join(word["text"] for word in row).casefold()
    return words if float(row[0]["size"]) > _LARGE_SIZE * body_size else _DIGITS.sub("0", words)
