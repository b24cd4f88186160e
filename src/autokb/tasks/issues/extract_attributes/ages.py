"""Ages in numbers (``my 3 year old``, ``72 yo``, ``in her eighties``), for an attribute whose values are age groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from autokb.knowledge.domain import Attribute
from autokb.knowledge.lexicon import Mention, Spec, Words
from autokb.knowledge.lexicon_words import word_set

# Age groups by the years they begin at; a number belongs to the last group of the domain that has begun.
GROUPS: dict[str, float] = {
    "newborn": 0,
    "infant": 0,
    "baby": 0,
    "toddler": 1,
    "child": 2,
    "kid": 2,
    "preschooler": 3,
    "adolescent": 13,
    "teen": 13,
    "teenager": 13,
    "young adult": 18,
    "adult": 18,
    "middle aged": 40,
    "middle-aged": 40,
    "elderly": 65,
    "senior": 65,
    "older adult": 65,
}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WRITTEN = {word: float(n) for n, word in enumerate(re.findall(r"\w+", _ONES))}
_TEN = {word: 10.0 * n for n, word in enumerate(re.findall(r"\w+", _TENS), 2)}
_DECADE = {word.removesuffix("y") + "ies": value for word, value in _TEN.items()}
_DECADE |= {f"{n}0s": n * 10.0 for n in range(2, 10)}
_YEARS = dict.fromkeys(("year", "years", "yr", "yrs"), 1.0)
_UNITS = _YEARS | dict.fromkeys(("month", "months", "mo", "mos"), 1 / 12) | {"week": 1 / 52, "weeks": 1 / 52}
_DIGITS = re.compile(r"(\d{1,3})(yo|yrs?|y|mos?|m|f)?\Z")
_PERSON = word_set(
    "i son daughter boy girl child kid baby toddler wife husband mother father mom mum dad brother sister man woman "
    "male female grandmother grandfather grandma grandpa patient nephew niece friend"
)
_OLD = _PERSON | word_set("old olds")
_AFTER = _PERSON | word_set("and with now but who")


def age_groups(attribute: Attribute) -> list[tuple[float, str]]:
    """Return the values of an attribute that are age groups, by the years they begin at, or nothing."""
    found = sorted((GROUPS[value.casefold()], value) for value in attribute.values if value.casefold() in GROUPS)
    return found if len(found) >= 2 else []


def age_mentions(words: Words, spec: Spec) -> Iterator[Mention]:
    """Give the ages said in numbers as mentions of the group they belong to."""
    for name in sorted(spec):
        groups = age_groups(spec[name])
        for start, end, years in _ages(words) if groups else ():
            if years <= 120:
                begun = [value for begin, value in groups if begin <= years] or [groups[0][1]]
                yield Mention(start, end, name, begun[-1])


def _ages(words: Words) -> Iterator[tuple[int, int, float]]:
    said, after = words.folded, 0
    for here, word in enumerate(said):
        if here < after:
            continue
        before = said[max(0, here - 2) : here]
        if word in _DECADE and set(before) & {"my", "his", "her", "their", "early", "mid", "late"}:
            yield here, here + 1, _DECADE[word]
        elif (number := _number(said, here)) is not None:
            value, after, unit = number
            found = _glued(said, after, unit, before) if unit else _apart(words, here, after)
            if found is not None:
                yield here, found[0], value * found[1]


def _number(said: tuple[str, ...], here: int) -> tuple[float, int, str] | None:
    """Return the number that starts here, where it ends, and the unit written onto it."""
    word = said[here]
    if digits := _DIGITS.match(word):
        return float(digits.group(1)), here + 1, digits.group(2) or ""
    if word in _WRITTEN:
        return _WRITTEN[word], here + 1, ""
    if word not in _TEN:
        return None
    one = _WRITTEN.get(said[here + 1], 0.0) if here + 1 < len(said) else 0.0
    return (_TEN[word] + one, here + 2, "") if 0 < one < 10 else (_TEN[word], here + 1, "")


def _glued(said: tuple[str, ...], end: int, unit: str, before: tuple[str, ...]) -> tuple[int, float] | None:
    """``72yo``, ``5yr old``, ``35F``: return where the age ends and its unit in years."""
    follows = said[end : end + 1]
    if unit == "yo" or (unit in "mf" and set(before[-1:]) <= _PERSON | {"i'm", "am", "me"}):
        return end, 1.0
    if follows in (("old",), ("o",)) and unit not in "mf":
        return end + 1, _UNITS.get(unit, 1.0)
    return None


def _apart(words: Words, here: int, end: int) -> tuple[int, float] | None:
    """``3 year old``, ``aged 65``, ``I'm 45``, ``my son, 4,``: return where the age ends and its unit in years."""
    said, rest = words.folded, words.folded[end : end + 2]
    unit = _UNITS.get(rest[0]) if rest else None
    if rest in (("y", "o"), ("years", "young")) or (unit and len(rest) > 1 and rest[1] in _OLD):
        return end + 2, unit or 1.0
    if rest[:1] == ("yo",):
        return end + 1, 1.0
    before = said[max(0, here - 2) : here]
    if before[-1:] in (("aged",), ("age",)) or before == ("age", "of"):
        return end + (unit is not None), unit or 1.0
    ends = end >= len(said) or rest[0] in _AFTER or bool(words.gaps[end].strip(" -"))
    if before[-1:] in (("i'm",), ("im",), ("he's",), ("she's",)) or before in (
        ("i", "am"),
        ("he", "is"),
        ("she", "is"),
    ):
        return (end, 1.0) if ends and said[here].isdigit() else None
    listed = bool(before) and before[-1] in _PERSON and words.gaps[here].strip() in (",", "(")
    return (end, 1.0) if listed and end < len(words.gaps) and words.gaps[end].strip()[:1] in (",", ")") else None
