"""LumberChunker: a model says at which of some paragraphs the content shifts; there the next chunk begins."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.chunking.baselines.llm_semantic import join_from
from autokb.chunking.baselines.recursive import PARAGRAPH_BREAKS, split_at, split_recursively
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.interactive import Session, answer_all
from autokb.chunking.spans import check_size
from autokb.core.nouns import Document, Span
from autokb.tasks.chunking.find_shift.task import TASK, FindShift, FoundShift

SHOWN = 2_200  # characters of the paragraphs that are shown at once: some 550 tokens, as in the LumberChunker paper


def chunk_lumber(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a document with the task's offline answers: they follow headings and word overlap, no model is asked."""
    return answer_all(lumber_session(page.document, max_size), TASK.answer_offline)


def lumber_session(document: Document, max_size: int) -> Session[FindShift, FoundShift]:
    """Chunk a document by asking, for the paragraphs from the last chunk on, at which one the content shifts.

    A rest that fits into one question is one chunk and is not asked about.
    """
    check_size(max_size)
    text = document.text
    whole = split_at(text, 0, len(text), PARAGRAPH_BREAKS(text, 0, len(text)))
    paragraphs = [part for start, end in whole for part in split_recursively(text, start, end, SHOWN)]
    begins = [0]
    while (window := _window(paragraphs, begins[-1])) < len(paragraphs) - begins[-1]:
        shown = paragraphs[begins[-1] : begins[-1] + window]
        found = yield FindShift(document.title, tuple(text[s:e] for s, e in shown))
        begins.append(begins[-1] + found.at - 1)
    return result_of_spans(document, join_from(text, paragraphs, begins, max_size))


def _window(paragraphs: Sequence[Span], start: int) -> int:
    """Return how many paragraphs are shown: those that fit and one more, at least two."""
    size = 0
    for number, place in enumerate(range(start, len(paragraphs)), 1):
        size += paragraphs[place][1] - paragraphs[place][0]
        if size > SHOWN and number > 1:
            return number
    return len(paragraphs) - start
