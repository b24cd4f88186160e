"""Words on a PDF page become lines in reading order, without the headers and footers that run through the pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from autokb.sources.pdf_tables import Grid

_DIGITS = re.compile(r"\d+")
_BOLD = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|typewriter", re.IGNORECASE)
_CONTENTS = re.compile(r".*(?:\.\s?){5,}\s*\d*$")
_PAGE_NUMBER = re.compile(r"(?:page |[-–] ?)?\d{1,4}(?: ?[-–]| ?(?:of|/) ?\d{1,4})?", re.IGNORECASE)
# Share of the page's height, above and below, in which running lines stand.
_MARGIN = 0.1
_DEEPEST_CUT = 40


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of one page as pdfplumber gives them, its ruled grids and its size in points."""

    words: tuple[Any, ...]
    grids: tuple[Grid, ...]
    width: float
    height: float


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


def in_reading_order(words: Sequence[Any], width: float) -> Iterator[Line]:
    """Give the lines of a page, columns and side notes one after the other; tables of contents are left out."""
    for row in _cut(list(words), width, 0):
        line = _line(row)
        if not _CONTENTS.fullmatch(line.text) and (
            len(line.text) > 2 or any(c.isalnum() for c in line.text) or line.text in "•●○▪–"
        ):
            yield line


def _cut(words: list[Any], width: float, depth: int) -> Iterator[list[Any]]:
    """Part a region at a gutter from top to bottom, else at its widest gap from left to right, and go on inside."""
    rows = rows_of(words)
    if len(rows) < 3 or depth > _DEEPEST_CUT or not any(_has_gap(row) for row in rows):
        yield from rows
        return
    if parted := _at_gutter(words, rows, width):
        for side in parted:
            yield from _cut(side, width, depth + 1)
        return
    gaps = [_top(two) - _bottom(one) for one, two in pairwise(rows)]
    widest = max(range(len(gaps)), key=lambda n: (gaps[n], -n))
    yield from _cut([w for row in rows[: widest + 1] for w in row], width, depth + 1)
    yield from _cut([w for row in rows[widest + 1 :] for w in row], width, depth + 1)


def _top(row: Sequence[Any]) -> float:
    return float(min(w["top"] for w in row))


def _bottom(row: Sequence[Any]) -> float:
    return float(max(w["bottom"] for w in row))


def rows_of(words: Sequence[Any]) -> list[list[Any]]:
    """Return the words by their base line, each row from left to right."""
    rows: list[list[Any]] = []
    for word in sorted(words, key=lambda w: (round(w["bottom"], 1), w["x0"])):
        if rows and word["bottom"] - rows[-1][0]["bottom"] <= 0.5 * min(word["size"], rows[-1][0]["size"]):
            rows[-1].append(word)
        else:
            rows.append([word])
    return [sorted(row, key=lambda w: (w["x0"], w["top"])) for row in rows]


def _has_gap(row: Sequence[Any]) -> bool:
    return any(b["x0"] - a["x1"] > a["size"] for a, b in pairwise(row))


def _at_gutter(words: list[Any], rows: Sequence[list[Any]], width: float) -> tuple[list[Any], list[Any]] | None:
    """Return the words left and right of a strip that no word crosses, if both sides are prose, not cells or marks."""
    spans = sorted((float(w["x0"]), float(w["x1"])) for w in words)
    reach = spans[0][1]
    best: tuple[float, float] | None = None
    for start, end in spans[1:]:
        if start - reach > max(best[0] if best else 0.0, float(words[0]["size"])):
            best = (start - reach, (start + reach) / 2)
        reach = max(reach, end)
    if best is None:
        return None
    left = [w for w in words if w["x1"] <= best[1]]
    right = [w for w in words if w["x0"] >= best[1]]
    return (left, right) if _is_prose(left, width) and _is_prose(right, width) else None


def _is_prose(side: Sequence[Any], width: float) -> bool:
    rows = rows_of(side)
    wide = max(w["x1"] for w in side) - min(w["x0"] for w in side)
    return len(rows) >= 2 and len(side) >= 3 * len(rows) and wide > 0.12 * width


def _line(words: Sequence[Any]) -> Line:
    sizes = Counter[float]()
    for word in words:
        sizes[round(float(word["size"]) * 2) / 2] += len(word["text"])
    letters = [w for w in words if any(c.isalnum() for c in w["text"])] or list(words)
    return Line(
        text=" ".join(w["text"] for w in words),
        left=float(words[0]["x0"]),
        right=float(words[-1]["x1"]),
        top=_top(words),
        bottom=_bottom(words),
        size=max(sizes, key=lambda s: (sizes[s], s)),
        bold=all(_BOLD.search(w["fontname"]) for w in letters),
        mono=all(_MONO.search(w["fontname"]) for w in letters),
    )


def without_running_lines(pages: Sequence[PageWords]) -> list[PageWords]:
    """Drop rows in the margins that come back, whatever their numbers, on a third of the pages, and page numbers."""
    sizes = Counter[float]()
    for page in pages:
        for word in page.words:
            sizes[round(float(word["size"]))] += len(word["text"])
    body = max(sizes, key=lambda s: (sizes[s], -s), default=10.0)
    margins = [[(row, _key(row, body)) for row in rows_of(_in_margin(page))] for page in pages]
    counts = Counter(key for found in margins for key in {key for _, key in found})
    needed = max(3, len(pages) // 3) if len(pages) > 2 else 2
    result = []
    for page, found in zip(pages, margins, strict=True):
        gone = {
            id(w) for row, key in found if counts[key] >= needed or _PAGE_NUMBER.fullmatch(_words(row)) for w in row
        }
        result.append(replace(page, words=tuple(w for w in page.words if id(w) not in gone)))
    return result


def _in_margin(page: PageWords) -> list[Any]:
    top, bottom = _MARGIN * page.height, (1 - _MARGIN) * page.height
    return [w for w in page.words if w["bottom"] < top or w["top"] > bottom]


def _words(row: Sequence[Any]) -> str:
    return " ".join(w["text"] for w in row)


def _key(row: Sequence[Any], body: float) -> str:
    """Return what makes two rows the same: their words without numbers, but "Chapter 2" in large type is a heading."""
    words = _words(row).casefold()
    return words if float(row[0]["size"]) > 1.1 * body else _DIGITS.sub("0", words)
