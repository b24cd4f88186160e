"""How long it has lasted (``for ten days``, ``since last night``), for an attribute whose values are such lengths."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.heuristics.attributes.numbers import Number, amount_at, configured_groups, group_at
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

# Lengths by the days they begin at: hours are immediate, three days recent, two weeks ongoing, three months prolonged.
GROUPS: dict[str, float] = {
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
FEWEST_GROUPS = 3  # values that make an attribute one of lengths of time: two of these words name other things too
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
_DAYS_IN = _DAYS | {unit + "s": days for unit, days in _DAYS.items()}
# Days of a bare plural: "for weeks" is more than a few of them.
_BARE_PLURALS = {"minutes": 0.01, "hours": 0.2, "days": 4.0, "weeks": 21.0, "months": 120.0, "years": 1000.0}
_BEFORE_SPAN = word_set("for since past last over about almost nearly on these in past around started began")
_AFTER_SPAN = word_set("ago now already straight running counting")
_PHRASES = {  # words that say how long ago it began, in days
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
_Duration = tuple[int, float]  # the place behind its words, and its days


def duration_mentions(words: Words, spec: Spec) -> Iterator[Mention]:
    """Give the durations stated in numbers as mentions of the length they belong to."""
    for name in sorted(spec):
        groups = configured_groups(spec[name], GROUPS, FEWEST_GROUPS)
        for start, end, days in _durations(words) if groups else ():
            yield Mention(start, end, name, group_at(groups, days))


def _durations(words: Words) -> Iterator[tuple[int, int, float]]:
    """Yield where each duration starts and ends, and its days."""
    folded, after = words.folded, 0
    for here in range(len(folded)):
        if here < after:
            continue
        if found := _phrase(folded, here) or _counted(words, here) or _bare_plural(folded, here):
            after = found[0]
            yield here, *found


def _phrase(folded: tuple[str, ...], here: int) -> _Duration | None:
    """``last night``, ``all my life``."""
    for size in (3, 2, 1):
        if (days := _PHRASES.get(folded[here : here + size])) is not None:
            return here + size, days
    return None


def _counted(words: Words, here: int) -> _Duration | None:
    """``for three weeks``, ``5d ago``; an age is none."""
    number = amount_at(words.folded, here)
    if number is None:
        return None
    end = number.end if number.unit else number.end + 1
    unit = number.unit or "".join(words.folded[number.end : end])
    if unit not in _DAYS_IN or words.folded[end : end + 1] == ("old",):
        return None
    return (end, number.value * _DAYS_IN[unit]) if _is_span(words, number, end) else None


def _is_span(words: Words, number: Number, end: int) -> bool:
    """Return whether ``three weeks`` is how long it has lasted: for, past, last before it, ago, now after it."""
    before = words.folded[max(0, number.start - 2) : number.start]
    after = words.folded[end : end + 2]
    return bool(
        set(before[-1:]) & _BEFORE_SPAN
        or before == ("the", "last")
        or set(after[:1]) & _AFTER_SPAN
        or after == ("and", "counting")
    )


def _bare_plural(folded: tuple[str, ...], here: int) -> _Duration | None:
    """``for weeks``, ``months ago``."""
    if folded[here] not in _BARE_PLURALS or not here:
        return None
    if folded[here - 1] in ("for", "in", "since") or folded[here + 1 : here + 2] in (("ago",), ("now",)):
        return here + 1, _BARE_PLURALS[folded[here]]
    return None
