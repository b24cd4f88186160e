"""The task that says a text in other words, to test retrieval with (prompt G.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.paraphrases.paraphrase import paraphrases
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

Level = Literal["easy", "medium", "hard"]
LEVELS: tuple[Level, ...] = ("easy", "medium", "hard")
EACH = 5  # variations a level, as in the paper


@dataclass(frozen=True, slots=True)
class VaryQuery:
    """A text, what it belongs to (a parent's text or a document's title), and words that mean the same in the domain.

    ``synonyms`` are pairs of a word of the text and what may replace it.
    """

    text: str
    context: str
    synonyms: tuple[tuple[str, tuple[str, ...]], ...] = ()
    language: str = only_if_other_than(ENGLISH)

    @property
    def longest(self) -> int:
        """How many characters a variation of the text may have."""
        return 2 * len(self.text) + 120


class QueryVariations(Reply):
    """The same request in other words: punctuation and inflection, synonyms and phrases, another structure."""

    easy: tuple[str, ...]
    medium: tuple[str, ...]
    hard: tuple[str, ...]

    @property
    def levels(self) -> Mapping[Level, tuple[str, ...]]:
        """Return the variations by level."""
        return {"easy": self.easy, "medium": self.medium, "hard": self.hard}


class QueryVariationsTask(Task[VaryQuery, QueryVariations]):
    """In which other words could somebody ask for this?"""

    offline_revision = 2
    input = VaryQuery
    output = QueryVariations
    most = 4  # texts

    def offline(self, item: VaryQuery) -> QueryVariations:
        """Change the text mechanically; a level for which the words give nothing stays short or empty."""
        easy, medium, hard = paraphrases(item.text, item.synonyms, EACH, item.language)
        return QueryVariations(easy=easy, medium=medium, hard=hard)

    def check(self, item: VaryQuery, reply: QueryVariations) -> None:
        """Refuse a variation that is empty, too long, the text itself or given twice, and a reply without any."""
        seen = {item.text.strip()}
        for level, variations in reply.levels.items():
            if len(variations) > EACH:
                raise ReplyError(f"{level}: give {EACH} variations, not {len(variations)}.")
            for number, variation in enumerate(variations, 1):
                if not variation.strip() or len(variation) > item.longest:
                    raise ReplyError(f"{level} {number} must have 1 to {item.longest} characters.")
                if variation in seen:
                    raise ReplyError(f"{level} {number} is the text itself or stands twice; give another one.")
                seen.add(variation)
        if len(seen) == 1:
            raise ReplyError("There is no variation of this text.")

    def values(self, items: Sequence[VaryQuery]) -> Mapping[str, Any]:
        """Return the texts."""
        return {"texts": items, "each": EACH}

    def entry(self, items: Sequence[VaryQuery]) -> Mapping[str, Any]:
        """Return the fields of an entry: the same number of variations for each level."""
        variation = Annotated[str, Field(min_length=1, max_length=max(item.longest for item in items))]
        return dict.fromkeys(LEVELS, Annotated[list[variation], Field(min_length=EACH, max_length=EACH)])

    def read(self, item: VaryQuery, entry: Any) -> Read[QueryVariations]:
        """Read the variations; one that is the text itself, too long or given before is left out."""
        seen = {item.text.strip()}
        found: dict[Level, tuple[str, ...]] = {}
        complaints = []
        for level in LEVELS:
            given = dict.fromkeys(unescaped(variation).strip() for variation in getattr(entry, level))
            found[level] = tuple(v for v in given if v and v not in seen and len(v) <= item.longest)
            seen.update(found[level])
            if missing := EACH - len(found[level]):
                complaints.append(
                    f"Number {entry.number}, {level}: {missing} are empty, too long, the text or given twice."
                )
            if not found[level]:
                raise ReplyError(f"{level}: none of the variations differs from the text and from those before.")
        return Read(QueryVariations(**found), complaints=tuple(complaints))

    def tokens(self, item: VaryQuery) -> tuple[int, int]:
        """Return the tokens of all variations of a text."""
        size, many = len(item.text.encode()), EACH * len(LEVELS)
        return many * (size // 2 + 24) + 48, many * (size // 4 + 6) + 24


TASK = QueryVariationsTask()
