"""How conversations ended, from the file that a contact centre exports: a record a conversation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError, UnreadableFileError
from autokb.core.in_use import ConversationOutcome
from autokb.core.nouns import Skipped
from autokb.sources import fields as f
from autokb.sources.dates import iso_date
from autokb.sources.fields import Record
from autokb.sources.files import find_files
from autokb.sources.named_fields import NamedFields
from autokb.sources.record_files import read_record_file
from autokb.sources.records import shorten_report

CONVERSATION = ("conversation", "conversation_id", "chat", "chat_id", "thread_id", "session_id", "id")
RESOLVED = ("resolved", "is_resolved", "solved")
RETURNED = ("returned", "is_returned", "reopened")
SECONDS = ("seconds", "handling_seconds", "duration_seconds", "handle_time")
_NO_OUTCOMES = "has a file type that outcomes can't be read from; export them as CSV, JSON or JSONL."
# How programs write truth values into a column.
TRUE, FALSE = frozenset({"true", "1", "yes", "y", "t"}), frozenset({"false", "0", "no", "n", "f"})


@dataclass(frozen=True, slots=True)
class OutcomeFields:
    """Which fields of a record hold what; None takes the usual names."""

    conversation: str | None = None
    resolved: str | None = None
    returned: str | None = None
    seconds: str | None = None
    date: str | None = None


def read_outcomes(
    path: Path, fields: OutcomeFields | None = None
) -> tuple[list[ConversationOutcome], tuple[Skipped, ...]]:
    """Return the outcomes of a file and what could not be read, each with its line.

    Raises BadInputError where the file is none of records, or a named field is in no record of it.
    """
    fields = fields or OutcomeFields()
    (file,), _ = find_files([path], ()) if path.is_file() else ((None,), ())
    if file is None:
        raise BadInputError(f"There is no file {path}; give outcomes as CSV, JSON or JSONL.")
    try:
        records, bad = read_record_file(file, _NO_OUTCOMES)
    except UnreadableFileError as error:
        raise BadInputError(f"{path} {error}") from error
    named = NamedFields(fields, "conversation", "resolved", "returned", "seconds", "date")
    named.look_in(records, file.relative)
    if misspelt := named.missing_field():
        raise BadInputError(misspelt)
    found = []
    for placed in records:
        try:
            found.append(_outcome(placed.record, fields))
        except UnreadableFileError as error:
            bad.append(Skipped(f"{file.relative}:{placed.line}", str(error)))
    return found, tuple(shorten_report(bad, file.relative, none_read=not found))


def _outcome(record: Record, fields: OutcomeFields) -> ConversationOutcome:
    conversation = f.as_text(f.raw_value(record, fields.conversation, CONVERSATION)).strip()
    if not conversation:
        raise UnreadableFileError("does not name its conversation; give it the id of one.")
    return ConversationOutcome(
        conversation,
        _truth(record, fields.resolved, RESOLVED),
        _truth(record, fields.returned, RETURNED),
        _seconds(f.raw_value(record, fields.seconds, SECONDS)),
        iso_date(f.raw_value(record, fields.date, f.DATE_NAMES)),
    )


def _truth(record: Record, named: str | None, usual: Sequence[str]) -> bool | None:
    value = f.raw_value(record, named, usual)
    text = _plain(value).casefold()
    if not text:
        return None
    if text in TRUE or text in FALSE:
        return text in TRUE
    raise UnreadableFileError(f"says {(named or usual[0])[:40]!r} in a word that is neither true nor false.")


def _seconds(value: Any) -> float | None:
    text = _plain(value)
    if not text:
        return None
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise UnreadableFileError("gives a time that is no number of seconds.")
    return seconds


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if isinstance(value, Mapping) else f.as_text(value).strip()
