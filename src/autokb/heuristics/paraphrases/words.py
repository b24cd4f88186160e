"""The words of a language by which a text is said in other words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import ClassVar

from autokb.text.lexicons import AsWritten, WordLists

NOTHING = AsWritten("")


@dataclass(frozen=True)
class ParaphraseWords(WordLists):
    """Groups of exchangeable words and sentences around a text; a sentence that a language lacks is empty."""

    file: ClassVar[str] = "paraphrases"

    contractions: tuple[AsWritten, ...] = ()
    exchangeable: tuple[AsWritten, ...] = ()
    clause_openings: tuple[str, ...] = ()
    capital_words: tuple[AsWritten, ...] = ()
    question_as_statement: AsWritten = NOTHING
    statement_as_question: AsWritten = NOTHING
    question_as_request: AsWritten = NOTHING
    statement_as_why: AsWritten = NOTHING
    list_of_keywords: AsWritten = NOTHING

    @cached_property
    def short_and_long(self) -> tuple[tuple[str, str], ...]:
        """Pairs of a short form and its long form."""
        return tuple((words[0], words[1]) for words in map(_words, self.contractions))

    @cached_property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Every word of a group with each other word of it."""
        return tuple(pair for group in self.exchangeable for pair in permutations(_words(group), 2))

    @cached_property
    def capital_beginnings(self) -> tuple[str, ...]:
        """Words that keep their capital, with an apostrophe behind: I'm."""
        return tuple(word + mark for word in self.capital_words for mark in "'’")


def _words(group: str) -> list[str]:
    return [word.strip() for word in group.split(",")]
