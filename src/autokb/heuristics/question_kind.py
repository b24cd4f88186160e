"""The kind of a question: whether it asks for a fact, which any section may state, or for what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.text.lexicons import AsWritten, WordLists, language_data, pattern_of
from autokb.text.sentences import sentences
from autokb.text.words import split_words

LONGEST_FACT = 25  # words; who writes more tells a problem, whatever the last sentence asks


@dataclass(frozen=True, slots=True)
class QuestionWords(WordLists):
    """Openings like those of a question for a fact that ask for help; the YAML file says what each is for."""

    file: ClassVar[str] = "question_kinds"

    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)


def asks_fact(text: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence of a short text opens like a question for a fact or for yes or no.

    So does one that asks how long, how much and the like.
    """
    data, words_for_help = language_data(language), pattern_of(QuestionWords, "requests_for_help", language)
    openings = data.question_verbs | data.question_words - data.manner_words
    found = False
    for start, end in sentences(text, language=language):
        words = split_words(text[start:end]).folded
        opens = bool(words) and words[0] in openings and not words_for_help.match(" ".join(words))
        found = found or opens
        found = found or any(a in data.manner_words and b in data.question_degrees for a, b in pairwise(words))
    return found and len(split_words(text).folded) < LONGEST_FACT
