"""LLMSemantic: a model says after which of many small pieces a thematic section ends."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from itertools import pairwise

from autokb.chunking.conversations import hold
from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.pieces import check_size
from autokb.chunking.recursive_text import chunks_at, recursive_spans
from autokb.core.nouns import Document, Span
from autokb.tasks.chunking.find_splits.task import TASK, FindSplits, FoundSplits

PIECE = 200  # characters of a piece: some 50 tokens
SHOWN = 3_200  # characters of the pieces that are shown at once: some 800 tokens
FEWEST = 4  # pieces that are worth a question


def llm_semantic_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a document with the task's offline answers: they follow headings and word overlap, no model is asked."""
    return hold(llm_semantic(document, max_size), TASK.answer_offline)


def llm_semantic(document: Document, max_size: int) -> Generator[FindSplits, FoundSplits, Cut]:
    """Cut a document by asking after which pieces to split, a window at a time; the next begins at the last split."""
    check_size(max_size)
    text = document.text
    pieces = list(recursive_spans(text, 0, len(text), PIECE))
    splits = [0]
    while len(pieces) - splits[-1] >= FEWEST:
        window = list(_window(pieces, splits[-1]))
        found = yield FindSplits(document.title, tuple(text[s:e] for s, e in window))
        begin = splits[-1]
        splits += [begin + n for n in found.after]
        if begin + len(window) == len(pieces):
            break
    return chunks_at(document, joined(text, pieces, splits, max_size))


def _window(pieces: Sequence[Span], start: int) -> Iterator[Span]:
    size = 0
    for number, (first, last) in enumerate(pieces[start : start + SHOWN]):
        size += last - first
        if size > SHOWN and number >= FEWEST:
            break
        yield first, last


def joined(text: str, pieces: Sequence[Span], begins: Iterable[int], size: int) -> Iterator[Span]:
    """Give the spans from each piece that begins a chunk to the next one; what is too long is cut."""
    for first, after in pairwise((*begins, len(pieces))):
        if first < after:
            yield from recursive_spans(text, pieces[first][0], pieces[after - 1][1], size)
