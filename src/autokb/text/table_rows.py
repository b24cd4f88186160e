"""The rows of a Markdown table as lines that can be read by themselves: each cell behind the head of its column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import zip_longest

_RULE = re.compile(r"[ \t>]*\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?[ \t]*)?|[ \t>]*\|?[ \t]*:?-+:?[ \t]*\|[ \t]*")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_COLON_AT_END = re.compile(r"\s*:(?=[\s*_]*\Z)")  # also inside of emphasis
_LINE_BREAK = re.compile(r"\s*<br\s*/?>\s*", re.IGNORECASE)


def with_rows_as_lines(markdown: str) -> str:
    """Return Markdown whose tables are paragraphs, one a row: ``Key: F5; Does: starts; Where: everywhere``.

    The cells keep their words. Of two columns the first names what the second tells (``F5: starts``), under their heads
    (which may be a row as well). A table of one column is left as it is.
    """
    if "|" not in markdown:
        return markdown
    lines, found, here = markdown.split("\n"), [], 0
    while here < len(lines):
        after = _table_end(lines, here)
        rows = read_rows(lines[here:after])
        heads = _cells(lines[here])
        if rows is not None and (len(heads) == 2 or not rows):
            rows = [_read(("",) * len(heads), heads), *rows]
        found += [lines[here]] if rows is None else ["", "\n\n".join(rows), ""]
        here = here + 1 if rows is None else after
    return "\n".join(found)


def table_head(table: str) -> str:
    """Return the lines of a Markdown table that say what its columns are."""
    return "\n".join(table.split("\n", 2)[:2])


def read_rows(lines: Sequence[str]) -> list[str] | None:
    """Return the rows of a table of several columns as lines of Markdown; None where the lines are no such table."""
    if len(lines) < 2 or _table_end(lines, 0) < len(lines):
        return None
    heads, *rows = (_cells(line) for line in (lines[0], *lines[2:]))
    if len(heads) < 2:
        return None
    return [line for row in rows if (line := _read(heads, row))]


def _table_end(lines: Sequence[str], start: int) -> int:
    """Return where the table that begins at a line ends; the line itself where none begins."""
    if start + 1 >= len(lines) or "|" not in lines[start] or not _RULE.fullmatch(lines[start + 1]):
        return start
    end = start + 2
    while end < len(lines) and "|" in lines[end]:
        end += 1
    return end


def _cells(line: str) -> list[str]:
    inner = line.strip(" \t>").removeprefix("|")
    inner = inner[:-1] if inner.endswith("|") and not inner.endswith("\\|") else inner
    return [_LINE_BREAK.sub(", ", cell.strip()) for cell in _CELL_BORDER.split(inner)]


def _read(heads: Sequence[str], row: Sequence[str]) -> str:
    told = [(head, cell) for head, cell in zip_longest(heads, row, fillvalue="") if cell]
    if len(heads) == len(told) == 2:
        told = [(told[0][1], told[1][1])]
    return "; ".join(f"{_COLON_AT_END.sub('', head)}: {cell}" if head else cell for head, cell in told)
