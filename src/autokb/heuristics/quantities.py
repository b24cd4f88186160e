"""How long, how old, how hot: the durations, ages and temperatures of a text as ranges, and whether two texts agree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from math import inf
from typing import ClassVar, Literal

from autokb.core.domain import ENGLISH
from autokb.heuristics.attributes.ages import read_ages
from autokb.heuristics.attributes.durations import read_durations
from autokb.heuristics.attributes.numbers import Number, amount_at
from autokb.heuristics.attributes.words import AttributeWords
from autokb.text.lexicons import WordLists, alternation, language_data, word_lists
from autokb.text.words import Words, normalized, split_words

Kind = Literal["duration", "age", "temperature"]
READ_AT_MOST = 5_000  # characters; a question, or a heading and a sentence, are shorter
_BODY = (35.0, 43.0)  # degrees Celsius that a thermometer for people shows: between them a bare 38.9 is a temperature
_LOWEST_FAHRENHEIT = 90.0  # degrees; below, "35 F" is a woman of 35
_NEAR = 40  # characters around an amount in which the words are that make a range of it
_PLURAL = 2.0  # "for weeks" are two or more


@dataclass(frozen=True, slots=True)
class Quantity:
    """A range from ``low`` to ``high``, both within it, in days (duration), years (age) or degrees Celsius.

    A single amount has both alike; an open end is infinite.
    """

    kind: Kind
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Span:
    """How many a vague amount is: a few are two to seven."""

    low: float = 0.0
    high: float = 0.0


@dataclass(frozen=True)
class QuantityWords(WordLists):
    """Words around numbers that make ranges of them; the YAML file says what each set is for."""

    file: ClassVar[str] = "quantities"

    phrases_of_more: tuple[str, ...] = ()
    phrases_of_less: tuple[str, ...] = ()
    phrases_after_more: tuple[str, ...] = ()
    phrases_after_less: tuple[str, ...] = ()
    range_words: frozenset[str] = frozenset()
    words_after_rates: frozenset[str] = frozenset()
    vague_amounts: Mapping[str, Span] = field(default_factory=dict)
    weekdays: frozenset[str] = frozenset()
    words_before_weekday: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    celsius_words: frozenset[str] = frozenset()
    fahrenheit_words: frozenset[str] = frozenset()
    degree_words: frozenset[str] = frozenset()


def compare_quantities(customer: Sequence[Quantity], section: Sequence[Quantity]) -> float:
    """Say whether what a customer states suits a section: 1 within one of its ranges, -1 outside all, else 0.

    Kind by kind: one that is outside all the section's ranges decides. A single amount of a section is no range, since
    most are those of an instruction: rest for two weeks.
    """
    verdict = 0.0
    for kind in {quantity.kind for quantity in customer}:
        stated = [quantity for quantity in customer if quantity.kind == kind]
        ranges = [quantity for quantity in section if quantity.kind == kind and quantity.low < quantity.high]
        outside = [all(s.high < r.low or r.high < s.low for r in ranges) for s in stated]
        if ranges and all(outside):
            return -1.0
        if not any(outside) and any(r.low <= s.low and s.high <= r.high for s in stated for r in ranges):
            verdict = 1.0
    return verdict


def read_quantities(text: str, language: str = ENGLISH) -> tuple[Quantity, ...]:
    """Return the temperatures, ages and durations that a text states.

    Of a section read the heading with the first sentence of prose: steps hold the amounts of instructions.
    """
    text = normalized(text[:READ_AT_MOST])
    words, known = split_words(text), word_lists(AttributeWords, language)
    numbers = {n.start: n for here in range(len(words.folded)) if (n := amount_at(words.folded, here, language))}
    ages = {start: (end, years) for start, end, years in read_ages(words, language, known)}
    durations = {start: (end, days) for start, end, days in read_durations(words, language, known)}
    reader = _Reader(text, words, language)
    found = list(reader.temperatures())
    for start, (end, years) in ages.items():
        found.append(reader.ranged("age", numbers.get(start), years, start, end))
    for start, (end, days) in durations.items():
        found += reader.duration(numbers.get(start), days, start, end)
    for number in numbers.values():
        if number.start not in ages and number.start not in durations:
            found += reader.limited(number)
    found += reader.weekdays()
    return tuple(found)


class _Reader:
    """One text: what the words before and behind an amount make of it."""

    def __init__(self, text: str, words: Words, language: str) -> None:
        self._text, self._words = text, words
        self._known = word_lists(AttributeWords, language)
        self._lists = word_lists(QuantityWords, language)
        self._patterns = _patterns(language)
        self._numbers = language_data(language).number_words

    def temperatures(self) -> Iterator[Quantity]:
        """``38.9``, ``101 F``, ``above 38 degrees``; a bare number is one where a thermometer for people shows it."""
        for found in self._patterns.temperature.finditer(self._text):
            degrees = float(found["number"].replace(",", "."))
            is_fahrenheit = (found["scale"] or "").casefold() in self._lists.fahrenheit_words
            if is_fahrenheit and degrees < _LOWEST_FAHRENHEIT:
                continue
            is_bodily = not found["number"].isdecimal() and _BODY[0] <= degrees < _BODY[1]
            if found["scale"] or found["degree"] or is_bodily:
                degrees = (degrees - 32) / 1.8 if is_fahrenheit else degrees
                yield Quantity("temperature", *self._range(degrees, 0.0, -inf, found.start(), found.end()))

    def ranged(self, kind: Kind, number: Number | None, amount: float, start: int, end: int) -> Quantity:
        """Return an amount as the range that a limit before or behind it makes of it."""
        unit = amount / number.value if number and number.value else 0.0
        return Quantity(kind, *self._range(amount, unit, 0.0, self._words.starts[start], self._end(end)))

    def duration(self, number: Number | None, days: float, start: int, end: int) -> Iterator[Quantity]:
        """``for two weeks``, ``a few days ago``, ``for months``, ``since yesterday``; none is how often."""
        last = self._words.folded[end - 1]
        unit = self._known.days_of_unit.get(last, 0.0)
        spans = [self._lists.vague_amounts[w] for w in self._words.folded[start:end] if w in self._lists.vague_amounts]
        if self._is_rate(end):
            return
        if spans:
            # What has lasted a few days began with hours; a few months did not begin with days.
            yield Quantity("duration", spans[0].low * unit if unit > 1 else 0.0, spans[0].high * unit)
        elif unit and end - start == 1:
            yield Quantity("duration", _PLURAL * unit, inf)
        elif not unit and days <= 1:
            yield Quantity("duration", 0.0, days)
        else:
            yield self.ranged("duration", number, days, start, end)

    def limited(self, number: Number) -> Iterator[Quantity]:
        """``more than six weeks``, ``three to five days``, ``infants under one year``, ``65 or older``."""
        words, known = self._words, self._known
        follows = words.folded[number.end : number.end + 1]
        if not self._lists.vague_amounts.keys().isdisjoint(words.folded[number.start : number.end]):
            return
        unit = number.unit or "".join(follows)
        end = number.end if number.unit or unit not in known.days_of_unit else number.end + 1
        before, after = self._around(words.starts[number.start], self._end(end))
        is_age = self._patterns.person_before.search(before) or self._patterns.person_after.match(after)
        if is_age and (unit in known.years_of_unit or self._patterns.ends_age.match(after)):
            found = self.ranged("age", number, number.value * known.years_of_unit.get(unit, 1.0), number.start, end)
        elif unit in known.days_of_unit and not self._is_rate(end):
            found = self.ranged("duration", number, number.value * known.days_of_unit[unit], number.start, end)
        else:
            return
        if found.low < found.high:
            yield found

    def weekdays(self) -> Iterator[Quantity]:
        """``since Tuesday``: not longer ago than a week."""
        folded = self._words.folded
        for before, word in pairwise(folded):
            if word in self._lists.weekdays and before in self._lists.words_before_weekday:
                yield Quantity("duration", 0.0, 7.0)

    def _range(self, amount: float, unit: float, lowest: float, start: int, end: int) -> tuple[float, float]:
        before, after = self._around(start, end)
        if self._patterns.less_before.search(before) or self._patterns.less_after.match(after):
            return lowest, amount
        if self._patterns.more_before.search(before) or self._patterns.more_after.match(after):
            return amount, inf
        if unit and (first := self._patterns.first_of_two.search(before)):
            low = self._numbers[first[1].casefold()] if first[1].isalpha() else float(first[1])
            return min(unit * low, amount), amount
        return amount, amount

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._text[max(0, start - _NEAR) : start], self._text[end : end + _NEAR]

    def _end(self, end: int) -> int:
        return self._words.starts[end - 1] + len(self._words.raw[end - 1])

    def _is_rate(self, end: int) -> bool:
        return not self._lists.words_after_rates.isdisjoint(self._words.folded[end : end + 1])


@dataclass(frozen=True, slots=True)
class _Patterns:
    """A language's words as patterns; those named ``before`` and ``after`` are for the text around an amount."""

    temperature: re.Pattern[str]
    less_before: re.Pattern[str]
    less_after: re.Pattern[str]
    more_before: re.Pattern[str]
    more_after: re.Pattern[str]
    first_of_two: re.Pattern[str]
    person_before: re.Pattern[str]
    person_after: re.Pattern[str]
    ends_age: re.Pattern[str]


