"""The words of a language by which attribute values are read from a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar, Literal

from autokb.text.lexicons import AsWritten, WordLists

Phrase = tuple[str, ...]  # the folded words of a phrase
State = Literal["stated", "trouble", "works", "denied"]
Denial = State | Literal["contrasted"]  # contrasted: the opposite of what the clause before says


@dataclass(frozen=True)
class AttributeWords(WordLists):
    """Words of contrast, quantity, people, ages, lengths of time and names; the YAML file says what each set is for."""

    file: ClassVar[str] = "attributes"

    contrast_words: frozenset[str] = frozenset()
    statement_words: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    owning_words: frozenset[str] = frozenset()
    words_under_denial: frozenset[str] = frozenset()
    not_words: frozenset[str] = frozenset()
    no_words: frozenset[str] = frozenset()
    words_after_stating_not: frozenset[str] = frozenset()
    writers_before_not: frozenset[str] = frozenset()
    negated_be: frozenset[str] = frozenset()
    negated_do: frozenset[str] = frozenset()
    denials: tuple[str, ...] = ()
    contrasting_denials: tuple[str, ...] = ()
    replacing_phrases: tuple[str, ...] = ()
    changing_words: frozenset[str] = frozenset()
    working_words: frozenset[str] = frozenset()
    trouble_words: frozenset[str] = frozenset()
    working_pairs: tuple[str, ...] = ()
    telling_words: frozenset[str] = frozenset()
    past_openings: tuple[str, ...] = ()
    carrying_words: frozenset[str] = frozenset()
    words_of_unborn: frozenset[str] = frozenset()
    symptom_words: frozenset[str] = frozenset()
    coordinating_words: frozenset[str] = frozenset()
    words_joining_not: frozenset[str] = frozenset()
    every_words: frozenset[str] = frozenset()
    other_names: Mapping[str, str] = field(default_factory=dict)
    words_before_every: frozenset[str] = frozenset()
    whatever_words: frozenset[str] = frozenset()
    whatever_phrases: tuple[str, ...] = ()
    none_words: frozenset[str] = frozenset()
    any_words: frozenset[str] = frozenset()
    denied_every: frozenset[str] = frozenset()
    words_before_attribute: frozenset[str] = frozenset()
    pronouns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sex_letters: Mapping[str, str] = field(default_factory=dict)
    other_people: frozenset[str] = frozenset()
    age_groups: Mapping[str, float] = field(default_factory=dict)
    decades: Mapping[str, float] = field(default_factory=dict)
    words_before_decade: frozenset[str] = frozenset()
    year_words: frozenset[str] = frozenset()
    month_words: frozenset[str] = frozenset()
    week_words: frozenset[str] = frozenset()
    year_abbreviations: frozenset[str] = frozenset()
    year_phrases: tuple[str, ...] = ()
    old_words: frozenset[str] = frozenset()
    words_after_written_unit: frozenset[str] = frozenset()
    age_phrases: tuple[str, ...] = ()
    words_of_age: frozenset[str] = frozenset()
    persons: frozenset[str] = frozenset()
    words_after_age: frozenset[str] = frozenset()
    words_about_age: frozenset[str] = frozenset()
    words_after_opening: frozenset[str] = frozenset()
    persons_with_be: frozenset[str] = frozenset()
    be_forms: frozenset[str] = frozenset()
    third_persons: frozenset[str] = frozenset()
    words_before_lettered_age: frozenset[str] = frozenset()
    duration_groups: Mapping[str, float] = field(default_factory=dict)
    units: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    bare_plurals: Mapping[str, float] = field(default_factory=dict)
    words_before_bare_plural: frozenset[str] = frozenset()
    words_after_bare_plural: frozenset[str] = frozenset()
    words_before_span: frozenset[str] = frozenset()
    span_openings: tuple[str, ...] = ()
    words_after_span: frozenset[str] = frozenset()
    span_endings: tuple[str, ...] = ()
    words_after_age_unit: frozenset[str] = frozenset()
    beginnings: Mapping[str, float] = field(default_factory=dict)
    rough_amounts: Mapping[str, float] = field(default_factory=dict)
    health_attributes: frozenset[str] = frozenset()
    illnesses: frozenset[str] = frozenset()
    illness_spellings: Mapping[str, AsWritten] = field(default_factory=dict)
    phrases_before_illness: tuple[str, ...] = ()
    healthy_phrases: tuple[str, ...] = ()
    past_event_words: frozenset[str] = frozenset()
    naming_verbs: frozenset[str] = frozenset()
    words_after_name: frozenset[str] = frozenset()
    words_of_no_name: frozenset[str] = frozenset()

    @cached_property
    def denial_of(self) -> Mapping[Phrase, Denial]:
        """What a word, or a pair of words, before a mention does to it."""
        denied: dict[Phrase, Denial] = dict.fromkeys(in_words(self.denials), "denied")
        return {**denied, **dict.fromkeys(in_words(self.contrasting_denials), "contrasted")}

    @cached_property
    def denying_words(self) -> frozenset[str]:
        """The words that deny what a sentence goes on to say."""
        return self.not_words | self.negated_do | self.negated_be | self.none_words

    @cached_property
    def fill(self) -> frozenset[str]:
        """The words that may stand between a denial and a mention."""
        return self.determiners | self.prepositions | self.owning_words | self.words_under_denial

    @cached_property
    def begins_contrast(self) -> frozenset[str]:
        """The words behind which "not" contrasts a clause with the one before."""
        return self.contrast_words | self.words_joining_not

    @cached_property
    def years_of_unit(self) -> Mapping[str, float]:
        """The units of ages, in years."""
        years, months = dict.fromkeys(self.year_words, 1.0), dict.fromkeys(self.month_words, 1 / 12)
        return years | months | dict.fromkeys(self.week_words, 1 / 52)

    @cached_property
    def days_of_unit(self) -> Mapping[str, float]:
        """The units of lengths of time, in days."""
        return {word: _DAYS[unit] for unit, words in self.units.items() for word in words}

    @cached_property
    def days_since(self) -> Mapping[Phrase, float]:
        """Phrases that say how long ago it began, in days."""
        return {tuple(phrase.split()): days for phrase, days in self.beginnings.items()}

    @cached_property
    def amounts(self) -> Mapping[Phrase, float]:
        """Rough amounts, the first that fits counts."""
        return {tuple(phrase.split()): amount for phrase, amount in self.rough_amounts.items()}

    @cached_property
    def illness_names(self) -> Mapping[str, str]:
        """Illnesses with a name of one word, with the spelling of the value."""
        return {word: word.capitalize() for word in self.illnesses} | dict(self.illness_spellings)


_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "fortnight": 14.0, "month": 30.5, "year": 365.0}


@lru_cache(maxsize=64)
def in_words(phrases: tuple[str, ...]) -> frozenset[Phrase]:
    """Return phrases as tuples of their words."""
    return frozenset(tuple(phrase.split()) for phrase in phrases)
