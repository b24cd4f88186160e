"""Values of open attributes that nobody listed, where the sentence names the attribute beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.core.domain import Attribute
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import SILENT, inflections, word_set

MOST_WORDS = 3  # of a name
_HEALTH_NAMES = word_set(
    "condition conditions disease diseases illness illnesses diagnosis diagnoses comorbidity comorbidities disorder"
)
# Long-term illnesses with a name of one word; a domain that lists one spells it as it likes.
_ILLNESSES = {
    word: word.capitalize()
    for word in word_set(
        "arthritis eczema psoriasis epilepsy migraine dementia lupus anemia anaemia cancer osteoporosis depression "
        "glaucoma gout hypothyroidism hyperthyroidism parkinson's alzheimer's asthma diabetes hypertension "
        "endometriosis fibromyalgia"
    )
} | {"migraines": "Migraine", "copd": "COPD", "adhd": "ADHD", "ibs": "IBS", "hiv": "HIV"}
_BEFORE_ILLNESS = (
    ("diagnosed", "with"),
    ("history", "of"),
    ("suffer", "from"),
    ("suffers", "from"),
    ("suffering", "from"),
    ("living", "with"),
)
_ENDS_NAME = word_set(
    "and or but since for that which who with because when while so as my i he she they it is was has have "
    "the in on at what how can should do does if then now after before about from to too also"
)
_IS = word_set("is are called named")
_NO_NAME = SILENT | word_set("a an the not unknown my very same still it this that these some down back being bad good")


def open_mentions(words: Words, listed: Sequence[Mention], spec: Spec) -> Iterator[Mention]:
    """Give the values that follow ``provider is`` or ``diagnosed with``, and well-known illnesses, unless listed."""
    for name in sorted(spec):
        if spec[name].kind != "open":
            continue
        taken = {here for m in listed if m.attribute == name for here in range(m.start, m.end)}
        heads = frozenset(inflections(head_word(spec[name])))
        if heads & _HEALTH_NAMES:
            found = (n for n, word in enumerate(words.folded) if word in _ILLNESSES and n not in taken)
            yield from (Mention(n, n + 1, name, _ILLNESSES[words.folded[n]]) for n in found)
        for start in _name_starts(words, heads):
            end = _name_end(words, start)
            is_known = taken & set(range(start, end)) or _ILLNESSES.keys() & set(words.folded[start:end])
            if end > start and not is_known:
                text = " ".join(words.raw[start:end])
                # With a capital where the writer wrote none, so that one value has one spelling.
                has_capital = any(c.isupper() for c in text)
                yield Mention(start, end, name, text if has_capital else text[:1].upper() + text[1:])


def head_word(attribute: Attribute) -> str:
    """Return the last word of an attribute's name, folded: what people call the attribute itself."""
    parts = attribute.name.replace("-", "_").casefold().split("_")[-1].split()
    return parts[-1] if parts else ""


def _name_starts(words: Words, heads: frozenset[str]) -> Iterator[int]:
    """Yield where a name begins: behind ``provider is``, ``provider:``, or ``diagnosed with`` for an illness."""
    for here in range(len(words.folded) - 1):
        if words.folded[here] in heads and _introduces_name(words, here):
            yield here + 1 if words.folded[here + 1] not in _IS else here + 2
        elif heads & _HEALTH_NAMES and words.folded[here : here + 2] in _BEFORE_ILLNESS:
            yield here + 2


def _introduces_name(words: Words, here: int) -> bool:
    """Return whether this begins ``provider: X`` or ``provider is X``; after a verb only a capital shows a name."""
    if set(words.gaps[here + 1]) & set(":="):
        return True
    behind_verb = words.raw[here + 2 : here + 3]
    is_verb = words.folded[here + 1] in _IS and not words.breaks(here + 1)
    return is_verb and bool(behind_verb) and behind_verb[0][0].isupper()


def _name_end(words: Words, start: int) -> int:
    """Return where the name that starts here ends: up to punctuation or a small word; ``start`` where none does."""
    end = start
    while end < min(len(words.folded), start + MOST_WORDS):
        gap = words.gaps[end].strip() if end > start else ""
        if gap not in ("", "-", "'") or (end > start and words.breaks(end)) or words.folded[end] in _ENDS_NAME:
            break
        end += 1
    return start if end > start and words.folded[start] in _NO_NAME else end
