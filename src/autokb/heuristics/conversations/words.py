"""The words of conversations, beside their matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import AsWritten, WordLists, alternation, word_lists

_PHRASES = ("continuations", "references", "weak_references", "empty_references")


@dataclass(frozen=True, slots=True)
class ConversationWords(WordLists):
    """Phrases and patterns; the YAML file says what each is for."""

    file: ClassVar[str] = "conversations"

    small_talk: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    acknowledgements: tuple[str, ...] = ()
    replies: Mapping[str, AsWritten] = field(default_factory=dict)
    unsolved: tuple[AsWritten, ...] = ()
    continuations: tuple[str, ...] = ()
    corrections: tuple[AsWritten, ...] = ()
    references: tuple[str, ...] = ()
    weak_references: tuple[str, ...] = ()
    empty_references: tuple[str, ...] = ()
    leaning_openings: tuple[AsWritten, ...] = ()
    conditional_headings: tuple[AsWritten, ...] = ()
    operating_openings: tuple[AsWritten, ...] = ()
    solved: tuple[AsWritten, ...] = ()
    shifts: tuple[AsWritten, ...] = ()
    closing_questions: tuple[AsWritten, ...] = ()
    reports: tuple[AsWritten, ...] = ()
    requirements: tuple[AsWritten, ...] = ()
    small_talk_sentences: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    wishes: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    matters: Mapping[str, AsWritten] = field(default_factory=dict)


@cache
def pattern_of(name: str, language: str = ENGLISH) -> re.Pattern[str]:
    """Return the pattern of one list of a language; without words it finds nothing."""
    found: tuple[str, ...] = getattr(word_lists(ConversationWords, language), name)
    if name in _PHRASES:
        return re.compile(rf"\W*(?<!\w)(?:{alternation(sorted(found, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
    return re.compile("|".join(found) or "(?!)", re.IGNORECASE)
