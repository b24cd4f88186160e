"""Wiki tables become Markdown tables."""

from __future__ import annotations

import re

from autokb.sources.delimiters import replace_pairs
from autokb.sources.wiki_inline import LINE_BREAK, PARAGRAPH_BREAK, Placeholders, inline_to_marks

_TABLE = re.compile(r"^[ \t:]{0,8}\{\|[^\n]*\n", re.MULTILINE)
_TABLE_END = re.compile(r"^[ \t]{0,8}\|\}", re.MULTILINE)
_CELL_ATTRIBUTES = re.compile(r"^[^|\[\]{}]*=[^|\[\]{}]*\|(?!\|)")
_LIST_PREFIX = re.compile(r"^[*#:;]+\s*")


def replace_tables(text: str, placeholders: Placeholders) -> str:
    """Return the text with a placeholder for each table, which stands for its Markdown."""
    return replace_pairs(
        text,
        _TABLE,
        lambda start: _TABLE_END,
        lambda start, body: f"\n\n{placeholders.protect(_table_to_markdown(body, placeholders))}{PARAGRAPH_BREAK}\n\n",
    )


def _table_to_markdown(body: str, placeholders: Placeholders) -> str:
    rows: list[list[str]] = []
    for row in _rows(body):
        if any(cell.strip() for cell in row):
            marked = (inline_to_marks(cell, placeholders) for cell in row)
            words = (cell.replace(LINE_BREAK, " ").replace(PARAGRAPH_BREAK, " ").split() for cell in marked)
            rows.append([" ".join(cell).replace("|", "\\|") for cell in words])
    if not rows:
        return ""
    width = max(len(row) for row in rows)
    # One column is a frame around text, not a table.
    if width == 1:
        return "\n\n".join(row[0] for row in rows if row[0])
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _rows(body: str) -> list[list[str]]:
    """Return the wiki text of each cell; the table's caption is left out."""
    rows: list[list[str]] = [[]]
    for line in map(str.strip, body.split("\n")):
        if line.startswith("|-"):
            rows.append([])
        elif line.startswith("|+"):
            continue
        elif line.startswith(("|", "!")):
            cells = re.split(r"!!|\|\|" if line[0] == "!" else r"\|\|", line[1:])
            rows[-1].extend(_CELL_ATTRIBUTES.sub("", cell) for cell in cells)
        elif line and rows[-1]:
            rows[-1][-1] += "<br>" + _LIST_PREFIX.sub("", line)
    return rows
