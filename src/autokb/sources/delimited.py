"""CSV and TSV: the delimiter is detected from the header, quoted line breaks stay, a torn file is not half-read."""

from __future__ import annotations

import contextlib
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources import fields as f
from autokb.sources.decoding import MAX_FILE_BYTES
from autokb.sources.records import PlacedRecord, refuse_too_many, shorten_report

# The likeliest first: it wins where two give the same number of cells.
_DELIMITERS = (",", ";", "\t", "|")
MOST_TITLES = 10  # lines that a report may have above its header
_ABOVE = "stands above the header of the table, and is not read."
_NO_ROW = "repeats the header, rules a line or sums up the table, and is not read."
_TOO_MANY = "cells where the header has"
_NAMELESS = "has cells under no name, which are not read."
_BLANKS = "  "  # between columns that are set out for the eye
_MOST_SIGNS = 2  # in a cell of a ruled line: --- or -+-
_SUMS = r"(?:grand |sub)?total|sum|summe|gesamt|zwischensumme|insgesamt|\d+ (?:rows?|zeilen)(?: in set)?"
_SUM = re.compile(rf"\W*(?:{_SUMS})\b[\W\d]*(?:sec\W*)?\Z", re.IGNORECASE)
_KNOWN = (*f.TEXT_NAMES, *f.TITLE_NAMES, *f.ISSUE_ID_NAMES, *f.DATE_NAMES, "key", "number", "status", "priority")
_SAMPLE_ROWS = 21  # by which a delimiter is chosen: the header and twenty rows
_SAMPLE_CHARACTERS = 200_000  # that these rows may have together


def find_header(text: str) -> tuple[int, str] | None:
    """Return at which line the header of a table stands and its delimiter: two of its cells are known names.

    None where no line of the first few is one. Lines above a header have fewer cells.
    """
    lines = list(islice(io.StringIO(text[:_SAMPLE_CHARACTERS]), MOST_TITLES))
    for number, line in enumerate(lines):
        for delimiter in (*_DELIMITERS, _BLANKS):
            cells = dict.fromkeys(filter(None, (cell.strip(' \t\r\n"') for cell in line.split(delimiter))))
            widths = (sum(map(bool, map(str.strip, above.split(delimiter)))) for above in lines[:number])
            if len(set(f.matching_keys(cells, _KNOWN))) > 1 and max(widths, default=0) < len(cells):
                return number, delimiter
    return None


def read_delimited(
    text: str, relative: str, delimiter: str | None = None, *, repeated: bool = False
) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the rows under the header; what is no row of the table is skipped with its line.

    Of columns with the same name the first filled one counts; where they are ``repeated`` on purpose, as in Jira's
    exports, the filled ones are a list.
    """
    csv.field_size_limit(MAX_FILE_BYTES)
    text = text.removeprefix("\ufeff").replace("\0", "")
    # Excel's own way to name the delimiter.
    if text[:4].lower() == "sep=" and "\n" in text:
        first, _, text = text.partition("\n")
        delimiter = first[4:5] or None
    titles, delimiter = find_header(text) or (0, delimiter or _detect_delimiter(text))
    if delimiter == _BLANKS:
        raise UnreadableFileError("looks like a table with blanks between its columns; save it as CSV.")
    rows = [row for row in _rows(text, delimiter) if _is_filled(row[1])]
    # No ``file:line`` for what is no record, so that --sync need not take its file for an unread one.
    skipped = [Skipped(f"{relative}, line {line}", _ABOVE) for line, _ in rows if line <= titles]
    found, lost = _under_header(rows[len(skipped) :], relative, repeated=repeated)
    return found, shorten_report([*skipped, *lost], relative)


# Complex: columns of one name are found in the header and read in each row.
def _under_header(
    rows: Sequence[tuple[int, list[str]]], relative: str, *, repeated: bool
) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records of the rows below the first, which is the header, and what is not read of them."""
    header = [name.strip() for name in rows[0][1]] if rows else []
    several = [n for n, count in Counter(filter(None, header)).items() if count > 1]
    found, skipped = list[PlacedRecord](), list[Skipped]()
    if several and not repeated:
        reason = f"has several columns of the name {', '.join(several)}; of each row the first filled one is read."
        skipped.append(Skipped(f"{relative}, header", reason))
    for line, cells in rows[1:]:
        reason = _why_left_out(cells, header)
        if reason:
            place = f"{relative}:{line}" if _TOO_MANY in reason else f"{relative}, line {line}"
            skipped.append(Skipped(place, reason))
        if not reason or reason == _NAMELESS:
            found.append(PlacedRecord(row_as_record(header, cells, several if repeated else ()), line))
    return found, skipped


def _is_filled(cells: Iterable[str]) -> bool:
    return any(map(str.strip, cells))


def row_as_record(header: Sequence[str], cells: Sequence[str], several: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row by their column; those of columns that there are ``several`` of as a list."""
    padded = [*cells, *[""] * (len(header) - len(cells))]
    record: dict[str, Any] = {}
    for name, cell in zip(header, padded, strict=False):
        if name and not record.get(name, "").strip():
            record[name] = cell
    for name in several:
        record[name] = [c for n, c in zip(header, padded, strict=False) if n == name and c.strip()]
    return record


# Complex: each line that is no row is told in its own way.
def _why_left_out(cells: Sequence[str], header: Sequence[str]) -> str:
    """Return why a line is no record: it has too many cells, repeats the header, rules a line or sums up; else ''."""
    filled = [cell.strip() for cell in cells if cell.strip()]
    is_ruled = not any(map(str.isalnum, "".join(filled))) and all(len(set(one)) <= _MOST_SIGNS for one in filled)
    is_sum = len(header) > 1 and _SUM.match(filled[0]) and not any(map(str.isalpha, "".join(filled[1:])))
    if filled == list(filter(None, header)) or is_ruled or is_sum:
        return _NO_ROW
    if _is_filled(cells[len(header) :]):
        return f"has {len(cells)} {_TOO_MANY} {len(header)}; put texts with a delimiter in quotes."
    return _NAMELESS if _is_filled(c for n, c in zip(header, cells, strict=False) if not n) else ""


def _rows(text: str, delimiter: str) -> list[tuple[int, list[str]]]:
    try:
        return list(_numbered_rows(text, delimiter, strict=True))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise UnreadableFileError("has a quoted cell that is never closed; add the missing quote.") from error
    try:
        # Rows such as ``a,"b"c`` too, which a strict reader refuses.
        return list(_numbered_rows(text, delimiter, strict=False))
    except csv.Error as error:
        raise UnreadableFileError(f"is not valid CSV ({error}); export it again.") from error


def _numbered_rows(text: str, delimiter: str, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    start = 1
    for count, cells in enumerate(reader):
        refuse_too_many(count)
        yield start, cells
        start = reader.line_num + 1


def _detect_delimiter(text: str) -> str:
    """Return the delimiter that the header has and that gives most rows as many cells as the header."""
    best = (0, 0, ",")
    for rank, delimiter in enumerate(_DELIMITERS):
        rows = islice(_numbered_rows(text[:_SAMPLE_CHARACTERS], delimiter, strict=False), _SAMPLE_ROWS)
        widths = []
        # A row that cannot be read ends the sample; those before it are enough.
        with contextlib.suppress(csv.Error):
            for _, cells in rows:
                widths.append(len(cells))
        if widths and widths[0] > 1:
            agreeing_percent = sum(width == widths[0] for width in widths) * 100 // len(widths)
            best = max(best, (agreeing_percent, widths[0] * 10 - rank, delimiter))
    return best[2]
