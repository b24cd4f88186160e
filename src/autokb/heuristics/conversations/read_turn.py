"""The customer's last message, read with what was said before: which question it asks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from autokb.core.conversations import AGENT, CUSTOMER, Message
from autokb.core.domain import ENGLISH
from autokb.heuristics.conversations.small_talk import small_talk, without_small_talk
from autokb.heuristics.conversations.words import ConversationWords
from autokb.heuristics.subject_words import subject_words
from autokb.text.lexicons import alternation, word_lists

# Words that say what a message is about: with fewer it says too little by itself, with fewer it leans on what it refers
# to. Chosen on the development conversations of ``python -m benchmarks conversations``.
FEW_WORDS, SOME_WORDS = 3, 6
SHORT_ANSWER = 8  # words of an answer to a question of the agent
MOST_BEFORE = 3  # messages of the customer that are read with the last one


@dataclass(frozen=True, slots=True)
class Turn:
    """The question that the last message asks.

    ``text`` is what is searched for: the last message alone, or behind the earlier ones that it goes on from.
    ``customer`` are those messages, the last one last. ``tried`` is what the agent wrote before, which did not help
    where the customer says so (``unsolved``). ``small_talk`` is its kind where there is nothing to search for.
    """

    text: str
    customer: tuple[str, ...]
    tried: tuple[str, ...] = ()
    unsolved: bool = False
    small_talk: str | None = None


def read_turn(messages: Sequence[Message], language: str = ENGLISH) -> Turn:
    """Read a conversation whose last message is the customer's."""
    last = messages[-1].text.strip()
    before = [m for m in messages[:-1] if m.text.strip()]
    tried = tuple(m.text for m in before if m.role == AGENT)
    earlier = [m.text.strip() for m in before if m.role == CUSTOMER and not small_talk(m.text, language)]
    if kind := small_talk(last, language):
        return Turn(last, (last,), tried, small_talk=kind)
    asked_by_agent = bool(before) and before[-1].role == AGENT and before[-1].text.rstrip().endswith("?")
    unsolved = bool(earlier) and _says(last, language, "unsolved")
    if not earlier or not (unsolved or leans_on_before(last, language, is_answer=asked_by_agent)):
        return Turn(last, (last,), tried)
    parts = [*_problem_of(earlier, language), without_small_talk(last, language)]
    return Turn("\n".join(parts), tuple(parts), tried, unsolved)


def leans_on_before(message: str, language: str = ENGLISH, *, is_answer: bool = False) -> bool:
    """Return whether a message says too little by itself; ``is_answer`` where the agent had asked something."""
    rest = without_small_talk(message, language)
    about = len(set(subject_words(rest, language)))
    if about < FEW_WORDS or (is_answer and len(rest.split()) <= SHORT_ANSWER) or _says(rest, language, "corrections"):
        return True
    return about < SOME_WORDS and (_continues(rest, language) or _refers(rest, language))


def _problem_of(earlier: Sequence[str], language: str) -> list[str]:
    """Return the customer's messages from the last one that can be read by itself on."""
    found: list[str] = []
    for message in reversed(earlier[-MOST_BEFORE:] if len(earlier) > MOST_BEFORE else earlier):
        found.append(without_small_talk(message, language))
        if not leans_on_before(message, language) and not _says(message, language, "unsolved"):
            break
    return found[::-1]


def _says(message: str, language: str, name: str) -> bool:
    return _pattern(language, name).search(message) is not None


def _continues(message: str, language: str) -> bool:
    return _pattern(language, "continuations").match(message) is not None


def _refers(message: str, language: str) -> bool:
    return _pattern(language, "references").search(message) is not None


@cache
def _pattern(language: str, name: str) -> re.Pattern[str]:
    found: tuple[str, ...] = getattr(word_lists(ConversationWords, language), name)
    if name in ("continuations", "references"):
        return re.compile(rf"\W*(?<!\w)(?:{alternation(sorted(found, key=len, reverse=True))})(?!\w)", re.IGNORECASE)
    return re.compile("|".join(found) or "(?!)", re.IGNORECASE)
