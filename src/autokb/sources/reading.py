"""What reading sources gives: the records, the files that exist, and what was skipped with its reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from autokb.core.marks import Mark
from autokb.core.nouns import Skipped
from autokb.sources.fields import Record, found_value
from autokb.sources.files import FoundFile

T = TypeVar("T")
RECORDS_A_STEP = 1_000  # between two words of progress inside one file: about a second of issues


@dataclass(frozen=True, slots=True)
class Fields:
    """Where a record keeps what we need; each may be a path into nested records such as ``gold_kb[].slug``."""

    text: str | None = None
    title: str | None = None
    id: str | None = None
    date: str | None = None
    resolved_by: str | None = None
    agents: str | None = None  # names of authors of messages, with commas between; all other authors are customers


@dataclass(frozen=True, slots=True)
class SourceRecord(Generic[T]):
    """One document or issue and its place: ``root`` is the folder added, ``relative`` the path inside it.

    ``marks`` are what a web page says of spans of its document's text, which is the whole page; ``left_out`` says what
    of a page that was fetched is not in it.
    """

    item: T
    root: str
    relative: str
    marks: tuple[Mark, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """Everything one reading found; ``present`` names every file that exists, the skipped ones too.

    ``unresolved`` are templates and icons of a wiki that were left out, with how often, the most frequent first.
    ``misspelt`` is a sentence about a named field that no record has. ``columns`` are the fields that hold the parts of
    a record (``text``, ``id`` ...), as they were found. ``notes`` are sentences about what was taken only in part.
    ``unused`` are the fields of issues that nothing was read from.
    """

    records: tuple[SourceRecord[T], ...]
    skipped: tuple[Skipped, ...]
    present: tuple[tuple[str, str], ...]
    unresolved: tuple[tuple[str, int], ...] = ()
    misspelt: str = ""
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    unused: tuple[str, ...] = ()


def read_parts(
    record: Record, fields: Fields, usual: Mapping[str, Sequence[str]], columns: dict[str, tuple[str, ...]]
) -> dict[str, Any]:
    """Return the values of a record's parts, and note in ``columns`` which fields hold them.

    ``usual`` has the names by which a part is found where ``fields`` name none.
    """
    found = {}
    for part, names in usual.items():
        name, found[part] = found_value(record, getattr(fields, part), names)
        known = columns.setdefault(part, ())
        if name and name not in known:
            columns[part] = (*known, name)
    return found


def with_progress(records: Sequence[T], tell: Callable[..., None] | None) -> Iterator[T]:
    """Yield the records of a file, and tell now and then how many were read."""
    for count, record in enumerate(records):
        if tell and count and count % RECORDS_A_STEP == 0:
            tell(count, len(records))
        yield record


def each_file(
    files: Sequence[FoundFile], progress: Callable[[str], None] | None
) -> Iterator[tuple[FoundFile, Callable[..., None] | None]]:
    """Give files as their turn comes, which is told, with what tells how many of a file's records were read."""
    for position, file in enumerate(files, 1):
        tell = progress and partial(_tell_place, progress, position, len(files), file.relative)
        if tell:
            tell()
        yield file, tell


def _tell_place(
    progress: Callable[[str], None], position: int, files: int, relative: str, record: int = 0, records: int = 0
) -> None:
    """Tell how far a reading is: which file of how many, and in a long one which record of how many."""
    inside = f", record {record:,} of {records:,}" if record else ""
    progress(f"{position:,} of {files:,}, {relative}{inside}")
