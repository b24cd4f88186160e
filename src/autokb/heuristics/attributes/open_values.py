"""Values of open attributes that nobody listed, where the sentence names the attribute beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.words import AttributeWords, in_words
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import language_data, word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import Words

MOST_WORDS = 3  # of a name


def open_mentions(words: Words, listed: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> Iterator[Mention]:
    """Give the values that follow ``provider is`` or ``diagnosed with``, and well-known illnesses, unless listed."""
    for name in sorted(spec):
        if spec[name].kind == "open":
            taken = {here for m in listed if m.attribute == name for here in range(m.start, m.end)}
            found = _mentions_of(spec[name], words, language)
            yield from (m for m in found if taken.isdisjoint(range(m.start, m.end)))


def _mentions_of(attribute: Attribute, words: Words, language: str) -> Iterator[Mention]:
    """Give the well-known illnesses where the attribute is of health, and the names that follow its own words."""
    known = word_lists(AttributeWords, language)
    name, illnesses = attribute.name, known.illness_names
    heads = frozenset(inflections(head_word(attribute), language))
    if heads & known.health_attributes:
        yield from (Mention(n, n + 1, name, illnesses[w]) for n, w in enumerate(words.folded) if w in illnesses)
    no_names = language_data(language).general_values | known.words_of_no_name
    for start in _name_starts(words, heads, known):
        end = _name_end(words, start, known, no_names)
        if end > start and illnesses.keys().isdisjoint(words.folded[start:end]):
            yield Mention(start, end, name, _with_capital(" ".join(words.raw[start:end])))


def head_word(attribute: Attribute) -> str:
    """Return the last word of an attribute's name, folded: what people call the attribute itself."""
    parts = attribute.name.replace("-", "_").casefold().split("_")[-1].split()
    return parts[-1] if parts else ""


def _with_capital(name: str) -> str:
    """Return a name with a capital also where the writer wrote none, so that one value has one spelling."""
    return name if any(c.isupper() for c in name) else name[:1].upper() + name[1:]


def _name_starts(words: Words, heads: frozenset[str], known: AttributeWords) -> Iterator[int]:
    """Yield where a name begins: behind ``provider is``, ``provider:``, or ``diagnosed with`` for an illness."""
    before_illness = in_words(known.phrases_before_illness)
    for here in range(len(words.folded) - 1):
        if words.folded[here] in heads and _introduces_name(words, here, known):
            yield here + 1 if words.folded[here + 1] not in known.naming_verbs else here + 2
        elif heads & known.health_attributes and words.folded[here : here + 2] in before_illness:
            yield here + 2


def _introduces_name(words: Words, here: int, known: AttributeWords) -> bool:
    """Return whether this begins ``provider: X`` or ``provider is X``; after a verb only a capital shows a name."""
    if set(words.gaps[here + 1]) & set(":="):
        return True
    behind_verb = words.raw[here + 2 : here + 3]
    is_verb = words.folded[here + 1] in known.naming_verbs and not words.breaks(here + 1)
    return is_verb and bool(behind_verb) and behind_verb[0][0].isupper()


def _name_end(words: Words, start: int, known: AttributeWords, no_names: frozenset[str]) -> int:
    """Return where the name that starts here ends: up to punctuation or a small word; ``start`` where none does."""
    end = start
    while end < min(len(words.folded), start + MOST_WORDS):
        gap = words.gaps[end].strip() if end > start else ""
        if (
            gap not in ("", "-", "'")
            or (end > start and words.breaks(end))
            or words.folded[end] in known.words_after_name
        ):
            break
        end += 1
    return start if end > start and words.folded[start] in no_names else end
