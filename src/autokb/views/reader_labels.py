"""What an answer says of itself, as people read it who were told of no attribute, gate or probability."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from autokb.core.attributes import plain_name
from autokb.core.reply_rules import OFF_TOPIC

OFF_TOPIC_BEFORE = "Nothing that is known is near the question; it looks off topic."  # in logs of earlier versions
SURE = 0.5  # probability from which an answer is called one
Labels = Mapping[str, Mapping[str, str]]  # what customers call values, by attribute and value
NO_LABELS: Labels = MappingProxyType({})
LEAST_SAID = 0.15  # probability below which no share of ten is said: hardly one such answer in ten is right


def attribute_label(attribute: str) -> str:
    """Say an attribute's name as a label has it: ``os`` is the Operating system."""
    plain = plain_name(attribute)
    return plain[:1].upper() + plain[1:]


def is_of_another_topic(reason: str) -> bool:
    """Return whether nothing here is near the question; one that is near and left open may well be a gap."""
    return reason in (OFF_TOPIC, OFF_TOPIC_BEFORE)


def plain_reason(reason: str) -> str:
    """Return why there is no answer, as this version says it."""
    return OFF_TOPIC if is_of_another_topic(reason) else reason


def how_sure(confidence: float, chosen_by: str = "") -> str:
    """Say how probable it is that the first thing shown is right, as a share of ten like cases; or who chose it.

    What a model chose is right more often than the probability says, and nobody knows how often.
    """
    if chosen_by:
        return f"chosen by {chosen_by}"
    if confidence < LEAST_SAID:
        return "nothing sure"
    tenths = round(confidence * 10)
    return f"right in about {tenths} of 10" if tenths < 10 else "right in more than 9 of 10"


def outcome_label(outcome: str, confidence: float, chosen_by: str = "") -> str:
    """Say an outcome; what is answered, by no model, and more probably wrong than right, only may help."""
    return "may help" if outcome == "answered" and confidence < SURE and not chosen_by else outcome


def for_whom(attributes: Mapping[str, Iterable[str]], labels: Labels = NO_LABELS) -> str:
    """Say for whom something holds, such as "for Android"; nothing where it is for everybody.

    Two attributes may have the same value, as an app and a system; it is said once. ``labels`` say values as customers
    do.
    """
    fixed = ((name, sorted(values)) for name, values in sorted(attributes.items()))
    who = [" or ".join(_spoken(name, value, labels) for value in values) for name, values in fixed if values != ["Any"]]
    return f"for {', '.join(dict.fromkeys(who))}" if who else ""


def _spoken(name: str, value: str, labels: Labels) -> str:
    return f"no {plain_name(name)}" if value == "NONE" else labels.get(name, {}).get(value, value)
