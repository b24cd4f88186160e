"""A blind sheet case by case for one annotator: what is shown and asked, what is marked, and the sheet with new marks.

Only this annotator's rows are read, and never the key: nothing here knows whose suggestion is whose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.results import Result
from autokb.plugins.lab.evaluation.sheets import INSTRUCTIONS, read_rows, sheet_text
from autokb.plugins.lab.evaluation.suggestions.sheet import (
    ASKED,
    CORRECTNESS,
    FILLED_IN,
    NOTHING,
    SCORES,
    SHOWN,
    SIDES,
    TOUCH,
    question_of,
    read_mark,
)
from autokb.text.masking import mask_for_people

MARKS = FILLED_IN[2:]
# What can be chosen, by question, as it is written into the sheet.
CHOICES: Mapping[str, Sequence[str]] = {
    "preference": ("A", "same", "B"),
    "correctness": CORRECTNESS,
    **dict.fromkeys(SCORES, ("0", "1", "2")),
    TOUCH: ("yes", "no"),
}
Row = Mapping[str, str]
_LINE = "\n"  # in the place of a column, whose name has no such end: the line that the row ends in


@dataclass(frozen=True, slots=True)
class JudgedCase(Result):
    """One case with an annotator's marks by column; ``place`` counts from 1, ``missing`` are questions still open.

    Private data in what was said are masked, as on all pages. Of a side that suggests nothing only ``asked`` columns
    are judged. ``before`` and ``after`` are its neighbours.
    """

    id: str
    place: int
    conversation: str
    human_reply: str
    a: str
    b: str
    asked: tuple[str, ...]
    marks: Mapping[str, str]
    missing: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class SheetProgress(Result):
    """Where an annotator is: ``judged`` of the ``cases`` are whole; ``case`` is None where all of them are."""

    sheet: str
    annotator: str
    instructions: str
    cases: int
    judged: int
    case: JudgedCase | None


def read_sheet_rows(path: Path) -> list[Row]:
    """Read the rows of a sheet, whatever columns people added (BadInputError where it is no sheet)."""
    rows: list[Row] = []
    for number, row in read_rows(path, (*FILLED_IN, *SHOWN)):
        rows.append({**row, _LINE: str(number)})
    if not rows:
        raise BadInputError(f"{path} has no cases; write the sheet anew.")
    return rows


# Complex: the wanted case and the next open one are sought in the same order.
def sheet_progress(rows: Sequence[Row], name: str, annotator: str, wanted: str = "", after: str = "") -> SheetProgress:
    """Return the ``wanted`` case (UnknownIdError), else the next that an annotator has not judged whole.

    The next is sought behind the case ``after``, then from the beginning.
    """
    shown = {row["item"]: row for row in reversed(rows)}
    order = list(dict.fromkeys(row["item"] for row in rows))
    if wanted and wanted not in shown:
        raise UnknownIdError(f"The sheet {name} has no case {wanted!r}; go back to its first one.")
    own = {row["item"]: _marks_of(row) for row in rows if row["annotator"] == annotator}
    still_open = {item for item in order if _missing(shown[item], own.get(item, {}))}
    begin = order.index(after) + 1 if after in shown else 0
    chosen = wanted or next((item for item in (*order[begin:], *order[:begin]) if item in still_open), "")
    case = _case(shown[chosen], order, own.get(chosen, {})) if chosen else None
    return SheetProgress(name, annotator, ASKED, len(order), len(order) - len(still_open), case)


def _case(row: Row, order: Sequence[str], marks: Mapping[str, str]) -> JudgedCase:
    at = order.index(row["item"])
    conversation, human_reply = mask_for_people([row["conversation"], row["human_reply"]])
    return JudgedCase(
        id=row["item"],
        place=at + 1,
        conversation=conversation,
        human_reply=human_reply,
        a=row["a"],
        b=row["b"],
        asked=_asked(row),
        marks=marks,
        missing=_missing(row, marks),
        before=order[at - 1] if at else "",
        after=order[at + 1] if at + 1 < len(order) else "",
    )


# Complex: the row of the annotator is changed where there is one, else made of the case.
def with_marks(rows: Sequence[Row], item: str, annotator: str, marks: Mapping[str, str]) -> str:
    """Return the sheet with an annotator's marks of a case in place of earlier ones (BadInputError, UnknownIdError).

    All other rows stay as they are; an annotator's first marks of a case are a new row, with nothing that others wrote.
    """
    of_item = [row for row in rows if row["item"] == item]
    if not of_item:
        raise UnknownIdError(f"The sheet has no case {item!r}; it was written anew since. Go on with the next.")
    own = next((row for row in of_item if row["annotator"] == annotator), None)
    kept = own or {column: of_item[0].get(column, "") for column in (INSTRUCTIONS, "item", *SHOWN)}
    new = {**kept, **_checked(of_item[0], marks), "annotator": annotator}
    changed = [new if row is own else row for row in rows] if own else [*rows, new]
    columns = [column for column in rows[0] if column != _LINE]
    return sheet_text(columns, ([row.get(column, "") for column in columns] for row in changed))


def _checked(row: Row, marks: Mapping[str, str]) -> dict[str, str]:
    """Return all columns of marks, empty where nothing is marked or asked (BadInputError for what may not stand)."""
    given = {column: mark for column in _asked(row) if (mark := marks.get(column, "").strip())}
    for column, mark in given.items():
        read_mark(column, mark, "Nothing was saved")
    return {column: given.get(column, "") for column in MARKS}


def _asked(row: Row) -> tuple[str, ...]:
    """Return the columns that are judged in a case; of nothing there is but whether that is right."""
    silent = {side for side in SIDES if row[side] == NOTHING}
    return tuple(c for c in MARKS if c == "preference" or c[-1] not in silent or question_of(c) == "correctness")


def _missing(row: Row, marks: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(column for column in _asked(row) if column not in marks)


def _marks_of(row: Row) -> dict[str, str]:
    """Return what is marked in a row as the form offers it: a spreadsheet's ``Y`` is yes."""
    found = {}
    for column in MARKS:
        if cell := row.get(column, ""):
            said = read_mark(column, cell, f"Line {row[_LINE]} of the sheet")
            found[column] = next(c for c in CHOICES[question_of(column)] if read_mark(column, c, "") == said)
    return found
