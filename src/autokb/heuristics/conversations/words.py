"""The words of conversations, beside their matter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text import lexicons
from autokb.text.lexicons import AsWritten, WordLists

_PHRASES = ("continuations", "references", "weak_references", "empty_references")


@dataclass(frozen=True, slots=True)
class ConversationWords(WordLists):
    """Phrases and patterns; the YAML file says what each is for."""

    file: ClassVar[str] = "conversations"

    small_talk: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    acknowledgements: tuple[str, ...] = ()
    replies: Mapping[str, AsWritten] = field(default_factory=dict)
    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    continuations: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    weak_references: tuple[str, ...] = ()
    empty_references: tuple[str, ...] = ()
    small_talk_sentences: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    wishes: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    matters: Mapping[str, AsWritten] = field(default_factory=dict)


def pattern_of(name: str, language: str = ENGLISH) -> re.Pattern[str]:
    """Return the pattern of one list of a language; without words it finds nothing."""
    around = (r"\W*(?<!\w)", r"(?!\w)") if name in _PHRASES else ("", "")
    return lexicons.pattern_of(ConversationWords, name, language, *around)
