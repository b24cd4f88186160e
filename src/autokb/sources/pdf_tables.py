"""Tables on a PDF page: in the grids of its rulings, and by columns: strips that no word of several lines crosses.

A wrong table is worse than none: what may be prose in columns, a list, a form or a table of contents stays text.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from operator import itemgetter
from statistics import fmean, median
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
    """Return the real tables and the words in no cell, which a table without rulings at its sides has beside it."""
    free = list(words)
    tables = []
    for grid in sorted(grids, key=lambda g: (g.box[1], g.box[0])):
        inside = _in_cells(grid, free)
        rows = _compact(_cell_texts(grid, inside))
        if len(rows) >= 2 and len(rows[0]) >= 2:
            taken = {id(word) for word in inside}
            free = [word for word in free if id(word) not in taken]
            left, top, right, bottom = grid.box
            tables.append(Table(rows, top, bottom, left, right))
    return tables, free


def _in_cells(grid: Grid, words: Sequence[Word]) -> list[Word]:
    cells = [box for row in grid.rows for box in row if box]
    return [w for w in words if _contains(grid.box, w) and any(_contains(cell, w) for cell in cells)]


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


# -- tables without a grid ---------------------------------------------------------------------------------------

BOLD_FONT = re.compile(r"bold|black|heavy|demi", re.IGNORECASE)
MONO_FONT = re.compile(r"mono|courier|consol|typewriter", re.IGNORECASE)
# Share of a word's size by which base lines differ in one row.
_ROW_TOLERANCE = 0.5
# Times the size of the type: pieces of a line are this far apart, or less where a word begins at a column's edge.
_CELL_SPACE = 1.0
_CELL_SPACE_AT_EDGE = 0.4
_EDGE = 2.0  # points
# Times the size of the type from line to line: more ends a table, less is the leading of a text.
_MOST_LINE_SPACE = 4.5
_LEAST_ROW_SPACE = 1.4
# Times what is usual in the table: one piece of text with more space above it, or of other type, is none of its lines.
_SET_APART = 1.6
_OTHER_SIZE = 1.1
# Times the least distance of two lines: a larger one parts rows.
_BETWEEN_ROWS = 1.2
_MOST_COLUMNS = 20
_LONGEST_CELL = 300  # characters, without rulings between the rows; longer ones are paragraphs beside their headings
_PROSE_WORDS = 3  # in a line of a column
# Shares: of cells that have text, of a table's width, of the cells of a column or the lines of a row.
_LEAST_FILLED = 0.5
_RULED = 0.5
_MOST = 0.8
_LOWER_CASE = 0.3
_ALIGNED = 0.5
_LEVEL = 0.2  # times the size of the type: how far apart base lines of one line may be
_TRIES = 3  # lines that may stand above a table and look like one of its lines

_BULLET = re.compile(r"[^\w\s]|o")  # marks of points at two levels
_MARKER = re.compile(r"[^\w\s]|\(?(?:\d{1,3}(?:\.\d{1,2})*|[a-z])[.)]?", re.IGNORECASE)
_ENDS_IN_PAGE = re.compile(r"\d{1,4}|.*\.{5}\s*\d*", re.DOTALL)
_INDEX_ENTRY = re.compile(r"[^\W\d].*[ ,]\d+")

Piece = list[Word]  # the words of a line in one column
Rows = list[list[str]]


def tables_in(lines: Sequence[Sequence[Word]], rules: Sequence[Box]) -> Iterator[tuple[int, int, Table]]:
    """Give the tables in lines of words, each with its first line and the one after its last.

    ``rules`` are the horizontal rulings of the page, from its top.
    """
    n = 0
    while n < len(lines):
        found, end = None, n + 1
        for start in range(n, min(n + _TRIES, len(lines))):
            band, columns = _band(lines, start)
            found = _table(band, columns, rules) if len(band) > 1 else None
            end = max(end, start + len(band))
            if found or len(band) < 2:
                break
        if found:
            end = start + len(band)
            yield start, end, found
        n = end


def _band(lines: Sequence[Sequence[Word]], start: int) -> tuple[list[list[Piece]], list[list[float]]]:
    """Return the lines from ``start`` whose pieces stand in the same columns, as pieces, and the columns' edges."""
    band, columns, widest = [_pieces(lines[start], [])], list[list[float]](), 0.0
    _fit(columns, band[0])
    if not 2 <= len(columns) <= _MOST_COLUMNS:
        return band, []
    for n in range(start + 1, len(lines)):
        pieces, size = _pieces(lines[n], columns), lines[n][0]["size"]
        space = lines[n][0]["bottom"] - lines[n - 1][0]["bottom"]
        is_apart = len(pieces) == 1 and 0 < widest * _SET_APART < space
        is_other = not size / _OTHER_SIZE < lines[start][0]["size"] < size * _OTHER_SIZE
        if is_apart or is_other or space > _MOST_LINE_SPACE * size or not _fit(columns, pieces):
            break
        widest = max(widest, space)
        band.append(pieces)
    return band, columns


