"""Names of attributes and reasons of abstaining answers, as people read them who were told of neither."""

from __future__ import annotations

from autokb.answering.ask import FOREIGN_SUBJECT, OFF_TOPIC, UNKNOWN_WORDS
from autokb.answering.clarify import plain_name

_BEFORE_SUBJECT, _, _BEHIND_SUBJECT = FOREIGN_SUBJECT.partition("{subject}")


def attribute_label(attribute: str) -> str:
    """Say an attribute's name as a label has it: ``os`` is the Operating system."""
    plain = plain_name(attribute)
    return plain[:1].upper() + plain[1:]


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
