"""Whom the text is about, where only a pronoun (``a rash on his belly``) or a letter (``45F``) tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autokb.core.domain import ENGLISH
from autokb.heuristics.attributes.words import AttributeWords
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.words import Words


def pronoun_mentions(words: Words, listed: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> Iterator[Mention]:
    """Give a mention for he or she where an attribute tells male from female and nothing else says which."""
    known = word_lists(AttributeWords, language)
    places = {sex: _first_place(words, sex, known) for sex in known.pronouns}
    found = [(sex, place) for sex, place in places.items() if place is not None]
    if len(found) != 1:
        return
    ((sex, place),) = found
    for name in sorted(spec):
        values = {value.casefold(): value for value in spec[name].values}
        if known.pronouns.keys() <= values.keys() and not any(m.attribute == name for m in listed):
            yield Mention(place, place + 1, name, values[sex])


def _first_place(words: Words, sex: str, known: AttributeWords) -> int | None:
    """Return the first word that tells a sex: an age with its letter, else a pronoun that can mean nobody else."""
    letter = known.sex_letters.get(sex)
    lettered = (n for n, word in enumerate(words.folded) if letter and re.fullmatch(rf"\d{{1,2}}{letter}", word))
    if (place := next(lettered, None)) is not None or known.other_people & set(words.folded):
        return place
    return next((n for n, word in enumerate(words.folded) if word in known.pronouns[sex]), None)
