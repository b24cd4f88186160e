"""The chunkers by their names, and the one function that chunks a page by any of them without a model."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from autokb.chunking.auto.auto_chunker import chunk_auto
from autokb.chunking.baselines.fixed import chunk_fixed
from autokb.chunking.baselines.headings import chunk_headings
from autokb.chunking.baselines.llm_semantic import chunk_llm_semantic
from autokb.chunking.baselines.lumber_chunker import chunk_lumber
from autokb.chunking.baselines.recursive import (
    chunk_recursive,
    chunk_recursive_html,
    chunk_recursive_markdown,
    chunk_recursive_text,
)
from autokb.chunking.baselines.semantic import Embed, chunk_semantic
from autokb.chunking.chunk_result import Chunker, ChunkResult, MarkedPage
from autokb.chunking.methods import AUTO_CHUNKER, LLM_SEMANTIC, LUMBER_CHUNKER, SEMANTIC, check_method
from autokb.core.errors import BadInputError
from autokb.core.plugins import call_implementation

# All but ``semantic``, which needs vectors too; those that ask a task are answered offline.
CHUNKERS: Mapping[str, Chunker] = {
    AUTO_CHUNKER: chunk_auto,
    "fixed": chunk_fixed,
    "headings": chunk_headings,
    LLM_SEMANTIC: chunk_llm_semantic,
    LUMBER_CHUNKER: chunk_lumber,
    "recursive": chunk_recursive,
    "recursive_html": chunk_recursive_html,
    "recursive_markdown": chunk_recursive_markdown,
    "recursive_text": chunk_recursive_text,
}


def chunk_page(page: MarkedPage, method: str, max_size: int, embed: Embed | None = None) -> ChunkResult:
    """Chunk a page by the named method, no chunk's text longer than ``max_size`` characters.

    ``embed`` gives unit vectors of texts, (texts, dimensions); only ``semantic`` needs it. Raises BadInputError for a
    name that no chunker has, a size below 1, and ``semantic`` without ``embed``.
    """
    check_method(method)
    if method != SEMANTIC:
        chunker: Chunker = CHUNKERS.get(method) or partial(call_implementation, "chunkers", method)
        return chunker(page, max_size)
    if embed is None:
        raise BadInputError("The chunker 'semantic' compares sentences by their vectors; give chunk_page an embedder.")
    return chunk_semantic(page, max_size, embed)
