"""Attribute values by lexicon and a little grammar: what is stated, what works is set aside, what follows is added."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from autokb.core.attributes import ANY, Values, as_lists
from autokb.core.domain import ENGLISH
from autokb.core.implications import implied_values, with_implied_values
from autokb.heuristics.attributes.ages import age_mentions
from autokb.heuristics.attributes.contrast import affected_mentions
from autokb.heuristics.attributes.durations import duration_mentions, without_history
from autokb.heuristics.attributes.open_values import open_mentions
from autokb.heuristics.attributes.people import pronoun_mentions
from autokb.heuristics.attributes.scope import whole_or_none
from autokb.text.lexicon import Mention, Spec, collect_values, lexicon
from autokb.text.words import Words, split_words


def extract_attributes(text: str, kind: str, spec: Spec, language: str = ENGLISH) -> dict[str, list[str]]:
    """Return what the first 100,000 characters of a text state, as name to sorted values; the rest is unknown.

    A solution (``kind``) that holds for every value of an attribute says nothing of it.
    """
    stated = stated_attributes(text, spec, language)
    if kind == "solution":
        stated = {name: values for name, values in stated.items() if values != ANY}
    return as_lists(with_implied_values(stated, spec))


def stated_attributes(text: str, spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return the values that a text itself states, without those that follow from them."""
    words = split_words(text)
    mentions = _all_mentions(words, spec, language)
    affected = affected_mentions(words, mentions, spec, language)
    pairs = {(m.attribute, m.value) for m in affected}
    stated = collect_values(pairs | set(_implied_instead(pairs, spec)), spec)
    for name, values in whole_or_none(words, mentions, spec, language).items():
        stated.setdefault(name, values)
    return stated


def _implied_instead(pairs: Collection[tuple[str, str]], spec: Spec) -> Iterator[tuple[str, str]]:
    """Give what stated values imply where none of it is stated but others are: a Windows tablet is a laptop, too."""
    stated = {name: frozenset(v for n, v in pairs if n == name) for name, _ in pairs}
    for name, values in sorted(stated.items()):
        for other, implied in implied_values({name: values}, spec).items():
            if other in stated and not stated[other] & implied:
                yield from ((other, value) for value in sorted(implied))


def _all_mentions(words: Words, spec: Spec, language: str) -> list[Mention]:
    """Return every mention there is: the configured words first, then what can be worked out beside them."""
    found = lexicon(spec, language).mentions(words)
    found = _with_ages(words, found, list(age_mentions(words, spec, language)))
    found += _unless_listed(found, list(duration_mentions(words, spec, language)))
    found += list(open_mentions(words, found, spec, language))
    found = without_history(words, found, spec, language)
    return sorted({*found, *pronoun_mentions(words, found, spec, language)})


def _unless_listed(listed: Sequence[Mention], more: Sequence[Mention]) -> list[Mention]:
    """Return further mentions but for the words that are listed: what a person configured beats what is worked out."""
    taken = {(m.attribute, here) for m in listed for here in range(m.start, m.end)}
    return [m for m in more if not any((m.attribute, here) in taken for here in range(m.start, m.end))]


def _with_ages(words: Words, listed: Sequence[Mention], ages: Sequence[Mention]) -> list[Mention]:
    """Add ages in numbers, each of which settles its sentence: the words beside it (the man, 72) say no other age."""
    sentence = list(accumulate(words.breaks(here) for here in range(len(words.folded))))
    settled_in = {(age.attribute, sentence[age.start]) for age in ages}
    starts = {(age.attribute, age.start) for age in ages}
    remaining = [
        m
        for m in listed
        if (m.attribute, sentence[m.start]) not in settled_in
        or any((m.attribute, here) in starts for here in range(m.start, m.end))
    ]
    return remaining + _unless_listed(remaining, ages)
