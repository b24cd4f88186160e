"""How long it has lasted (``for ten days``, ``since last night``), for an attribute whose values are such lengths."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.domain import Attribute
from autokb.tasks.issues.extract_attributes.numbers import Number, amount_at
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

# Lengths by the days they begin at: hours are immediate, three days recent, two weeks ongoing, three months prolonged.
LENGTHS: dict[str, float] = {
    "immediate": 0,
    "acute": 0,
    "sudden": 0,
    "recent": 0.5,
    "new": 0.5,
    "ongoing": 3.5,
    "subacute": 3.5,
    "persistent": 14.5,
    "prolonged": 14.5,
    "chronic": 92,
    "long-term": 92,
    "long term": 92,
}
_DAYS = {
    "minute": 1 / 1440,
    "hour": 1 / 24,
    "day": 1.0,
    "night": 1.0,
    "week": 7.0,
    "fortnight": 14.0,
    "month": 30.5,
    "year": 365.0,
}
_UNITS = _DAYS | {unit + "s": days for unit, days in _DAYS.items()}
# A bare plural (for weeks, in months) is more than a few of them.
_BARE = {"minutes": 0.01, "hours": 0.2, "days": 4.0, "weeks": 21.0, "months": 120.0, "years": 1000.0}
_BEFORE = word_set("for since past last over about almost nearly on these in past around started began")
_AFTER = word_set("ago now already straight running counting")
_WHEN = {
    ("just", "now"): 0.0,
    ("suddenly",): 0.0,
    ("all", "day"): 1.0,
    ("all", "night"): 1.0,
    ("last", "night"): 1.0,
    ("this", "morning"): 1.0,
    ("this", "afternoon"): 1.0,
    ("this", "evening"): 1.0,
    ("today",): 1.0,
    ("since", "yesterday"): 1.0,
    ("yesterday",): 1.0,
    ("last", "week"): 7.0,
    ("last", "month"): 30.0,
    ("last", "year"): 365.0,
    ("every", "year"): 1000.0,
    ("every", "winter"): 1000.0,
    ("every", "spring"): 1000.0,
    ("every", "summer"): 1000.0,
    ("every", "autumn"): 1000.0,
    ("every", "fall"): 1000.0,
    ("all", "my", "life"): 1000.0,
    ("since", "childhood"): 1000.0,
}


def lengths(attribute: Attribute) -> list[tuple[float, str]]:
    """Return the values of an attribute that are lengths of time, by the days they begin at, or nothing."""
    found = sorted((LENGTHS[value.casefold()], value) for value in attribute.values if value.casefold() in LENGTHS)
    return found if len(found) >= 3 else []


def duration_mentions(words: Words, spec: Spec) -> Iterator[Mention]:
    """Give the times said as mentions of the length they belong to."""
    for name in sorted(spec):
        groups = lengths(spec[name])
        for start, end, days in _durations(words) if groups else ():
            begun = [value for begin, value in groups if begin <= days] or [groups[0][1]]
            yield Mention(start, end, name, begun[-1])


def _durations(words: Words) -> Iterator[tuple[int, int, float]]:
    said, after = words.folded, 0
    for here in range(len(said)):
        if here < after:
            continue
        found = _phrase(said, here) or _counted(words, here) or _bare(said, here)
        if found:
            after = found[0]
            yield here, *found


def _phrase(said: tuple[str, ...], here: int) -> tuple[int, float] | None:
    for size in (3, 2, 1):
        if (days := _WHEN.get(said[here : here + size])) is not None:
            return here + size, days
    return None


def _counted(words: Words, here: int) -> tuple[int, float] | None:
    number = amount_at(words.folded, here)
    if number is None:
        return None
    said, unit = words.folded, number.unit
    end = number.end if unit else number.end + 1
    unit = unit or (said[number.end] if number.end < len(said) else "")
    if unit not in _UNITS or said[end : end + 1] == ("old",):
        return None
    return (end, number.value * _UNITS[unit]) if _is_span(words, number, end) else None


def _is_span(words: Words, number: Number, end: int) -> bool:
    """Whether ``three weeks`` is how long it has lasted: for, past, last before it, ago, now after it."""
    before = words.folded[max(0, number.start - 2) : number.start]
    after = words.folded[end : end + 2]
    return bool(
        set(before[-1:]) & _BEFORE
        or before == ("the", "last")
        or set(after[:1]) & _AFTER
        or after == ("and", "counting")
    )


def _bare(said: tuple[str, ...], here: int) -> tuple[int, float] | None:
    if said[here] not in _BARE or not here:
        return None
    if said[here - 1] in ("for", "in", "since") or said[here + 1 : here + 2] in (("ago",), ("now",)):
        return here + 1, _BARE[said[here]]
    return None
