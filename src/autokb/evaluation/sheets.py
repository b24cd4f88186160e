"""Sheets that people have filled in with a spreadsheet, as any of these may have stored them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

from autokb.core.errors import BadInputError


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
    reader.fieldnames = [str(name).strip().lower() for name in reader.fieldnames or ()]
    if missing := [column for column in columns if column not in reader.fieldnames]:
        kept = f"{', '.join(columns[:-1])} and {columns[-1]}"
        raise BadInputError(f"{path} has no column {missing[0]!r}; keep the columns {kept}.")
    for row in reader:
        yield reader.line_num, row
