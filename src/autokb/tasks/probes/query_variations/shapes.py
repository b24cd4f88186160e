"""What the task is asked and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from autokb.tasks.reply import Reply, ReplyError

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
EACH = 5  # variations a level, as in the paper


@dataclass(frozen=True, slots=True)
class VaryQuery:
    """A text, where it stands (a parent's text or a document's title), and words that the domain takes for the same.

    ``synonyms`` are pairs of a word of the text and what may stand for it.
    """

    text: str
    context: str
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()


class QueryVariations(Reply):
    """The same request in other words: punctuation and inflection, synonyms and phrases, another structure."""

    easy: tuple[str, ...]
    medium: tuple[str, ...]
    hard: tuple[str, ...]

    @property
    def levels(self) -> Mapping[Level, tuple[str, ...]]:
        """Return the variations by level."""
        return {level: cast(tuple[str, ...], getattr(self, level)) for level in LEVELS}


def longest(text: str) -> int:
    """Return how many characters a variation of a text may have."""
    return 2 * len(text) + 120


def check(item: VaryQuery, reply: QueryVariations) -> None:
    """Refuse a variation that is empty, too long, the text itself or given twice, and a reply without any."""
    seen = {item.text.strip()}
    for level, variations in reply.levels.items():
        if len(variations) > EACH:
            raise ReplyError(f"{level}: give {EACH} variations, not {len(variations)}.")
        for number, variation in enumerate(variations, 1):
            if not variation.strip() or len(variation) > longest(item.text):
                raise ReplyError(f"{level} {number} must have 1 to {longest(item.text)} characters.")
            if variation in seen:
                raise ReplyError(f"{level} {number} is the text itself or stands twice; give another one.")
            seen.add(variation)
    if len(seen) == 1:
        raise ReplyError("There is no variation of this text.")