def _pieces(line: Sequence[Word], columns: Sequence[Sequence[float]]) -> list[Piece]:
    """Return a line in pieces, between which is more space than between words."""
    pieces = [[line[0]]]
    for before, word in pairwise(line):
        space, size = word["x0"] - before["x1"], word["size"]
        at_edge = space > _CELL_SPACE_AT_EDGE * size and any(abs(word["x0"] - left) < _EDGE for left, _ in columns)
        if space > _CELL_SPACE * size or at_edge:
            pieces.append([])
        pieces[-1].append(word)
    return pieces


def _fit(columns: list[list[float]], pieces: Sequence[Piece]) -> bool:
    """Widen the columns by the pieces of a line, if each stands in one or between two; return whether they do."""
    places = [[n for n, (left, right) in enumerate(columns) if _left(p) < right and _right(p) > left] for p in pieces]
    is_alone = bool(columns) and places == [[]]
    if is_alone or max(map(len, places)) > 1:
        return False
    for piece, place in zip(pieces, places, strict=True):
        column = columns[place[0]] if place else [_left(piece), _right(piece)]
        column[:] = min(column[0], _left(piece)), max(column[1], _right(piece))
        columns += [] if place else [column]
    columns.sort()
    return True


def _left(piece: Sequence[Word]) -> float:
    return piece[0]["x0"]


def _right(piece: Sequence[Word]) -> float:
    return max(word["x1"] for word in piece)


def _table(band: Sequence[Sequence[Piece]], columns: Sequence[Sequence[float]], rules: Sequence[Box]) -> Table | None:
    """Return the table that a band is, or None."""
    bottoms = [pieces[0][0]["bottom"] for pieces in band]
    left, right = columns[0][0], max(column[1] for column in columns)
    ruled = _lines_below_rules(bottoms, rules, left, right)
    lines = [_texts(pieces, columns) for pieces in band]
    rows = _compact(_rows(lines, bottoms, ruled))
    has_row_rules = len(ruled) > 1
    if not _is_drawn_as_table(band, rows, has_rules=bool(ruled)) or not _is_aligned(band, columns):
        return None
    if not _has_cells(rows, has_rules=has_row_rules) or (not has_row_rules and _is_prose(lines)):
        return None
    return Table(rows, min(word["top"] for piece in band[0] for word in piece), bottoms[-1], left, right)


def _is_drawn_as_table(band: Sequence[Sequence[Piece]], rows: Sequence[Sequence[str]], *, has_rules: bool) -> bool:
    """Return whether rows are enough, are no code, and have rulings, a head or space between them if they are pairs."""
    first, last = band[0][0][0], band[-1][0][0]
    has_head = has_rules or (_is_bold(band[0]) and not _is_bold(band[1]))
    is_tight = last["bottom"] - first["bottom"] < _LEAST_ROW_SPACE * first["size"] * (len(band) - 1)
    is_code = all(MONO_FONT.search(word["fontname"]) for piece in chain(*band) for word in piece)
    least = 2 if has_rules and all(map(all, rows)) else 3
    return len(rows) >= least and not is_code and (has_head or len(rows[0]) > 2 or not is_tight)


def _is_aligned(band: Sequence[Sequence[Piece]], columns: Sequence[Sequence[float]]) -> bool:
    """Return whether the pieces of most lines share a base line, and those of each column an edge or their middle."""
    level = [_spread(piece[0]["bottom"] for piece in pieces) < _LEVEL * pieces[0][0]["size"] for pieces in band]
    edges = defaultdict[int, list[tuple[float, float, float]]](list)
    for piece in chain(*band):
        n, left, right = _column(piece, columns), _left(piece), _right(piece)
        edges[n].append((left, right, (left + right) / 2))
    return fmean(level) > _MOST and all(max(map(_aligned, zip(*one, strict=True))) > _ALIGNED for one in edges.values())


