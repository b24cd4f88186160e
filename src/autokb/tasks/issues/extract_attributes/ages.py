"""Ages in numbers (``my 3 year old``, ``72 yo``, ``in her eighties``), for an attribute whose values are age groups."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.domain import Attribute
from autokb.tasks.issues.extract_attributes.numbers import TEN, Number, number_at
from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

# Age groups by the years they begin at; an age belongs to the last group of the domain that has begun.
GROUPS: dict[str, float] = {
    "newborn": 0,
    "infant": 0,
    "baby": 0,
    "toddler": 1,
    "child": 1,
    "kid": 1,
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
_DECADES = {word.removesuffix("y") + "ies": value for word, value in TEN.items()}
_DECADES |= {f"{n}0s": n * 10.0 for n in range(2, 10)}
_YEARS = dict.fromkeys(("year", "years", "yr", "yrs", "y", "yo"), 1.0)
_UNITS = _YEARS | dict.fromkeys(("month", "months", "mo", "mos"), 1 / 12) | {"week": 1 / 52, "weeks": 1 / 52}
_PERSON = word_set(
    "i son daughter boy girl child kid baby toddler wife husband mother father mom mum dad brother sister man woman "
    "male female grandmother grandfather grandma grandpa gran grandad patient nephew niece friend uncle aunt partner"
)
_OLD = _PERSON | word_set("old olds")
_GOES_ON = _PERSON | word_set("and with now but who has had on years")
_SELF = word_set("i'm im he's she's")


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
        if word in _DECADES and set(before) & {"my", "his", "her", "their", "early", "mid", "late"}:
            yield here, here + 1, _DECADES[word]
        elif number := number_at(said, here):
            after = number.end
            found = _glued(said, number, before) if number.unit else _apart(words, number, before)
            if found is not None:
                yield here, found[0], number.value * found[1]


def _glued(said: tuple[str, ...], number: Number, before: tuple[str, ...]) -> tuple[int, float] | None:
    """``72yo``, ``5yr old``, ``35F``: return where the age ends and its unit in years."""
    follows = said[number.end : number.end + 1]
    if number.unit == "yo" or (number.unit in "mf" and set(before[-1:]) <= _PERSON | _SELF | {"am", "me"}):
        return number.end, 1.0
    if number.unit in _UNITS and follows in (("old",), ("o",)):
        return number.end + 1, _UNITS[number.unit]
    return None


def _person_of(before: tuple[str, ...], unit: float | None) -> bool:
    return unit is not None and len(before) == 2 and before[0] in _PERSON and before[1] == "of"


def _apart(words: Words, number: Number, before: tuple[str, ...]) -> tuple[int, float] | None:
    """``3 year old``, ``aged 65``, ``I'm 45``, ``my son, 4,``: return where the age ends and its unit in years."""
    said, end = words.folded, number.end
    rest = said[end : end + 2]
    unit = _UNITS.get(rest[0]) if rest else None
    if rest in (("y", "o"), ("years", "young")) or (unit and len(rest) > 1 and rest[1] in _OLD):
        return end + 2, unit or 1.0
    if rest[:1] == ("yo",):
        return end + 1, 1.0
    if before[-1:] in (("aged",), ("age",)) or before == ("age", "of") or _person_of(before, unit):
        return end + (unit is not None), unit or 1.0
    last = end >= len(said)
    gap = "" if last else words.gaps[end].strip(" -")
    of_person = before[-1:] and (
        before[-1] in _SELF or (before[-1] in ("am", "is") and before[0] in _PERSON | {"he", "she"})
    )
    if of_person and (last or gap or rest[0] in _GOES_ON):
        return end, 1.0
    listed = before[-1:] and before[-1] in _PERSON and words.gaps[number.start].strip()[:1] in (",", "(")
    return (end, 1.0) if listed and (last or gap[:1] in (",", ")", ".")) else None
