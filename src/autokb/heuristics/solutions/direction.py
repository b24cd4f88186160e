"""Which way steps go: what is too loud is not helped by steps that make it louder."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import alternation, any_of, ignoring_case, word_lists


@dataclass(frozen=True, slots=True)
class _DirectionPatterns:
    too_much: re.Pattern[str]
    too_little: re.Pattern[str]
    raising: re.Pattern[str]
    lowering: re.Pattern[str]
    switching_off: re.Pattern[str]


@cache
def _patterns(language: str) -> _DirectionPatterns:
    known = word_lists(ManualWords, language)
    too = rf"\b(?:{alternation(known.excess_words)}) "
    return _DirectionPatterns(
        too_much=re.compile(rf"{too}(?:{alternation(known.much_words)})\b", re.IGNORECASE),
        too_little=re.compile(rf"{too}(?:{alternation(known.little_words)})\b", re.IGNORECASE),
        raising=ignoring_case(any_of(known.raising_steps)),
        lowering=ignoring_case(any_of(known.lowering_steps)),
        switching_off=ignoring_case(any_of(known.switching_off)),
    )


def makes_worse(issue: str, steps: Iterable[str], language: str) -> bool:
    """Return whether an issue says that something is too much or too little, and steps go further that way.

    What limits and is switched off raises. Steps of both ways, or of none, make nothing worse.
    """
    known = _patterns(language)
    excess = bool(known.too_much.search(issue)) - bool(known.too_little.search(issue))
    if not excess:
        return False
    way = 0
    for step in steps:
        up, down = len(known.raising.findall(step)), len(known.lowering.findall(step))
        way += down - up if known.switching_off.search(step) else up - down
    return way * excess > 0
