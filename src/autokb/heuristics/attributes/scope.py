"""When a text speaks of every value of an attribute (``on any device``) or says that none applies."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.attributes import ANY, NONE, Values
from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.open_values import head_word
from autokb.heuristics.attributes.words import AttributeWords
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import Words

SHORTEST_HEAD = 4  # letters of a word that names an attribute; shorter ones (os, age) occur in other phrases too
WORDS_BEFORE = 5  # between every or no and the attribute's name


def whole_or_none(words: Words, mentions: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return Any or NONE for attributes of which no value is stated, but which are named as a whole."""
    known = word_lists(AttributeWords, language)
    with_values = {mention.attribute for mention in mentions}
    found: dict[str, Values] = {}
    for name in sorted(spec):
        head = head_word(spec[name])
        heads = frozenset(inflections(head, language)) if len(head) >= SHORTEST_HEAD else frozenset()
        for here, word in enumerate(words.folded):
            if word not in heads:
                continue
            values = _scope(words, here, spec[name], known)
            if values is not None and (name not in with_values or values == ANY):
                found[name] = values
                break
    return found


def _scope(words: Words, here: int, attribute: Attribute, known: AttributeWords) -> Values | None:
    """Return Any or NONE where a word such as every or no precedes the attribute's name, which is ``here``."""
    for before in range(here - 1, max(-1, here - 1 - WORDS_BEFORE), -1):
        if words.breaks(before + 1):
            return None
        word = words.folded[before]
        if word in known.every_words and not (before and words.folded[before - 1] in known.denied_every):
            return ANY if attribute.kind == "closed" else None
        if word in known.none_words or (word in known.any_words and attribute.kind == "open"):
            return NONE if attribute.kind == "open" else None
        if word not in known.words_before_attribute:
            return None
    return None
