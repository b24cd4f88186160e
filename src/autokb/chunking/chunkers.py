"""The chunkers by name; each turns a document and a size into chunks and, where it leaves something out, noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from autokb.chunking.cutting import Cut, Cutter, Mark
from autokb.chunking.fixed import fixed_chunks
from autokb.chunking.headings import heading_chunks
from autokb.chunking.tree import with_text
from autokb.core.errors import BadInputError
from autokb.core.nouns import Chunk, Document

if TYPE_CHECKING:
    from autokb.chunking.semantic import Embed


def _everything(cut: Callable[[Document, int], tuple[Chunk, ...]]) -> Cutter:
    """Return a chunker that leaves nothing out and looks at the Markdown alone as one of the common shape."""
    return lambda document, max_size, _marks: Cut(cut(document, max_size))


def _recursive(document: Document, max_size: int, marks: tuple[Mark, ...]) -> Cut:
    from autokb.chunking.recursive import recursive_chunks

    return recursive_chunks(document, max_size, marks)


def _semantic(document: Document, max_size: int, marks: tuple[Mark, ...]) -> Cut:
    raise BadInputError("The chunker 'semantic' compares sentences by their vectors; give cut_document an embedder.")


def _llm_semantic(document: Document, max_size: int, marks: tuple[Mark, ...]) -> Cut:
    from autokb.chunking.llm_semantic import llm_semantic_chunks

    return llm_semantic_chunks(document, max_size, marks)


def _lumber(document: Document, max_size: int, marks: tuple[Mark, ...]) -> Cut:
    from autokb.chunking.lumber_chunker import lumber_chunks

    return lumber_chunks(document, max_size, marks)


def _auto(document: Document, max_size: int, marks: tuple[Mark, ...]) -> Cut:
    from autokb.chunking.auto_chunker import auto_chunks

    return auto_chunks(document, max_size, marks)


CHUNKERS: Mapping[str, Cutter] = {
    "fixed": _everything(fixed_chunks),
    "recursive": _recursive,
    "headings": _everything(heading_chunks),
    "semantic": _semantic,
    "llm_semantic": _llm_semantic,
    "lumber_chunker": _lumber,
    "auto_chunker": _auto,
}


def cut_document(
    document: Document,
    method: str,
    max_size: int,
    marks: tuple[Mark, ...] = (),
    repeated: frozenset[str] = frozenset(),
    embed: Embed | None = None,
) -> Cut:
    """Cut a document by the named method, without a model.

    ``repeated`` are the blocks that stand on several pages of its site (for auto_chunker), ``embed`` gives unit
    vectors (for semantic).
    """
    if method not in CHUNKERS:
        raise BadInputError(f"There is no chunker {method!r}; choose one of: {', '.join(sorted(CHUNKERS))}.")
    if method == "auto_chunker":
        from autokb.chunking.auto_chunker import auto_chunks

        return auto_chunks(document, max_size, marks, repeated)
    if method == "semantic" and embed is not None:
        from autokb.chunking.semantic import semantic_chunks

        return semantic_chunks(document, max_size, marks, embed=embed)
    return CHUNKERS[method](document, max_size, marks)


def chunk_document(document: Document, method: str, max_size: int) -> tuple[Chunk, ...]:
    """Return the chunks with text that a document is cut into; what a heading without text carries hangs higher."""
    return with_text(cut_document(document, method, max_size).chunks)
