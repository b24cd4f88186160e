"""Chunks that end where the meaning turns: between sentences whose vectors are farther apart than nearly all others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.pieces import check_size
from autokb.chunking.recursive_text import chunks_at, recursive_spans
from autokb.core.errors import UnreadableFileError
from autokb.core.nouns import Document, Span
from autokb.text.plain_text import plain_text, sentences

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TURNS = 95.0  # percentile of the distances between neighbours beyond which a chunk ends
AROUND = 1  # sentences on either side that are embedded with a sentence, so that a short one is not judged alone
MOST_SENTENCES = 20_000  # at some hundred vectors a second it takes a minute; no manual has more
Embed = Callable[[Sequence[str]], "NDArray[np.float32]"]


def semantic_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = (), *, embed: Embed) -> Cut:
    """Cut a document where neighbouring sentences differ most; ``embed`` gives unit vectors of texts."""
    texts = semantic_texts(document)
    return cut_by_vectors(document, max_size, embed(texts) if texts else None)


def semantic_texts(document: Document) -> tuple[str, ...]:
    """Return what must be embedded to cut a document: each sentence with its neighbours; none for a single sentence.

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


def cut_by_vectors(document: Document, max_size: int, vectors: Any) -> Cut:
    """Cut a document by the unit vectors of its ``semantic_texts``, in their order (None where there are none)."""
    check_size(max_size)
    spans = sentences(document.text)
    ends = [] if vectors is None else _turns(vectors)
    bounds = [0, *ends, len(spans)]
    groups = [(spans[a][0], spans[b - 1][1]) for a, b in pairwise(bounds) if a < b]
    return chunks_at(document, _fitting(document.text, groups, max_size))


def _turns(vectors: Any) -> list[int]:
    """Return after how many sentences each chunk but the last one ends."""
    import numpy as np

    unit = np.asarray(vectors, dtype=np.float64)
    distances = 1.0 - np.einsum("ij,ij->i", unit[:-1], unit[1:])
    return [int(n) + 1 for n in np.flatnonzero(distances > np.percentile(distances, TURNS))]


def _fitting(text: str, groups: Sequence[Span], size: int) -> list[Span]:
    return [span for start, end in groups for span in recursive_spans(text, start, end, size)]
