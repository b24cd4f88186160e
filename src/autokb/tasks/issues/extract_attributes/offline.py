"""Attribute values by lexicon and a little grammar: what is said, what works is set aside, what follows is added."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from autokb.core.attributes import ANY
from autokb.core.attributes import as_lists as lists
from autokb.tasks.issues.extract_attributes.ages import age_mentions
from autokb.tasks.issues.extract_attributes.contrast import concerned
from autokb.tasks.issues.extract_attributes.durations import duration_mentions
from autokb.tasks.issues.extract_attributes.open_values import open_mentions
from autokb.tasks.issues.extract_attributes.people import pronoun_mentions
from autokb.tasks.issues.extract_attributes.scope import whole_or_none
from autokb.text.lexicon import Mention, Spec, Words, gathered, lexicon, settled, split_words


def answer(text: str, kind: str, spec: Spec) -> dict[str, list[str]]:
    """Return what the first 100,000 characters of a text say, as name to sorted values; the rest is unknown."""
    words = split_words(text)
    mentions = _mentions(words, spec)
    said = gathered(((m.attribute, m.value) for m in concerned(words, mentions, spec)), spec)
    for name, values in whole_or_none(words, mentions, spec).items():
        said.setdefault(name, values)
    if kind == "solution":
        said = {name: values for name, values in said.items() if values != ANY}
    return lists(settled(said, spec))


def _mentions(words: Words, spec: Spec) -> list[Mention]:
    """Every mention there is: the configured words first, then what can be worked out beside them."""
    listed = lexicon(spec).mentions(words)
    listed = _by_number(words, listed, list(age_mentions(words, spec)))
    listed += _unless_listed(listed, list(duration_mentions(words, spec)))
    listed += open_mentions(words, listed, spec)
    return sorted({*listed, *pronoun_mentions(words, listed, spec)})


def _unless_listed(listed: Sequence[Mention], more: Sequence[Mention]) -> list[Mention]:
    """What a person listed beats what is worked out for the same words."""
    taken = {(m.attribute, here) for m in listed for here in range(m.start, m.end)}
    return [m for m in more if not any((m.attribute, here) in taken for here in range(m.start, m.end))]


def _by_number(words: Words, listed: list[Mention], ages: list[Mention]) -> list[Mention]:
    """An age in numbers settles its sentence: the words beside it (the man, 72) say no other age."""
    sentence = list(accumulate(words.breaks(here) for here in range(len(words.folded))))
    settled_in = {(age.attribute, sentence[age.start]) for age in ages}
    starts = {(age.attribute, age.start) for age in ages}
    kept = [
        m
        for m in listed
        if (m.attribute, sentence[m.start]) not in settled_in
        or any((m.attribute, here) in starts for here in range(m.start, m.end))
    ]
    return kept + _unless_listed(kept, ages)
