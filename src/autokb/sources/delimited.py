"""CSV and TSV: the delimiter is detected from the header, quoted line breaks stay, a torn file is not half-read."""

from __future__ import annotations

import contextlib
import csv
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources.decoding import MAX_FILE_BYTES
from autokb.sources.records import PlacedRecord, refuse_too_many, shorten_report

# The likeliest first: it wins where two give the same number of cells.
_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 21  # by which a delimiter is chosen: the header and twenty rows
_SAMPLE_CHARACTERS = 200_000  # that these rows may have together


# Complex: delimiter, header and repeated columns are found one from the other before a row is read.
def read_delimited(
    text: str, relative: str, delimiter: str | None = None, *, repeated: bool = False
) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the rows under the header; a row with too many cells is skipped with its line.

    Of columns with the same name the last counts; where they are ``repeated`` on purpose, as in Jira's exports, the
    filled ones are a list.
    """
    csv.field_size_limit(MAX_FILE_BYTES)
    text = text.removeprefix("\ufeff").replace("\0", "")
    # Excel's own way to name the delimiter.
    if text[:4].lower() == "sep=" and "\n" in text:
        first, _, text = text.partition("\n")
        delimiter = first[4:5] or None
    rows = [row for row in _rows(text, delimiter or _detect_delimiter(text)) if any(map(str.strip, row[1]))]
    header = [name.strip() for name in rows[0][1]] if rows else []
    several = [n for n, count in Counter(filter(None, header)).items() if count > 1] if repeated else []
    found: list[PlacedRecord] = []
    skipped: list[Skipped] = []
    for line, cells in rows[1:]:
        if any(c.strip() for c in cells[len(header) :]):
            reason = f"has {len(cells)} cells where the header has {len(header)}; put texts with a delimiter in quotes."
            skipped.append(Skipped(f"{relative}:{line}", reason))
            continue
        found.append(PlacedRecord(row_as_record(header, cells, several), line))
    return found, shorten_report(skipped, relative)


def row_as_record(header: Sequence[str], cells: Sequence[str], several: Sequence[str]) -> dict[str, Any]:
    """Return the cells of a row by their column; those of columns that there are ``several`` of as a list."""
    padded = [*cells, *[""] * (len(header) - len(cells))]
    record: dict[str, Any] = {n: c for n, c in zip(header, padded, strict=False) if n}
    for name in several:
        record[name] = [c for n, c in zip(header, padded, strict=False) if n == name and c.strip()]
    return record


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
        raise UnreadableFileError(f"is no valid CSV ({error}); export it again.") from error


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
