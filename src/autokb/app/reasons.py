"""What the reason of an answer that abstains means to people who were not told of a gate."""

from __future__ import annotations

from autokb.answering.ask import FOREIGN_SUBJECT, OFF_TOPIC, UNKNOWN_WORDS

_BEFORE_SUBJECT, _, _BEHIND_SUBJECT = FOREIGN_SUBJECT.partition("{subject}")


def is_of_another_topic(reason: str) -> bool:
    """Return whether nothing here is near the question, or it names a subject that no document does.

    Unknown words alone are no sign of it: the question is near what is known, and may well be a gap.
    """
    return reason == OFF_TOPIC or (reason.startswith(_BEFORE_SUBJECT) and reason.endswith(_BEHIND_SUBJECT))


def plain_reason(reason: str) -> str:
    """Say what is known of why there is no answer, without what a gate makes of the question; it may be nothing."""
    if reason == OFF_TOPIC:
        return ""
    if is_of_another_topic(reason) or reason == UNKNOWN_WORDS:
        return f"{reason.partition('; ')[0]}."
    return reason