def _spread(values: Iterable[float]) -> float:
    values = [*values]
    return max(values) - min(values)


def _aligned(places: Sequence[float]) -> float:
    """Return the share of places that are where most of them are."""
    middle = median(places)
    return fmean(abs(place - middle) < _EDGE for place in places)


def _column(piece: Piece, columns: Sequence[Sequence[float]]) -> int:
    return bisect(columns, _left(piece), key=itemgetter(0)) - 1


def _is_bold(pieces: Sequence[Piece]) -> bool:
    return all(BOLD_FONT.search(word["fontname"]) for piece in pieces for word in piece)


def _texts(pieces: Sequence[Piece], columns: Sequence[Sequence[float]]) -> list[str]:
    texts = [""] * len(columns)
    for piece in pieces:
        n = _column(piece, columns)
        texts[n] = f"{texts[n]} {' '.join(word['text'] for word in piece)}".strip()
    return texts


def _lines_below_rules(bottoms: Sequence[float], rules: Sequence[Box], left: float, right: float) -> set[int]:
    """Return the positions of lines above which a ruling goes through most of the table, but of the first."""
    found = set[int]()
    # The strokes of a ruling may touch the letters' feet, which stand on the base line.
    first, last = (bisect(rules, bottom - 1, key=itemgetter(1)) for bottom in (bottoms[0], bottoms[-1]))
    for rule in rules[first:last]:
        if min(right, rule[2]) - max(left, rule[0]) > _RULED * (right - left):
            found.add(bisect(bottoms, rule[1] + 1))
    return found - {0, len(bottoms)}


def _rows(lines: Sequence[list[str]], bottoms: Sequence[float], ruled: set[int]) -> Rows:
    """Return lines as rows, parted by rulings, by space or by what stands in the first column, with line breaks."""
    spaces = [below - above for above, below in pairwise(bottoms)]
    spaced = {n for n, space in enumerate(spaces, 1) if space > _BETWEEN_ROWS * min(spaces)}
    keyed = {n for n, line in enumerate(lines) if line[0]} | ruled
    begun = next((found for found in (ruled, spaced) if _part_rows(found, lines)), keyed)
    begins = sorted({0, *begun})
    parts = [lines[start:end] for start, end in pairwise([*begins, len(lines)])]
    return [["\n".join(filter(None, cell)) for cell in zip(*part, strict=True)] for part in parts]


def _part_rows(begun: set[int], lines: Sequence[list[str]]) -> bool:
    """Return whether lines begin rows: those between them have cells that the row's first line filled alone."""
    others = [line for n, line in enumerate(lines) if n and n not in begun]
    return len(begun) > 1 and 2 * sum(all(line) for line in others) <= len(others)


def _has_cells(rows: Sequence[Sequence[str]], *, has_rules: bool) -> bool:
    """Return whether rows are those of a table, not of a list, a form, an index or a table of contents."""
    columns = [*zip(*rows, strict=True)]
    cells = [cell for cell in chain(*rows) if cell]
    if len(columns) < 2 or len(cells) < _LEAST_FILLED * len(rows) * len(columns):
        return False
    is_form = sum(cell.endswith(":") for cell in columns[0]) * 2 > len(rows)
    is_text = not has_rules and (is_form or max(map(len, cells)) > _LONGEST_CELL)
    return not is_text and not _is_list(columns)


def _is_list(columns: Sequence[Sequence[str]]) -> bool:
    """Return whether columns are marks beside points, titles with their pages, or entries of an index."""
    mark = _MARKER if len(columns) == 2 else _BULLET
    is_index = all(_share(_INDEX_ENTRY, column) > _MOST for column in columns)
    return is_index or _share(mark, columns[0]) > _MOST or _share(_ENDS_IN_PAGE, columns[-1]) == 1


def _share(pattern: re.Pattern[str], cells: Sequence[str]) -> float:
    return fmean(bool(pattern.fullmatch(cell)) for cell in cells if cell)


def _is_prose(lines: Sequence[Sequence[str]]) -> bool:
    """Return whether every column is as wide as prose, whose lines mostly go on in the midst of a sentence."""
    for column in zip(*lines, strict=True):
        texts = [text for text in column if text]
        words, lower = fmean(len(text.split()) for text in texts), fmean(text[0].islower() for text in texts)
        if words < _PROSE_WORDS and (words < _PROSE_WORDS - 1 or lower < _LOWER_CASE):
            return False
    return True
