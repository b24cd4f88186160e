"""When a text speaks of every value of an attribute (``on any device``) or says that none applies."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from autokb.core.attributes import ANY, NONE, Values
from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.open_values import head_word
from autokb.heuristics.attributes.words import AttributeWords, Phrase, in_words
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import Words

SHORTEST_HEAD = 4  # letters of a word that names an attribute; shorter ones (os, app) occur in other phrases too
WORDS_BEFORE = 5  # between every or no and the attribute's name
WORDS_BEFORE_ANY = 4  # how far before any a denial is looked for: I don't have any condition


def whole_or_none(words: Words, mentions: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> dict[str, Values]:
    """Return Any or NONE for attributes of which no value is stated, but which are named as a whole."""
    known = word_lists(AttributeWords, language)
    with_values = {mention.attribute for mention in mentions}
    found: dict[str, Values] = {}
    for name in sorted(spec):
        for values in _scopes(words, spec[name], known, language):
            if name not in with_values or values == ANY:
                found[name] = values
                break
    return found


def _scopes(words: Words, attribute: Attribute, known: AttributeWords, language: str) -> Iterator[Values]:
    """Give Any or NONE for each place where the attribute is named as a whole."""
    head = head_word(attribute)
    forms = frozenset(inflections(head, language))
    names: set[Phrase] = {(form,) for form in forms}
    if attribute.kind == "open" and head in known.health_attributes:
        names |= {(word,) for word in known.health_attributes}
        yield from (NONE for _ in _places(words, in_words(known.healthy_phrases)))
    if head in known.other_names:
        *first, last = known.other_names[head].split()
        names |= {(*first, form) for form in inflections(last, language)}
    for here in _places(words, names):
        is_short = len(head) < SHORTEST_HEAD and words.folded[here] in forms
        if (values := _scope(words, here, attribute, is_short, known)) is not None:
            yield values


def _places(words: Words, phrases: Collection[Phrase]) -> Iterator[int]:
    """Give the places where one of these phrases begins."""
    first = {phrase[0] for phrase in phrases if phrase}
    for here, word in enumerate(words.folded):
        if word in first and any(words.folded[here : here + len(phrase)] == phrase for phrase in phrases):
            yield here


def _scope(words: Words, here: int, attribute: Attribute, is_short: bool, known: AttributeWords) -> Values | None:
    """Return Any or NONE where a word such as every or no precedes the attribute's name, which is ``here``."""
    for before in range(here - 1, max(-1, here - 1 - WORDS_BEFORE), -1):
        if words.breaks(before + 1):
            return None
        word, word_before = words.folded[before], words.folded[before - 1] if before else ""
        is_whatever = word in known.whatever_words or (word_before, word) in in_words(known.whatever_phrases)
        if is_whatever or (attribute.kind == "closed" and _is_every(word, word_before, is_short, known)):
            return ANY if attribute.kind == "closed" else None
        is_denied = word in known.any_words and known.denying_words & set(
            words.folded[max(0, before - WORDS_BEFORE_ANY) : before]
        )
        if word in known.none_words or (is_denied and attribute.kind == "open"):
            return NONE if attribute.kind == "open" else None
        if word not in known.words_before_attribute:
            return None
    return None


def _is_every(word: str, word_before: str, is_short: bool, known: AttributeWords) -> bool:
    """Return whether a word is every; ``not every`` is none, and a short name needs ``on every``."""
    if word not in known.every_words or word_before in known.denied_every:
        return False
    return not is_short or word_before in known.words_before_every
