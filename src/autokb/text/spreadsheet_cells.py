"""Cells of a CSV that a spreadsheet shows and does not run, and their texts given back."""

from __future__ import annotations

import re

from autokb.text.control_characters import escape_controls, unescape_controls

# What spreadsheets begin a formula with, full-width forms and what they skip before it included. Apostrophes before it
# are somebody's own; one more is ours.
_FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")


def guarded(cell: str) -> str:
    """Keep a spreadsheet from running text of a customer as a formula: an apostrophe goes in front.

    Control characters are escaped; an apostrophe before a formula's sign gets another one, so that ``unguarded`` gives
    back every text.
    """
    escaped = escape_controls(cell)
    return "'" + escaped if _FORMULA.match(escaped) else escaped


def unguarded(cell: str) -> str:
    """Take that back."""
    return unescape_controls(cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell)
