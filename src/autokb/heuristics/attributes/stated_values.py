"""Whether a text states one given value, so that nothing is fixed that nobody stated."""

from __future__ import annotations

import re
from collections.abc import Mapping

from autokb.core.domain import ENGLISH, Attribute
from autokb.text.lexicon import lexicon
from autokb.text.words import split_words

SHARED_START = 4  # characters that two words share at least when one is a form of the other,
LONGEST_ENDING = 2  # and all but so many of the shorter one: diabetes, diabetic


def names_value(text: str, attribute: Attribute, value: str) -> bool:
    """Return whether a reader sees the value in a text: its own name or one of its configured synonyms."""
    names = (value, *attribute.synonyms.get(value, ()))
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def states_value(
    text: str, attribute: Attribute, value: str, configuration: Mapping[str, Attribute], language: str = ENGLISH
) -> bool:
    """Return whether a text states the value: its name, a word for it, or for an open one another form of its words."""
    if names_value(text, attribute, value):
        return True
    words = split_words(text)
    if any((m.attribute, m.value) == (attribute.name, value) for m in lexicon(configuration, language).mentions(words)):
        return True
    if attribute.kind != "open":
        return False
    of_value, of_text = split_words(value).folded, frozenset(words.folded)
    found = sum(any(_are_forms_of_one_word(word, other) for other in of_text) for word in of_value)
    return 2 * found > len(of_value)  # more than half of the value's words


def _are_forms_of_one_word(one: str, other: str) -> bool:
    if one == other:
        return True
    needed = max(SHARED_START, min(len(one), len(other)) - LONGEST_ENDING)
    return len(one) >= needed and one[:needed] == other[:needed]
