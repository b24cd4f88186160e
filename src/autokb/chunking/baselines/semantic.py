"""Chunks that end where the meaning turns: between sentences whose vectors are farther apart than nearly all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from autokb.chunking.baselines.recursive import split_recursively
from autokb.chunking.chunk_result import ChunkResult, MarkedPage, result_of_spans
from autokb.chunking.spans import check_size
from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

TURNS = 95.0  # percentile of the distances between neighbours beyond which a chunk ends
AROUND = 1  # sentences on either side that are embedded with a sentence, so that a short one is not compared alone
MOST_SENTENCES = 20_000  # at some hundred vectors a second it takes a minute; no manual has more
Embed = Callable[[Sequence[str]], "NDArray[np.float32]"]


def chunk_semantic(page: MarkedPage, max_size: int, embed: Embed) -> ChunkResult:
    """Chunk a document where neighbouring sentences differ most; ``embed`` gives unit vectors of texts."""
    texts = texts_to_embed(page.document)
    return chunk_by_vectors(page.document, max_size, embed(texts) if texts else None)


def texts_to_embed(document: Document) -> tuple[str, ...]:
    """Return what must be embedded to chunk a document: each sentence with its neighbours; none for a single sentence.

    Raises UnreadableFileError for a document with far too many sentences.
    """
    text, spans = document.text, sentences(document.text)
    if len(spans) > MOST_SENTENCES:
        raise UnreadableFileError(
            f"has {len(spans):,} sentences, and semantic compares at most {MOST_SENTENCES:,}; use --method recursive."
        )
    if len(spans) < 2:
        return ()
    last = len(spans) - 1
    windows = ((spans[max(n - AROUND, 0)][0], spans[min(n + AROUND, last)][1]) for n in range(len(spans)))
    return tuple(" ".join(plain_text(text[start:end]).split()) for start, end in windows)


def chunk_by_vectors(document: Document, max_size: int, vectors: ArrayLike | None) -> ChunkResult:
    """Chunk a document by the unit vectors of its ``texts_to_embed``, in their order (None where there are none)."""
    check_size(max_size)
    text, spans = document.text, sentences(document.text)
    bounds = [0, *([] if vectors is None else _turns(vectors)), len(spans)]
    return result_of_spans(
        document,
        (
            span
            for first, after in pairwise(bounds)
            if first < after
            for span in split_recursively(text, spans[first][0], spans[after - 1][1], max_size)
        ),
    )


def _turns(vectors: ArrayLike) -> list[int]:
    """Return after how many sentences each chunk but the last one ends."""
    import numpy as np

    unit = np.asarray(vectors, dtype=np.float64)
    distances = 1.0 - np.einsum("ij,ij->i", unit[:-1], unit[1:])
    return [int(n) + 1 for n in np.flatnonzero(distances > np.percentile(distances, TURNS))]
