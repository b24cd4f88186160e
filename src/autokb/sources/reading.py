"""What reading sources gives: the records, the files that exist, and what was skipped with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from autokb.core.marks import Mark
from autokb.core.nouns import Skipped

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Fields:
    """Where a record keeps what we need; each may be a path into nested records such as ``gold_kb[].slug``."""

    text: str | None = None
    title: str | None = None
    id: str | None = None
    date: str | None = None
    resolved_by: str | None = None


@dataclass(frozen=True, slots=True)
class SourceRecord(Generic[T]):
    """One document or issue and its place: ``root`` is the folder added, ``relative`` the path inside it.

    ``marks`` are what a web page says of spans of its document's text, which is the whole page.
    """

    item: T
    root: str
    relative: str
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading(Generic[T]):
    """Everything one reading found; ``present`` names every file that exists, the skipped ones too.

    ``unresolved`` are templates and icons of a wiki that were left out, with how often, the most frequent first.
    """

    records: tuple[SourceRecord[T], ...]
    skipped: tuple[Skipped, ...]
    present: tuple[tuple[str, str], ...]
    unresolved: tuple[tuple[str, int], ...] = ()
