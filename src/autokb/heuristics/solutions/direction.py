"""Which way steps go: what is too loud is not helped by steps that make it louder."""

from __future__ import annotations

from collections.abc import Iterable

from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import alternation, pattern_of, word_lists


def _is_too(words: str, issue: str, language: str) -> bool:
    """Return whether an issue says that something is too much, by a list of words for it: too loud."""
    too = alternation(word_lists(ManualWords, language).excess_words)
    return pattern_of(ManualWords, words, language, rf"\b(?:{too}) ", r"\b").search(issue) is not None


def makes_worse(issue: str, steps: Iterable[str], language: str) -> bool:
    """Return whether an issue says that something is too much or too little, and steps go further that way.

    What limits and is switched off raises. Steps of both ways, or of none, make nothing worse.
    """
    excess = _is_too("much_words", issue, language) - _is_too("little_words", issue, language)
    if not excess:
        return False
    raising, lowering = (pattern_of(ManualWords, name, language) for name in ("raising_steps", "lowering_steps"))
    way = 0
    for step in steps:
        further = len(raising.findall(step)) - len(lowering.findall(step))
        way += -further if pattern_of(ManualWords, "switching_off", language).search(step) else further
    return way * excess > 0
