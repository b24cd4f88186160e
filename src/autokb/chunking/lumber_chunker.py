"""LumberChunker: a model says at which of some paragraphs the content shifts; there the next chunk begins."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from autokb.chunking.conversations import hold
from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.llm_semantic import joined
from autokb.chunking.pieces import check_size
from autokb.chunking.recursive_text import TEXT_BREAKS, chunks_at, parts_at, recursive_spans
from autokb.core.nouns import Document, Span
from autokb.tasks.chunking.find_shift.task import TASK, FindShift, FoundShift

SHOWN = 2_200  # characters of the paragraphs that are shown at once: some 550 tokens


def lumber_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a document with the task's offline answers: they follow headings and word overlap, no model is asked."""
    return hold(lumber(document, max_size), TASK.answer_offline)


def lumber(document: Document, max_size: int) -> Generator[FindShift, FoundShift, Cut]:
    """Cut a document by asking, for the paragraphs from the last cut on, at which one the content shifts.

    A rest that fits into one question is one chunk and is not asked about.
    """
    check_size(max_size)
    text = document.text
    paragraphs = _paragraphs(text)
    begins = [0]
    while (window := _window(paragraphs, begins[-1])) < len(paragraphs) - begins[-1]:
        shown = paragraphs[begins[-1] : begins[-1] + window]
        found = yield FindShift(document.title, tuple(text[s:e] for s, e in shown))
        begins.append(begins[-1] + found.at - 1)
    return chunks_at(document, joined(text, paragraphs, begins, max_size))


def _paragraphs(text: str) -> list[Span]:
    places = TEXT_BREAKS[0](text, 0, len(text))
    whole = parts_at(text, 0, len(text), places)
    return [part for start, end in whole for part in recursive_spans(text, start, end, SHOWN)]


def _window(paragraphs: Sequence[Span], start: int) -> int:
    """Return how many paragraphs are shown: those that fit and one more, at least two."""
    size = 0
    for number, place in enumerate(range(start, len(paragraphs)), 1):
        size += paragraphs[place][1] - paragraphs[place][0]
        if size > SHOWN and number > 1:
            return number
    return len(paragraphs) - start
