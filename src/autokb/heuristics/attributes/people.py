"""Whom the text is about, where only a pronoun (``a rash on his belly``) or a letter (``45F``) tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

_PRONOUNS = {"male": word_set("he he's him his himself"), "female": word_set("she she's her hers herself")}
_AGE_AND_LETTER = {"male": re.compile(r"\d{1,2}m\Z"), "female": re.compile(r"\d{1,2}f\Z")}
# Somebody else is in the text whom the pronoun may mean, or the writer is the one with the trouble.
_OTHER_PEOPLE = word_set("doctor doctors gp nurse dr dentist pharmacist therapist i'm i've i'd")


def pronoun_mentions(words: Words, listed: Sequence[Mention], spec: Spec) -> Iterator[Mention]:
    """Give a mention for he or she where an attribute tells male from female and nothing else says which."""
    places = {sex: _first_place(words, sex) for sex in _PRONOUNS}
    found = [(sex, place) for sex, place in places.items() if place is not None]
    if len(found) != 1:
        return
    ((sex, place),) = found
    for name in sorted(spec):
        values = {value.casefold(): value for value in spec[name].values}
        if _PRONOUNS.keys() <= values.keys() and not any(m.attribute == name for m in listed):
            yield Mention(place, place + 1, name, values[sex])


def _first_place(words: Words, sex: str) -> int | None:
    """Return the first word that tells a sex: an age with its letter, else a pronoun that can mean nobody else."""
    lettered = (n for n, word in enumerate(words.folded) if _AGE_AND_LETTER[sex].match(word))
    if (place := next(lettered, None)) is not None or _OTHER_PEOPLE & set(words.folded):
        return place
    return next((n for n, word in enumerate(words.folded) if word in _PRONOUNS[sex]), None)
