"""What a draft looks for: groups of values that many domains have, and rules that many support desks have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from autokb.core.domain import ENGLISH, Attribute
from autokb.heuristics.spec.proposal import DraftedRule
from autokb.text.lexicons import AsWritten, WordLists, language_data, word_lists


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule, why it is proposed, and the patterns of what breaks it."""

    text: AsWritten
    why: AsWritten
    patterns: tuple[AsWritten, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftingWords(WordLists):
    """Groups of values and rules by their names, and words that are no names of customers' variants."""

    file: ClassVar[str] = "drafting"

    closed_families: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    open_families: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    rules: Mapping[str, RuleText] = field(default_factory=dict)
    label_prepositions: tuple[AsWritten, ...] = ()
    label_determiners: tuple[AsWritten, ...] = ()
    words_of_no_label: frozenset[str] = frozenset()
    words_before_numbers: frozenset[str] = frozenset()


@cache
def families(language: str = ENGLISH) -> tuple[Attribute, ...]:
    """Return groups of values that many domains have, as attributes."""
    known = word_lists(DraftingWords, language)
    closed = (Attribute(name, "closed", values) for name, values in known.closed_families.items())
    return (*closed, *(Attribute(name, "open", (), examples) for name, examples in known.open_families.items()))


@cache
def family_words(language: str = ENGLISH) -> frozenset[str]:
    """Return the folded words that name a value of these groups."""
    names = language_data(language).value_names
    values = (value for family in families(language) for value in (*family.values, *family.examples))
    words = (word for value in values for word in (value, *names.get(value.casefold(), ())))
    return frozenset(word.casefold().lstrip("?") for word in words)


@cache
def general_rules(language: str = ENGLISH) -> tuple[DraftedRule, ...]:
    """Return rules that many support desks have."""
    rules = word_lists(DraftingWords, language).rules
    return tuple(
        DraftedRule(id=name, text=rule.text, why=rule.why, patterns=rule.patterns) for name, rule in rules.items()
    )
