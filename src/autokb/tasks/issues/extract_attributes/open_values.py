"""Values of open attributes that nobody listed, where the sentence names the attribute beside them."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.knowledge.domain import Attribute
from autokb.knowledge.lexicon import Mention, Spec, Words
from autokb.knowledge.lexicon_words import SILENT, inflections, word_set

_HEALTH = word_set(
    "condition conditions disease diseases illness illnesses diagnosis diagnoses comorbidity comorbidities disorder"
)
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
    """Give the values that follow ``provider is`` or ``diagnosed with``, unless a listed value stands there."""
    for name in sorted(spec):
        if spec[name].kind != "open":
            continue
        taken = {i for m in listed if m.attribute == name for i in range(m.start, m.end)}
        for start in _starts(words, spec[name]):
            end = _end(words, start)
            if end > start and not taken & set(range(start, end)):
                yield Mention(start, end, name, _spelled(words, start, end))


def _starts(words: Words, attribute: Attribute) -> Iterator[int]:
    parts = attribute.name.replace("-", "_").casefold().split("_")
    heads = frozenset(inflections(parts[-1]))
    for here, word in enumerate(words.folded):
        if word in heads and here + 1 < len(words.folded):
            if ":" in words.gaps[here + 1] or "=" in words.gaps[here + 1]:
                yield here + 1
            elif (
                words.folded[here + 1] in _IS
                and not words.breaks(here + 1)
                and words.raw[min(here + 2, len(words.raw) - 1)][:1].isupper()
            ):
                yield here + 2
        elif heads & _HEALTH and words.folded[here : here + 2] in _LEADS:
            yield here + 2


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