@cache
def _patterns(language: str) -> _Patterns:
    lists, known = word_lists(QuantityWords, language), word_lists(AttributeWords, language)
    less, more = alternation(lists.phrases_of_less), alternation(lists.phrases_of_more)
    persons = alternation(sorted(lists.people | known.persons | known.persons_with_be))
    old, numbers = alternation(sorted(known.old_words)), alternation(sorted(language_data(language).number_words))
    ends = alternation((*lists.phrases_after_less, *lists.phrases_after_more, *sorted(known.words_after_age)))
    scales = alternation(sorted(lists.celsius_words | lists.fahrenheit_words))

    def compiled(pattern: str) -> re.Pattern[str]:
        return re.compile(pattern, re.IGNORECASE)

    return _Patterns(
        temperature=compiled(
            r"(?<![\w.,:/-])(?P<number>\d{2,3}(?:[.,]\d)?)(?![.,]?\d)"
            rf"(?:(?P<degree>\s?°|\s?(?:{alternation(sorted(lists.degree_words))})\b))?"
            rf"(?:\s?(?P<scale>{scales})\b)?(?!\w)"
        ),
        less_before=compiled(rf"\b(?:{less})\s$"),
        less_after=compiled(rf"\W{{0,2}}(?:{alternation(lists.phrases_after_less)})\b"),
        more_before=compiled(rf"\b(?:{more})\s$"),
        more_after=compiled(rf"\W{{0,2}}(?:{alternation(lists.phrases_after_more)})\b"),
        first_of_two=compiled(
            rf"\b(\d{{1,4}}|{numbers})\s?(?:[-–]|\b(?:{alternation(sorted(lists.range_words))})\b)\s?$"
        ),
        person_before=compiled(rf"\b(?:{persons})\W+(?:(?:{less}|{more})\s)?$"),
        person_after=compiled(rf"\W+(?:{old})\b"),
        ends_age=compiled(rf"\s*(?:$|[^\w\s]|(?:{ends})\b)"),
    )
