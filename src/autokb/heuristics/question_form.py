"""What kind of answer a question wants: a fact, or help."""

from __future__ import annotations

from itertools import pairwise

from autokb.core.domain import ENGLISH
from autokb.heuristics.conversations.words import pattern_of
from autokb.text.lexicons import language_data
from autokb.text.sentences import sentences
from autokb.text.words import split_words


def asks_fact(text: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence of a text opens like a question for a fact, or asks how long, how much and the like."""
    data = language_data(language)
    openings = data.question_verbs | data.question_words - data.manner_words
    for start, end in sentences(text, language=language):
        words = split_words(text[start:end]).folded
        if words and words[0] in openings:
            return True
        if any(one in data.manner_words and other in data.question_degrees for one, other in pairwise(words)):
            return True
    return False


def wants_fact(text: str, language: str = ENGLISH) -> bool:
    """Return whether a message asks for a fact, sentences that ask for help (``what can I do?``) aside."""
    parts = [text[start:end] for start, end in sentences(text, language=language)]
    return any(asks_fact(part, language) for part in parts if not pattern_of("asks_help", language).search(part))
