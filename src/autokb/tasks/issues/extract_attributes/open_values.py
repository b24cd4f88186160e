"""Values of open attributes that nobody listed, where the sentence names the attribute beside them."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.domain import Attribute
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import SILENT, inflections, word_set

_HEALTH = word_set(
    "condition conditions disease diseases illness illnesses diagnosis diagnoses comorbidity comorbidities disorder"
)
# Long-term illnesses that go by one word; a domain that lists one itself spells it its own way.
_ILLNESSES = {
    word: word.capitalize()
    for word in word_set(
        "arthritis eczema psoriasis epilepsy migraine dementia lupus anemia anaemia cancer osteoporosis depression "
        "glaucoma gout hypothyroidism hyperthyroidism parkinson's alzheimer's asthma diabetes hypertension "
        "endometriosis fibromyalgia"
    )
} | {"migraines": "Migraine", "copd": "COPD", "adhd": "ADHD", "ibs": "IBS", "hiv": "HIV"}
_LEADS = (
    ("diagnosed", "with"),
    ("history", "of"),
    ("suffer", "from"),
    ("suffers", "from"),
    ("suffering", "from"),
    ("living", "with"),
)
_ENDS = word_set(
    "and or but since for that which who with because when while so as my i he she they it is was has have "
    "the in on at what how can should do does if then now after before about from to too also"
)
_IS = word_set("is are called named")
_NOTHING = SILENT | word_set("a an the not unknown my very same still it this that these some down back being bad good")


def open_mentions(words: Words, listed: list[Mention], spec: Spec) -> Iterator[Mention]:
    """Give the values that follow ``provider is`` or ``diagnosed with``, and well-known illnesses, unless listed."""
    for name in sorted(spec):
        if spec[name].kind != "open":
            continue
        taken = {here for m in listed if m.attribute == name for here in range(m.start, m.end)}
        heads = _heads(spec[name])
        for here, word in enumerate(words.folded):
            if heads & _HEALTH and word in _ILLNESSES and here not in taken:
                yield Mention(here, here + 1, name, _ILLNESSES[word])
        for start in _starts(words, heads):
            end = _end(words, start)
            if (
                end > start
                and not taken & set(range(start, end))
                and not set(words.folded[start:end]) & _ILLNESSES.keys()
            ):
                yield Mention(start, end, name, _spelled(words, start, end))


def _heads(attribute: Attribute) -> frozenset[str]:
    """The last word of the attribute's name, in singular and plural."""
    return frozenset(inflections(attribute.name.replace("-", "_").casefold().split("_")[-1].split(" ")[-1]))


def _starts(words: Words, heads: frozenset[str]) -> Iterator[int]:
    for here in range(len(words.folded) - 1):
        if words.folded[here] in heads and _names_next(words, here):
            yield here + 1 if words.folded[here + 1] not in _IS else here + 2
        elif heads & _HEALTH and words.folded[here : here + 2] in _LEADS:
            yield here + 2


def _names_next(words: Words, here: int) -> bool:
    """Whether ``provider: X`` or ``provider is X`` stands here; after a verb only a capital shows a name."""
    if set(words.gaps[here + 1]) & set(":="):
        return True
    named = words.raw[here + 2 : here + 3]
    return words.folded[here + 1] in _IS and not words.breaks(here + 1) and bool(named) and named[0][0].isupper()


def _end(words: Words, start: int) -> int:
    """Return where the name that starts here ends: at most three words, up to punctuation or a small word."""
    end = start
    while end < min(len(words.folded), start + 3):
        gap = words.gaps[end].strip() if end > start else ""
        if gap not in ("", "-", "'") or (end > start and words.breaks(end)) or words.folded[end] in _ENDS:
            break
        end += 1
    return start if end > start and words.folded[start] in _NOTHING else end


def _spelled(words: Words, start: int, end: int) -> str:
    """Write the value with a capital where the writer wrote none, so that one value has one spelling."""
    text = " ".join(words.raw[start:end])
    return text if any(c.isupper() for c in text[1:]) else text[:1].upper() + text[1:]
