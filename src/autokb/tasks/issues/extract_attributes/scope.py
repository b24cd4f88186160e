"""When a text speaks of every value of an attribute (``on any device``) or says that none applies."""

from __future__ import annotations

from autokb.core.attributes import ANY, NONE, Values
from autokb.core.domain import Attribute
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import inflections, word_set

_EVERY = word_set("any all every each")
_NO = word_set("no without")
_FILL = word_set(
    "my our the of other known pre existing preexisting underlying medical chronic health prior past previous "
    "significant major serious relevant different"
)


def whole_or_none(words: Words, mentions: list[Mention], spec: Spec) -> dict[str, Values]:
    """Return Any or NONE for attributes that no value is said of, but that are named whole."""
    named = {mention.attribute for mention in mentions}
    found: dict[str, Values] = {}
    for name in sorted(spec):
        heads = _heads(spec[name])
        for here, word in enumerate(words.folded):
            if word not in heads or name in found:
                continue
            values = _scope(words, here, spec[name])
            if values is not None and (name not in named or values == ANY):
                found[name] = values
    return found


def _heads(attribute: Attribute) -> frozenset[str]:
    """The words that name the attribute itself: the last word of its name, in singular and plural."""
    last = attribute.name.replace("-", "_").split("_")[-1].split()
    return frozenset(inflections(last[-1].casefold())) if last and len(last[-1]) > 3 else frozenset()


def _scope(words: Words, here: int, attribute: Attribute) -> Values | None:
    for before in range(here - 1, max(-1, here - 6), -1):
        if words.breaks(before + 1):
            return None
        word = words.folded[before]
        if word in _EVERY and not (before and words.folded[before - 1] in ("not", "without", "have", "don't", "no")):
            return ANY if attribute.kind == "closed" else None
        if word in _NO or (word == "any" and attribute.kind == "open"):
            return NONE if attribute.kind == "open" else None
        if word not in _FILL:
            return None
    return None
