"""Words on a PDF page become lines in reading order, without the headers and footers that run through the pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from autokb.sources.pdf_tables import BOLD_FONT, MONO_FONT, Box, Grid, Table, Word, rows_of, tables_in

_DIGITS = re.compile(r"\d+")
_CONTENTS_ENTRY = re.compile(r".*(?:\.\s?){5,}\s*\d*$")
_PAGE_NUMBER = re.compile(r"(?:page |[-–] ?)?\d{1,4}(?: ?[-–]| ?(?:of|/) ?\d{1,4})?", re.IGNORECASE)
# Share of the page's height, above and below, in which running lines are.
_MARGIN = 0.1
# Times the size of body text: a line in the margin this large is a heading, whose number tells it from others.
_LARGE_SIZE = 1.1
# A document of body text only may have no characters to tell its size, in points.
DEFAULT_SIZE = 10.0
_MAX_CUTS = 40
# A column of prose has three words a line and more than this share of the page's width; a column of cells has less.
_MIN_WORDS_PER_LINE = 3
_MIN_COLUMN_WIDTH = 0.12


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page as pdfplumber gives them, its ruled grids and rulings, and its size in points.

    ``is_drawn`` says that it has large pictures or text as outlines, ``recognised`` what a program reads of them.
    """

    words: tuple[Word, ...]
    grids: tuple[Grid, ...]
    rules: tuple[Box, ...]
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


def in_reading_order(words: Sequence[Word], width: float, rules: Sequence[Box]) -> Iterator[Line | Table]:
    """Give the lines of a page, columns and side notes one after the other; tables of contents are left out.

    Tables without a grid are among them; ``rules`` are the page's horizontal rulings.
    """
    for row in _cut(list(words), width, rules, 0):
        if isinstance(row, Table):
            yield row
            continue
        line = _line(row)
        has_text = len(line.text) > 2 or any(c.isalnum() for c in line.text) or line.text in "•●○▪–"
        if has_text and not _CONTENTS_ENTRY.fullmatch(line.text):
            yield line


def _cut(words: list[Word], page_width: float, rules: Sequence[Box], depth: int) -> Iterator[list[Word] | Table]:
    """Cut a region at its tables, at a gutter from top to bottom, else at its widest gap from left to right.

    This is the recursive X-Y cut (Nagy and Seth, 1984) with a rule for which gutters part columns.
    """
    rows = rows_of(words)
    has_gap = any(right["x0"] - left["x1"] > left["size"] for row in rows for left, right in pairwise(row))
    if len(rows) < 3 or depth > _MAX_CUTS or not has_gap:
        yield from rows
        return
    for region in _parts(words, rows, page_width, rules):
        if isinstance(region, Table):
            yield region
        else:
            yield from _cut(region, page_width, rules, depth + 1)


def _parts(
    words: list[Word], rows: list[list[Word]], page_width: float, rules: Sequence[Box]
) -> Sequence[list[Word] | Table]:
    """Return the parts of a region one after the other: its tables and what is between them, else two halves."""
    parts: list[list[Word] | Table] = []
    begin = 0
    for start, end, table in tables_in(rows, rules):
        parts += [[*chain(*rows[begin:start])], table]
        begin = end
    if parts:
        return [*parts, [*chain(*rows[begin:])]]
    gaps = [_top(below) - _bottom(above) for above, below in pairwise(rows)]
    widest = max(range(len(gaps)), key=lambda n: (gaps[n], -n))
    return _at_gutter(words, page_width) or [[*chain(*part)] for part in (rows[: widest + 1], rows[widest + 1 :])]


def _top(row: Sequence[Word]) -> float:
    return float(min(word["top"] for word in row))


def _bottom(row: Sequence[Word]) -> float:
    return float(max(word["bottom"] for word in row))


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
        bold=all(BOLD_FONT.search(word["fontname"]) for word in lettered),
        mono=all(MONO_FONT.search(word["fontname"]) for word in lettered),
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
