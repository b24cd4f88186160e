"""Wiki tables become Markdown tables."""

from __future__ import annotations

import re
from collections.abc import Callable

from autokb.sources.pairs import replace_pairs

_TABLE = re.compile(r"^[ \t:]{0,8}\{\|[^\n]*\n", re.MULTILINE)
_TABLE_END = re.compile(r"^[ \t]{0,8}\|\}", re.MULTILINE)
_ATTRIBUTES = re.compile(r"^[^|\[\]{}]*=[^|\[\]{}]*\|(?!\|)")
_BULLET = re.compile(r"^[*#:;]+\s*")


def replace_tables(text: str, put: Callable[[str], str], inline: Callable[[str], str]) -> str:
    """Return the text with each table given to ``put`` as Markdown; ``inline`` turns a cell's marks."""
    return replace_pairs(
        text, _TABLE, lambda start: _TABLE_END, lambda start, body: f"\n\n{put(_table(body, inline))}\n\n"
    )


def _table(body: str, inline: Callable[[str], str]) -> str:
    rows = [row for row in _rows(body) if any(cell.strip() for cell in row)]
    if not rows:
        return ""
    turned = [[_cell(cell, inline) for cell in row] for row in rows]
    width = max(len(row) for row in turned)
    if width == 1:
        return "\n\n".join(row[0] for row in turned if row[0])
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in turned]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])


def _rows(body: str) -> list[list[str]]:
    rows: list[list[str]] = [[]]
    for line in body.split("\n"):
        stripped = line.strip()
        if stripped.startswith("|-"):
            rows.append([])
        elif stripped.startswith("|+"):
            continue
        elif stripped.startswith(("|", "!")):
            cells = re.split(r"!!|\|\|" if stripped[0] == "!" else r"\|\|", stripped[1:])
            rows[-1].extend(_ATTRIBUTES.sub("", cell) for cell in cells)
        elif stripped and rows[-1]:
            rows[-1][-1] += "<br>" + _BULLET.sub("", stripped)
    return rows


def _cell(cell: str, inline: Callable[[str], str]) -> str:
    return " ".join(inline(cell).split()).replace("|", "\\|")
