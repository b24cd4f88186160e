"""How long it has lasted (``for ten days``, ``since last night``), for an attribute whose values are such lengths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from autokb.core.attributes import Values
from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.numbers import Number, amount_at, configured_groups, group_at
from autokb.heuristics.attributes.open_values import head_word
from autokb.heuristics.attributes.words import AttributeWords, in_words
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.words import Words

FEWEST_GROUPS = 3  # values that make an attribute one of lengths of time: two of these words name other things too
ROUGHLY = 2.0  # half a year is no other matter than "for weeks" (Prolonged ends at three months), a year is
_Duration = tuple[int, float]  # the place behind its words, and its days


def lengths_beside(words: Words, attribute: Attribute, values: Values, language: str) -> Values:
    """Return the lengths of time that who states these may as well mean.

    Beside a number they are those up to ``ROUGHLY`` times as long or short, beside a word (for ages) the next ones.
    """
    known = word_lists(AttributeWords, language)
    groups = _lengths_of(attribute, known)
    found = _durations(words, language, known) if groups else ()
    counted = [days for start, _, days in found if amount_at(words.folded, start, language)]
    worded = values - {group_at(groups, days) for days in counted}
    pairs = list(pairwise(value for _, value in groups))
    beside = {other for a, b in pairs for value, other in ((a, b), (b, a)) if value in worded}
    return frozenset(beside.union(group_at(groups, days * n) for days in counted for n in (1 / ROUGHLY, ROUGHLY)))


def duration_mentions(words: Words, spec: Spec, language: str = ENGLISH) -> Iterator[Mention]:
    """Give the durations stated in numbers as mentions of the length they belong to."""
    known = word_lists(AttributeWords, language)
    for name in sorted(spec):
        groups = _lengths_of(spec[name], known)
        for start, end, days in _durations(words, language, known) if groups else ():
            yield Mention(start, end, name, group_at(groups, days))


def without_history(words: Words, mentions: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> list[Mention]:
    """Leave out how long ago an illness or operation was, where the text says how long something else has lasted."""
    known = word_lists(AttributeWords, language)
    clause = list(accumulate(_begins_statement(words, here, known) for here in range(len(words.folded))))
    past = {clause[here] for here in _places_of_history(words, mentions, spec, known)}
    of_now = [m for m in mentions if clause[m.start] not in past]
    current = {m.attribute for m in of_now if _lengths_of(spec[m.attribute], known)}
    return [m for m in mentions if m.attribute not in current or m in of_now]


def _places_of_history(words: Words, mentions: Sequence[Mention], spec: Spec, known: AttributeWords) -> Iterator[int]:
    """Give the words that tell of an illness or of something that happened, such as an operation."""
    yield from (m.start for m in mentions if head_word(spec[m.attribute]) in known.health_attributes)
    yield from (here for here, word in enumerate(words.folded) if word in known.past_event_words)


def _lengths_of(attribute: Attribute, known: AttributeWords) -> Sequence[tuple[float, str]]:
    """Return the lengths of time that are the values of an attribute; nothing for an attribute of other things."""
    return configured_groups(attribute, known.duration_groups, FEWEST_GROUPS)


def _begins_statement(words: Words, here: int, known: AttributeWords) -> bool:
    joins = known.contrast_words | known.coordinating_words
    return words.breaks(here) or "," in words.gaps[here] or words.folded[here] in joins


def _durations(words: Words, language: str, known: AttributeWords) -> Iterator[tuple[int, int, float]]:
    """Yield where each duration starts and ends, and its days."""
    folded, after = words.folded, 0
    for here in range(len(folded)):
        if here < after:
            continue
        counted = amount_at(folded, here, language)
        if (
            found := _phrase(folded, here, known)
            or _counted(words, counted, known)
            or _bare_plural(folded, here, known)
        ):
            after = found[0]
            yield here, *found


def _phrase(folded: tuple[str, ...], here: int, known: AttributeWords) -> _Duration | None:
    """``last night``, ``all my life``."""
    for size in (3, 2, 1):
        if (days := known.days_since.get(folded[here : here + size])) is not None:
            return here + size, days
    return None


def _counted(words: Words, number: Number | None, known: AttributeWords) -> _Duration | None:
    """``for three weeks``, ``5d ago``; an age is none."""
    if number is None:
        return None
    end = number.end if number.unit else number.end + 1
    unit = number.unit or "".join(words.folded[number.end : end])
    if unit not in known.days_of_unit or known.words_after_age_unit & set(words.folded[end : end + 1]):
        return None
    return (end, number.value * known.days_of_unit[unit]) if _is_span(words, number, end, known) else None


def _is_span(words: Words, number: Number, end: int, known: AttributeWords) -> bool:
    """Return whether ``three weeks`` is how long it has lasted: for, past, last before it, ago, now after it."""
    before = words.folded[max(0, number.start - 2) : number.start]
    after = words.folded[end : end + 2]
    return bool(
        set(before[-1:]) & known.words_before_span
        or before in in_words(known.span_openings)
        or set(after[:1]) & known.words_after_span
        or after in in_words(known.span_endings)
    )


def _bare_plural(folded: tuple[str, ...], here: int, known: AttributeWords) -> _Duration | None:
    """``for weeks``, ``months ago``."""
    if folded[here] not in known.bare_plurals or not here:
        return None
    after = set(folded[here + 1 : here + 2])
    if folded[here - 1] in known.words_before_bare_plural or after & known.words_after_bare_plural:
        return here + 1, known.bare_plurals[folded[here]]
    return None
