"""Names of attributes and reasons of abstaining answers, as people read them who were told of neither."""

from __future__ import annotations

from autokb.answering.ask import OFF_TOPIC
from autokb.answering.clarify import plain_name


def attribute_label(attribute: str) -> str:
    """Say an attribute's name as a label has it: ``os`` is the Operating system."""
    plain = plain_name(attribute)
    return plain[:1].upper() + plain[1:]


def is_of_another_topic(reason: str) -> bool:
    """Return whether nothing here is near the question; one that is near and left open may well be a gap."""
    return reason == OFF_TOPIC


def plain_reason(reason: str) -> str:
    """Say what is known of why there is no answer, without what a gate makes of the question; it may be nothing."""
    return "" if reason == OFF_TOPIC else reason
