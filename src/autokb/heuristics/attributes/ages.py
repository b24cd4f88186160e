"""Ages in numbers (``my 3 year old``, ``72 yo``, ``in her eighties``), for an attribute whose values are age groups."""

from __future__ import annotations

from collections.abc import Iterator

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.attributes.numbers import Number, configured_groups, group_at, number_at
from autokb.heuristics.attributes.words import AttributeWords, in_words
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.words import Words

FEWEST_GROUPS = 2  # values that make an attribute one of age groups
HIGHEST_AGE = 120  # years; a higher number is no age
# Share of an age within which another group is near: 17 and 18, 64 and 65 are. No infant is near a child, whose
# remedies (honey) can harm it.
NEAR = 0.06
LOWEST_ALONE = 13  # years that open a message alone (68, dizzy): lower numbers count days, tablets or points
FEVERS = ((35, 42), (95, 107))  # degrees Celsius and Fahrenheit of a human: 39, and rising
_Age = tuple[int, float]  # the place behind the words of an age, and its unit in years


def age_mentions(words: Words, spec: Spec, language: str = ENGLISH) -> Iterator[Mention]:
    """Give the ages stated in numbers as mentions of the group they belong to."""
    known = word_lists(AttributeWords, language)
    for name in sorted(spec):
        groups = configured_groups(spec[name], known.age_groups, FEWEST_GROUPS)
        for start, end, years in _ages(words, language, known) if groups else ():
            if years <= HIGHEST_AGE:
                yield Mention(start, end, name, group_at(groups, years))


def near_age_groups(words: Words, attribute: Attribute, language: str) -> frozenset[str]:
    """Return the age groups that begin or end near an age that is stated in numbers."""
    known = word_lists(AttributeWords, language)
    groups = configured_groups(attribute, known.age_groups, FEWEST_GROUPS)
    ages = [years for _, _, years in _ages(words, language, known)] if groups else []
    return frozenset(group_at(groups, years * share) for years in ages for share in (1 - NEAR, 1 + NEAR))


def _ages(words: Words, language: str, known: AttributeWords) -> Iterator[tuple[int, int, float]]:
    """Yield where each age starts and ends, and its years."""
    folded, after = words.folded, 0
    for here, word in enumerate(folded):
        if here < after:
            continue
        exact = (w for w in folded[max(0, here - 3) : here] if w not in known.words_about_age)
        before = tuple(exact)[-2:]
        if word in known.decades and set(before) & known.words_before_decade:
            yield here, here + 1, known.decades[word]
        elif number := number_at(folded, here, language):
            after = number.end
            read = _with_unit if number.unit else _without_unit
            if age := read(words, number, before, known):
                yield here, age[0], number.value * age[1]


def _with_unit(words: Words, number: Number, before: tuple[str, ...], known: AttributeWords) -> _Age | None:
    """Read an age whose unit is written onto the number: ``72yo``, ``5yr old``, ``35F``."""
    follows = set(words.folded[number.end : number.end + 1])
    of_person = known.persons | known.persons_with_be | known.words_before_lettered_age
    is_lettered = number.unit in known.sex_letters.values() and set(before[-1:]) <= of_person
    if number.unit in known.year_abbreviations or is_lettered:
        return number.end, 1.0
    if number.unit in known.years_of_unit and follows & known.words_after_written_unit:
        return number.end + 1, known.years_of_unit[number.unit]
    return None


def _without_unit(words: Words, number: Number, before: tuple[str, ...], known: AttributeWords) -> _Age | None:
    """Read an age by the words around the number; the first way that fits counts."""
    after = words.folded[number.end : number.end + 2]
    unit = known.years_of_unit.get(after[0]) if after else None
    return (
        _years_old(words, number, before, unit, known)
        or _aged(words, number, before, unit, known)
        or _person_is(words, number, before, known)
        or _person_in_brackets(words, number, before, known)
        or _alone(words, number, known)
    )


def _years_old(
    words: Words, number: Number, before: tuple[str, ...], unit: float | None, known: AttributeWords
) -> _Age | None:
    """``3 year old``, ``6 months old``, ``5 year girl``, ``72 y/o``, ``72 yo``; ``for 2 months, I`` is none."""
    after = words.folded[number.end : number.end + 2]
    is_length = bool(set(before[-1:]) & known.words_before_bare_plural)
    persons = frozenset() if is_length else known.persons - known.writers_before_not
    is_joined = len(after) > 1 and not words.gaps[number.end + 1].strip(" -")
    is_person = unit is not None and is_joined and after[1] in persons | known.old_words
    if after in in_words(known.year_phrases) or is_person:
        return number.end + 2, unit or 1.0
    return (number.end + 1, 1.0) if set(after[:1]) & known.year_abbreviations else None


def _aged(
    words: Words, number: Number, before: tuple[str, ...], unit: float | None, known: AttributeWords
) -> _Age | None:
    """``aged 65``, ``at the age of 65``, ``a baby of 5 months``, ``a man of 40``."""
    person_of = len(before) == 2 and before[0] in known.persons and before[1] in known.words_of_age
    person_of = person_of and (unit is not None or _ends_age(words, number.end, known))
    if {before, before[-1:]} & in_words(known.age_phrases) or person_of:
        return number.end + (unit is not None), unit or 1.0
    return None


def _person_is(words: Words, number: Number, before: tuple[str, ...], known: AttributeWords) -> _Age | None:
    """``I'm 45``, ``Mum is 81 and tired``; not where the number counts what comes next."""
    is_person = bool(set(before[-1:]) & known.persons_with_be)
    if not is_person and not (set(before[-1:]) & known.be_forms and before[0] in known.persons | known.third_persons):
        return None
    if _ends_age(words, number.end, known):
        return number.end, 1.0
    unit = known.years_of_unit.get(words.folded[number.end])
    is_other = before[0] in known.persons - known.writers_before_not  # my son is 9 months; I am 9 months pregnant
    return (number.end + 1, unit) if unit and is_other and _ends_age(words, number.end + 1, known) else None


def _ends_age(words: Words, end: int, known: AttributeWords) -> bool:
    """Return whether a number that ends before this word counts nothing that comes after it; 39.5 goes on."""
    if end >= len(words.folded):
        return True
    is_decimal = words.gaps[end] in (".", ",") and words.folded[end].isdecimal()
    return not is_decimal and (bool(words.gaps[end].strip(" -")) or words.folded[end] in known.words_after_age)


def _person_in_brackets(words: Words, number: Number, before: tuple[str, ...], known: AttributeWords) -> _Age | None:
    """``my son, 4,`` and ``my son (4)``."""
    if not before or before[-1] not in known.persons or words.gaps[number.start].strip()[:1] not in (",", "("):
        return None
    ends = number.end >= len(words.folded) or words.gaps[number.end].strip(" -")[:1] in (",", ")", ".")
    return (number.end, 1.0) if ends else None


def _alone(words: Words, number: Number, known: AttributeWords) -> _Age | None:
    """``79, and I take ...``, ``34 here`` at the beginning of a message; ``39, and rising`` may be a fever."""
    after, value = words.folded[number.end : number.end + 1], number.value
    if number.start or not after or value < LOWEST_ALONE or any(low <= value <= high for low, high in FEVERS):
        return None
    ends = after[0] in known.words_after_opening or words.gaps[number.end].strip(" -")[:1] in (",", ")")
    return (number.end, 1.0) if ends else None
