"""What an annotator said of one solution: is it correct?"""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.ids import digest
from autokb.core.nouns import Solution


@dataclass(frozen=True, slots=True)
class Annotation:
    """One answer; it holds for the words that the solution (``item``) had then, whose hash is kept."""

    item: str
    annotator: str
    text_hash: str
    is_correct: bool
    author: str
    date: str


def words_of(solution: Solution) -> str:
    """Return the hash of what an annotator judges of a solution: its words and what it cites."""
    return digest(solution.text, *(e.quote for e in solution.evidence))
