"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.tasks.reply import Reply


@dataclass(frozen=True, slots=True)
class FindShift:
    """Neighbouring paragraphs of a document, at least two."""

    title: str
    paragraphs: tuple[str, ...]


class FoundShift(Reply):
    """The number of the paragraph, from 2, that begins something else than the ones before it."""

    at: int
