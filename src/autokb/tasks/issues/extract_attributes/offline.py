"""Attribute values by lexicon and a little grammar: what is said, what works is set aside, what follows is added."""

from __future__ import annotations

from collections.abc import Iterable

from autokb.knowledge.attributes import ANY, Values, as_lists
from autokb.knowledge.lexicon import Mention, Spec, Words, gathered, lexicon, settled, split_words
from autokb.tasks.issues.extract_attributes.ages import age_mentions
from autokb.tasks.issues.extract_attributes.contrast import concerned
from autokb.tasks.issues.extract_attributes.open_values import open_mentions
from autokb.tasks.issues.extract_attributes.scope import whole_or_none


def answer(text: str, kind: str, spec: Spec) -> dict[str, list[str]]:
    """Return what the first 100,000 characters of a text say, as name to sorted values; the rest is unknown."""
    words = split_words(text)
    mentions = _all_mentions(words, spec)
    kept = concerned(words, mentions, spec)
    said: dict[str, Values] = gathered(((m.attribute, m.value) for m in kept), spec)
    for name, values in whole_or_none(words, mentions, spec).items():
        said.setdefault(name, values)
    if kind == "solution":
        said = {name: values for name, values in said.items() if values != ANY}
    return as_lists(settled(said, spec))


def _all_mentions(words: Words, spec: Spec) -> list[Mention]:
    found: Iterable[Mention] = (*lexicon(spec).mentions(words), *age_mentions(words, spec))
    listed = sorted(set(found))
    return sorted({*listed, *open_mentions(words, listed, spec)})
