"""CSV and TSV: the delimiter is told from the header, quoted line breaks stay, a torn file is not half-read."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources.decoding import MAX_FILE_BYTES
from autokb.sources.records import Placed, shortened

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_ROWS = 20


def read_delimited(text: str, relative: str, delimiter: str | None = None) -> tuple[list[Placed], list[Skipped]]:
    """Return the rows under the header; a row with too many cells is skipped with its line."""
    csv.field_size_limit(MAX_FILE_BYTES)
    text = text.removeprefix("\ufeff").replace("\0", "")
    # Excel's own way to name the delimiter.
    if text[:4].lower() == "sep=" and "\n" in text:
        first, _, text = text.partition("\n")
        delimiter = first[4:5] or None
    rows = _rows(text, delimiter or _sniffed(text))
    header = [name.strip() for name in next((cells for _, cells in rows if any(c.strip() for c in cells)), [])]
    found: list[Placed] = []
    bad: list[Skipped] = []
    for line, cells in rows:
        if not any(c.strip() for c in cells):
            continue
        if any(c.strip() for c in cells[len(header) :]):
            reason = f"has {len(cells)} cells where the header has {len(header)}; put texts with a delimiter in quotes."
            bad.append(Skipped(f"{relative}:{line}", reason))
            continue
        padded = [*cells, *[""] * (len(header) - len(cells))]
        found.append(Placed({n: c for n, c in zip(header, padded, strict=False) if n}, line))
    return found, shortened(bad, relative)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    try:
        return iter(list(_read(text, delimiter, strict=True)))
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            raise UnreadableFileError("has a quoted cell that is never closed; add the missing quote.") from error
    return _lenient(text, delimiter)


def _lenient(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Read rows such as ``a,"b"c`` too, which strict readers refuse."""
    try:
        yield from _read(text, delimiter, strict=False)
    except csv.Error as error:
        raise UnreadableFileError(f"is no valid CSV ({error}); export it again.") from error


def _read(text: str, delimiter: str, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    start = 1
    for cells in reader:
        yield start, cells
        start = reader.line_num + 1


def _sniffed(text: str) -> str:
    """Return the delimiter that the header has and that gives most rows as many cells as the header."""
    best = (0, 0, ",")
    sample = text[:200_000]
    for rank, delimiter in enumerate(_DELIMITERS):
        rows = []
        try:
            for _, cells in _read(sample, delimiter, strict=False):
                rows.append(len(cells))
                if len(rows) > _SAMPLE_ROWS:
                    break
        except csv.Error:
            pass
        if rows and rows[0] > 1:
            agreeing = sum(n == rows[0] for n in rows) * 100 // len(rows)
            best = max(best, (agreeing, rows[0] * 10 - rank, delimiter))
    return best[2]
