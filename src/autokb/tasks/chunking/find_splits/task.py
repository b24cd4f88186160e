"""The task that says after which pieces of a document its sections end (the question of LLMSemantic)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.cohesion import section_ends
from autokb.heuristics.grounding.visible import visible
from autokb.tasks.task import Read, Reply, ReplyError, Task


@dataclass(frozen=True, slots=True)
class FindSplits:
    """Neighbouring pieces of a document, at least two."""

    title: str
    pieces: tuple[str, ...]
    language: str = only_if_other_than(ENGLISH)


class FoundSplits(Reply):
    """The numbers of the pieces, from 1, after which a section ends: rising, at least one, never the last."""

    after: tuple[int, ...]


class FindSplitsTask(Task[FindSplits, FoundSplits]):
    """After which of these pieces does a section end? A request is about one window of one document."""

    offline_revision = 1
    input = FindSplits
    output = FoundSplits

    def offline(self, item: FindSplits) -> FoundSplits:
        """Split before headings and where neighbouring pieces share the fewest words."""
        return FoundSplits(after=section_ends(item.pieces, item.language))

    def check(self, item: FindSplits, reply: FoundSplits) -> None:
        """Refuse no split, numbers that do not rise, and a split after a piece that is not there or is the last."""
        last = len(item.pieces) - 1
        if not reply.after:
            raise ReplyError("There is no split; give at least one.")
        if any(a >= b for a, b in pairwise(reply.after)):
            raise ReplyError("The numbers of the splits must rise.")
        if reply.after[0] < 1 or reply.after[-1] > last:
            raise ReplyError(f"A split stands after a piece from 1 to {last}.")

    def values(self, items: Sequence[FindSplits]) -> Mapping[str, Any]:
        """Return title and pieces as people see them."""
        return {"title": visible(items[0].title), "pieces": [visible(piece) for piece in items[0].pieces]}

    def entry(self, items: Sequence[FindSplits]) -> Mapping[str, Any]:
        """Return the field of an entry: the numbers of the pieces after which to split."""
        last = max(len(item.pieces) for item in items) - 1
        number: Any = Annotated[int, Field(ge=1, le=last)]
        return {"after": Annotated[list[number], Field(min_length=1, max_length=last)]}

    def read(self, item: FindSplits, entry: Any) -> Read[FoundSplits]:
        """Read the numbers, in whatever order they come; one that is given twice counts once."""
        return Read(FoundSplits(after=tuple(sorted(set(entry.after)))))

    def tokens(self, item: FindSplits) -> tuple[int, int]:
        """Return the tokens of a number for every piece, and for some of them."""
        return 32 + 6 * len(item.pieces), 24 + len(item.pieces)


TASK = FindSplitsTask()
