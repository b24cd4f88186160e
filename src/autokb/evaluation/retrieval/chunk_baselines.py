"""The plain systems that search whole chunks, as the papers' baselines do: no title in front, no windows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.nouns import Chunk
from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.evaluation.retrieval.experiment import System
from autokb.evaluation.runner import Embed
from autokb.retrieval.search import ChunkIndex, build_index, fused_equally, vectors_only, whole_chunks, words_only

DEPTH = 10  # documents of a ranking: the deepest metric is hit_rate@10
QueryVector = Callable[[str], Vectors]  # the text of a question -> its vector, (dimensions,)


def index_chunks(
    documents: Iterable[str], chunks: Iterable[Chunk], embed: Embed, *, language: str, with_context: bool = False
) -> ChunkIndex:
    """Index one vector a chunk, over the documents in the order of their ids; ``with_context`` puts contexts in front.

    A chunk of none of the documents is left out.
    """
    ids = sorted(documents)
    known = frozenset(ids)
    indexed = sorted((chunk for chunk in chunks if chunk.document in known), key=lambda chunk: chunk.document)
    whole = whole_chunks(indexed, with_context)
    vectors = embed([window.text for window in whole])
    return build_index(
        documents=ids,
        chunks=indexed,
        windows=whole,
        vectors=vectors,
        titles=None,
        word_texts={window.chunk: window.text for window in whole},
        language=language,
    )


def fused_baseline(chunks: ChunkIndex, query_vector: QueryVector) -> System:
    """Return the system that fuses vectors and BM25 by reciprocal ranks, 1:1."""
    return lambda text: first_documents(chunks, fused_equally(chunks, query_vector(text), text))


def bm25_baseline(chunks: ChunkIndex) -> System:
    """Return the system that ranks by words alone."""
    return lambda text: first_documents(chunks, words_only(chunks, text).documents)


def vector_baseline(chunks: ChunkIndex, query_vector: QueryVector) -> System:
    """Return the system that ranks by vectors alone."""
    return lambda text: first_documents(chunks, vectors_only(chunks, query_vector(text)).documents)


def first_documents(chunks: ChunkIndex, scores: NDArray[np.floating[Any]]) -> Sequence[str]:
    """Return the documents with the highest scores, best first; ``scores`` are in the order of the index."""
    return [chunks.documents[n] for n in best_first(scores, DEPTH)]
