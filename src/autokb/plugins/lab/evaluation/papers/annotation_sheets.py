"""Sheets of a paper that two people fill in without knowing whose work a line is, which the key beside a sheet says.

The first annotator answers every line, the second those of a tenth of the groups, as in the AutoKB paper.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.plugins.lab.evaluation.quality.annotation import ANNOTATED_TWICE
from autokb.plugins.lab.evaluation.sheets import ANNOTATORS, has_marks, key_path, read_key, read_rows, sheet_text

FILLED_IN = ("item", "annotator", "answer")
GROUP = "group"  # what a line belongs to, in every key: an issue, a solution, a text
Hidden = Mapping[str, str | Sequence[str]]
Answer = TypeVar("Answer", bool, str, tuple[str, ...])


@dataclass(frozen=True, slots=True)
class SheetLine:
    """What people see of one item by column, and what the key alone says: whose it is, and its ``group``.

    An ``item`` begins with a letter, for a spreadsheet makes a number of what looks like one.
    """

    item: str
    shown: Mapping[str, str]
    hidden: Hidden

    @property
    def group(self) -> str:
        """What it belongs to: lines of one group stand together, and both annotators get all of them or one does."""
        return str(self.hidden[GROUP])


@dataclass(frozen=True, slots=True)
class FilledSheet(Generic[Answer]):
    """What people answered, by item and annotator, and what the key says of these items."""

    answers: Mapping[str, Mapping[str, Answer]]
    hidden: Mapping[str, Hidden]


def write_sheets(folder: Path, sheets: Mapping[str, Sequence[SheetLine]]) -> None:
    """Write each sheet as ``NAME.csv`` with its key; the same lines leave a sheet as it is, with what is filled in.

    BadInputError where a sheet of other lines has answers; then none is written.
    """
    keys = {folder / f"{name}.csv": _key_text(lines) for name, lines in sheets.items()}
    new = {path: lines for path, lines in zip(keys, sheets.values(), strict=True) if not _is_written(path, keys[path])}
    for path in new:
        if path.exists() and has_marks(path, FILLED_IN[:-1], FILLED_IN[-1:]):
            raise BadInputError(
                f"{path} is filled in, and its lines are no longer those of the knowledge base; read it first "
                "(--read), and name a new folder for the new sheets."
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AutokbError(f"{folder} cannot be made ({error.strerror}).") from error
    for path, lines in new.items():
        write_file(path, _sheet(lines))
        write_file(key_path(path), keys[path])


def _key_text(lines: Iterable[SheetLine]) -> str:
    items = {line.item: line.hidden for line in sorted(lines, key=lambda line: line.item)}
    return json.dumps({"items": items}, ensure_ascii=False, indent=1) + "\n"


def _is_written(path: Path, key: str) -> bool:
    place = key_path(path)
    return path.exists() and place.is_file() and place.read_bytes() == key.encode()


def _sheet(lines: Sequence[SheetLine]) -> str:
    """Return the CSV: groups and the lines in them in an order that says nothing, the same one each time."""
    groups = sorted({line.group for line in lines}, key=lambda group: digest("group", group))
    place = {group: n for n, group in enumerate(groups)}
    twice = set(groups[: math.ceil(len(groups) * ANNOTATED_TWICE)])
    ordered = sorted(lines, key=lambda line: (place[line.group], digest("line", line.item)))
    columns = tuple(ordered[0].shown) if ordered else ()
    rows = (
        (line.item, annotator, "", *(line.shown[column] for column in columns))
        for annotator in ANNOTATORS
        for line in ordered
        if annotator == ANNOTATORS[0] or line.group in twice
    )
    return sheet_text((*FILLED_IN, *columns), rows)


# Complex: each test names the cell that it is of, in the order in which a person would look at it.
def read_filled(path: Path, fields: Sequence[str], read: Callable[[str, Hidden], Answer]) -> FilledSheet[Answer] | None:
    """Return what a sheet says, None where it is not there or nobody has answered anything.

    ``fields`` are what its key holds of each item; ``read`` reads an answer, or raises BadInputError with what is
    allowed. BadInputError names file, row (as a spreadsheet counts them) and column.
    """
    if not path.exists():
        return None
    hidden = read_key(path, partial(_hidden_of, fields))
    answers: dict[str, dict[str, Answer]] = {}
    for number, (_, row) in enumerate(read_rows(path, FILLED_IN), 2):
        item, annotator, answer = (row[column] for column in FILLED_IN)
        if not any((item, annotator, answer)):
            continue
        where = f"{path}, row {number}, column"
        if item not in hidden:
            raise BadInputError(f"{where} item: {item!r} is not in the key of the sheet; keep the items as written.")
        if annotator not in ANNOTATORS:
            raise BadInputError(f"{where} annotator: {annotator!r}; write {' or '.join(ANNOTATORS)}.")
        if not answer:
            continue
        given = answers.setdefault(item, {})
        if annotator in given:
            raise BadInputError(f"{where} answer: annotator {annotator} has answered {item} before; leave one answer.")
        try:
            given[annotator] = read(answer, hidden[item])
        except BadInputError as error:
            raise BadInputError(f"{where} answer: {error}") from error
    return FilledSheet(answers, {item: hidden[item] for item in answers}) if answers else None


def _hidden_of(fields: Sequence[str], key: Any) -> dict[str, Hidden]:
    items = key["items"]
    found: dict[str, Hidden] = {str(item): {field: body[field] for field in fields} for item, body in items.items()}
    if not all(_is_text(value) for body in found.values() for value in body.values()):
        raise ValueError("a field is neither a text nor a list of texts")
    return found


def _is_text(value: object) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(part, str) for part in value))
