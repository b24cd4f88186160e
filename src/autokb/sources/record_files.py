"""A file of records: JSON Lines, JSON, CSV or TSV, whichever it is."""

from __future__ import annotations

from typing import Literal

from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Skipped
from autokb.sources.decoding import decode, read_bytes
from autokb.sources.delimited import find_header, read_delimited
from autokb.sources.files import FoundFile
from autokb.sources.formats import Format, format_of
from autokb.sources.outside_readers import before_records, has_outside_records, left_out
from autokb.sources.records import PlacedRecord, read_json, read_json_lines, refuse_too_many
from autokb.sources.subprocess_converter import records_in_subprocess

Records = Literal["documents", "issues", "tickets", "chats"]  # what the records of a file are to be
RECORD_FORMATS: frozenset[Format] = frozenset({"jsonl", "json", "csv", "tsv"})


def record_format(relative: str, data: bytes) -> Format | None:
    """Return the format of a file, CSV for a text that is a table, as Excel's "Unicode text" is."""
    kind = format_of(relative, data)
    return "csv" if kind == "text" and find_header(decode(data)) else kind


def read_records(
    data: bytes, relative: str, kind: Format, part: str = "", *, repeated: bool = False
) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records of a file of one of the ``RECORD_FORMATS``.

    A JSON object with an array named ``part`` is one record; columns may be ``repeated`` on purpose.
    """
    if kind == "jsonl":
        return read_json_lines(data, relative)
    if kind == "json":
        return read_json(data, relative, part)
    return read_delimited(decode(data), relative, "\t" if kind == "tsv" else None, repeated=repeated)


def read_record_file(
    file: FoundFile, otherwise: str, part: str = "", *, wanted: Records | None = None, repeated: bool = False
) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Read a file of records; UnreadableFileError says what is ``otherwise`` to be done with it.

    A plug-in may read other formats as what is ``wanted``.
    """
    data = read_bytes(file)
    kind = record_format(file.relative, data)
    if kind not in RECORD_FORMATS:
        if wanted and has_outside_records(file.relative):
            return outside_records(file.relative, data, wanted)
        raise UnreadableFileError(otherwise)
    return read_records(data, file.relative, kind, part, repeated=repeated)


def outside_records(relative: str, data: bytes, wanted: Records) -> tuple[list[PlacedRecord], list[Skipped]]:
    """Return the records that a plug-in reads of a file, and what it leaves out."""
    found = records_in_subprocess(before_records(relative, wanted) + data)
    refuse_too_many(len(found.records))
    if not found.records and not found.left_out:
        raise UnreadableFileError(f"holds no {wanted}; leave it out or fill it.")
    return [PlacedRecord(record, line) for line, record in found.records], left_out(relative, found.left_out)
