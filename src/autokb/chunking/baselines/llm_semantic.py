"""LLMSemantic: a model says after which of many small pieces a thematic section ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from autokb.chunking.baselines.recursive import split_recursively
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.interactive import Session, answer_all
from autokb.chunking.spans import check_size
from autokb.core.nouns import Document, Span
from autokb.tasks.chunking.find_splits.task import TASK, FindSplits, FoundSplits

PIECE = 200  # characters of a piece: some 50 tokens
SHOWN = 3_200  # characters of the pieces that are shown at once: some 800 tokens
FEWEST = 4  # pieces that are worth a question


def chunk_llm_semantic(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a document with the task's offline answers: they follow headings and word overlap, no model is asked."""
    return answer_all(llm_semantic_session(page.document, max_size), TASK.answer_offline)


def llm_semantic_session(document: Document, max_size: int) -> Session[FindSplits, FoundSplits]:
    """Chunk a document by asking after which pieces to split, a window at a time; the next begins at the last split."""
    check_size(max_size)
    text = document.text
    pieces = list(split_recursively(text, 0, len(text), PIECE))
    splits = [0]
    while len(pieces) - splits[-1] >= FEWEST:
        window = list(_window(pieces, splits[-1]))
        found = yield FindSplits(document.title, tuple(text[s:e] for s, e in window))
        begin = splits[-1]
        splits += [begin + n for n in found.after]
        if begin + len(window) == len(pieces):
            break
    return result_of_spans(document, join_from(text, pieces, splits, max_size))


def _window(pieces: Sequence[Span], start: int) -> Iterator[Span]:
    size = 0
    for number, (first, last) in enumerate(pieces[start : start + SHOWN]):
        size += last - first
        if size > SHOWN and number >= FEWEST:
            break
        yield first, last


def join_from(text: str, pieces: Sequence[Span], begins: Iterable[int], size: int) -> Iterator[Span]:
    """Yield the spans from each piece that begins a chunk to the next one; what is too long is split."""
    for first, after in pairwise((*begins, len(pieces))):
        if first < after:
            yield from split_recursively(text, pieces[first][0], pieces[after - 1][1], size)
