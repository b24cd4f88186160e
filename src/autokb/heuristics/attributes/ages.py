"""Ages in numbers (``my 3 year old``, ``72 yo``, ``in her eighties``), for an attribute whose values are age groups."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.heuristics.attributes.numbers import TENS, Number, configured_groups, group_at, number_at
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
FEWEST_GROUPS = 2  # values that make an attribute one of age groups
HIGHEST_AGE = 120  # years; a higher number is no age
_DECADES = {word.removesuffix("y") + "ies": value for word, value in TENS.items()}
_DECADES |= {f"{n}0s": n * 10.0 for n in range(2, 10)}
_BEFORE_DECADE = word_set("my his her their early mid late")
_YEARS = dict.fromkeys(("year", "years", "yr", "yrs", "y", "yo"), 1.0)
_UNITS = _YEARS | dict.fromkeys(("month", "months", "mo", "mos"), 1 / 12) | {"week": 1 / 52, "weeks": 1 / 52}
_PERSON = word_set(
    "i son daughter boy girl child kid baby toddler wife husband mother father mom mum dad brother sister man woman "
    "male female grandmother grandfather grandma grandpa gran grandad patient nephew niece friend uncle aunt partner"
)
_OLD = _PERSON | word_set("old olds")
_AFTER_AGE = _PERSON | word_set("and with now but who has had on years")
_PERSON_IS = word_set("i'm im he's she's")
_Age = tuple[int, float]  # the place behind the words of an age, and its unit in years


def age_mentions(words: Words, spec: Spec) -> Iterator[Mention]:
    """Give the ages stated in numbers as mentions of the group they belong to."""
    for name in sorted(spec):
        groups = configured_groups(spec[name], GROUPS, FEWEST_GROUPS)
        for start, end, years in _ages(words) if groups else ():
            if years <= HIGHEST_AGE:
                yield Mention(start, end, name, group_at(groups, years))


def _ages(words: Words) -> Iterator[tuple[int, int, float]]:
    """Yield where each age starts and ends, and its years."""
    folded, after = words.folded, 0
    for here, word in enumerate(folded):
        if here < after:
            continue
        before = folded[max(0, here - 2) : here]
        if word in _DECADES and set(before) & _BEFORE_DECADE:
            yield here, here + 1, _DECADES[word]
        elif number := number_at(folded, here):
            after = number.end
            if age := _with_unit(folded, number, before) if number.unit else _without_unit(words, number, before):
                yield here, age[0], number.value * age[1]


def _with_unit(folded: tuple[str, ...], number: Number, before: tuple[str, ...]) -> _Age | None:
    """Read an age whose unit is written onto the number: ``72yo``, ``5yr old``, ``35F``."""
    follows = folded[number.end : number.end + 1]
    if number.unit == "yo" or (number.unit in "mf" and set(before[-1:]) <= _PERSON | _PERSON_IS | {"am", "me"}):
        return number.end, 1.0
    if number.unit in _UNITS and follows in (("old",), ("o",)):
        return number.end + 1, _UNITS[number.unit]
    return None


def _without_unit(words: Words, number: Number, before: tuple[str, ...]) -> _Age | None:
    """Read an age by the words around the number; the first way that fits counts."""
    after = words.folded[number.end : number.end + 2]
    unit = _UNITS.get(after[0]) if after else None
    return (
        _years_old(number, after, unit)
        or _aged(number, before, unit)
        or _person_is(words, number, before, after)
        or _person_in_brackets(words, number, before)
    )


def _years_old(number: Number, after: tuple[str, ...], unit: float | None) -> _Age | None:
    """``3 year old``, ``6 months old``, ``5 year girl``, ``72 y/o``, ``72 yo``."""
    if after in (("y", "o"), ("years", "young")) or (unit is not None and after[1:] and after[1] in _OLD):
        return number.end + 2, unit or 1.0
    return (number.end + 1, 1.0) if after[:1] == ("yo",) else None


def _aged(number: Number, before: tuple[str, ...], unit: float | None) -> _Age | None:
    """``aged 65``, ``at the age of 65``, ``a baby of 5 months``."""
    person_of = unit is not None and len(before) == 2 and before[0] in _PERSON and before[1] == "of"
    if before[-1:] in (("aged",), ("age",)) or before == ("age", "of") or person_of:
        return number.end + (unit is not None), unit or 1.0
    return None


def _person_is(words: Words, number: Number, before: tuple[str, ...], after: tuple[str, ...]) -> _Age | None:
    """``I'm 45``, ``Mum is 81 and tired``; not where the number counts what comes next."""
    is_person = before[-1:] and before[-1] in _PERSON_IS
    if not is_person and not (before[-1:] and before[-1] in ("am", "is") and before[0] in _PERSON | {"he", "she"}):
        return None
    ends = not after or words.gaps[number.end].strip(" -") or after[0] in _AFTER_AGE
    return (number.end, 1.0) if ends else None


def _person_in_brackets(words: Words, number: Number, before: tuple[str, ...]) -> _Age | None:
    """``my son, 4,`` and ``my son (4)``."""
    if not before or before[-1] not in _PERSON or words.gaps[number.start].strip()[:1] not in (",", "("):
        return None
    ends = number.end >= len(words.folded) or words.gaps[number.end].strip(" -")[:1] in (",", ")", ".")
    return (number.end, 1.0) if ends else None
