"""The files of evaluations: sheets that people fill in with a spreadsheet, reports."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from autokb.core.errors import BadInputError
from autokb.text.spreadsheet_cells import guarded

ANNOTATORS = ("1", "2")  # of a sheet
INSTRUCTIONS = "instructions"  # the column that says what is to be done; reading a sheet skips it


Key = TypeVar("Key")


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows with the numbers of their lines (BadInputError where one of these columns is missing)."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8; save the sheet as CSV UTF-8.") from error
    head = text.split("\n", 1)[0]
    # Spreadsheets write semicolons where the comma is the decimal sign.
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="")
    try:
        reader.fieldnames = [str(name).strip().lower() for name in reader.fieldnames or ()]
        if missing := [column for column in columns if column not in reader.fieldnames]:
            kept = f"{', '.join(columns[:-1])} and {columns[-1]}"
            raise BadInputError(f"{path} has no column {missing[0]!r}; keep the columns {kept}.")
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:  # a cell without its end grows past what the reader takes
        raise BadInputError(
            f"{path}, line {reader.line_num} cannot be read ({error}); look for a quotation mark without its end."
        ) from error


def has_marks(path: Path, columns: Sequence[str], marks: Sequence[str]) -> bool:
    """Return whether anybody has written into one of the columns ``marks`` of a sheet."""
    return any(row[mark].strip() for _, row in read_rows(path, (*columns, *marks)) for mark in marks)


def key_path(sheet: Path) -> Path:
    """Return where the key of a sheet is, which says whose each line is."""
    return sheet.with_suffix(".key.json")


def read_key(sheet: Path, read: Callable[[Any], Key]) -> Key:
    """Return what ``read`` makes of the JSON of a sheet's key; BadInputError where it is not such a key."""
    place = key_path(sheet)
    try:
        return read(json.loads(place.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadInputError(f"{place}, the key of the sheet, cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{place} is not the key that was written with the sheet; put that one there.") from error


def sheet_text(columns: Sequence[str], rows: Iterable[Sequence[str]], instructions: str = "") -> str:
    """Return the CSV of a sheet, none of whose cells a spreadsheet runs as a formula.

    ``instructions`` stand before every row: a line above the head would be lost when a spreadsheet sorts or saves it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([INSTRUCTIONS, *columns] if instructions else columns)
    before = [instructions] if instructions else []
    writer.writerows([guarded(cell) for cell in (*before, *row)] for row in rows)
    return out.getvalue()
