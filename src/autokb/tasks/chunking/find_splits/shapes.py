"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.tasks.reply import Reply


@dataclass(frozen=True, slots=True)
class FindSplits:
    """Neighbouring pieces of a document, at least two."""

    title: str
    pieces: tuple[str, ...]


class FoundSplits(Reply):
    """The numbers of the pieces, from 1, after which a section ends: rising, at least one, never the last."""

    after: tuple[int, ...]
