"""How conversations ended, reported back one by one or by a file."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime

from autokb.core.errors import BadInputError
from autokb.core.in_use import ConversationOutcome, moment
from autokb.core.nouns import Skipped
from autokb.core.results import Result
from autokb.usage.feedback import cleaned_name

MOST_SECONDS = 10 * 365 * 86_400.0  # ten years: more is a slip


@dataclass(frozen=True, slots=True)
class ReportedOutcome(Result):
    """What is known of how a conversation ended; ``changed`` is 0 where that was known before."""

    conversation: str
    resolved: bool | None
    returned: bool | None
    seconds: float | None
    date: str
    changed: int


@dataclass(frozen=True, slots=True)
class ImportedOutcomes(Result):
    """How many conversations of a file brought news, how many were known so, and what could not be read."""

    taken: int
    unchanged: int
    skipped: tuple[Skipped, ...]


def checked_outcome(given: ConversationOutcome) -> ConversationOutcome:
    """Return an outcome as it is kept (BadInputError)."""
    conversation = cleaned_name(given.conversation, "conversation")
    if not conversation:
        raise BadInputError("An outcome needs its conversation; give the id that suggest and feedback were given.")
    if given.resolved is None and given.returned is None and given.seconds is None:
        raise BadInputError("An outcome says whether it was resolved or returned, or how many seconds it took.")
    if given.seconds is not None and not 0 <= given.seconds <= MOST_SECONDS:  # NaN is neither
        raise BadInputError(f"The seconds of a conversation are a number from 0 to {MOST_SECONDS:.0f}.")
    seconds = None if given.seconds is None else float(given.seconds)
    assert seconds is None or math.isfinite(seconds)
    return replace(given, conversation=conversation, seconds=seconds, date=_checked_date(given.date))


def _checked_date(date: str) -> str:
    if not date:
        return moment()
    try:
        datetime.fromisoformat(date)
    except ValueError:
        raise BadInputError("The date of an outcome is a day or a moment in ISO 8601, such as 2026-03-01.") from None
    return date
