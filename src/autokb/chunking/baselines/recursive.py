"""The recursive splitter that suits a document: on HTML, on Markdown, or on plain text."""

from __future__ import annotations

from pathlib import PurePosixPath

from autokb.chunking.baselines.recursive_html import chunk_recursive_html
from autokb.chunking.baselines.recursive_markdown import chunk_recursive_markdown
from autokb.chunking.baselines.recursive_text import chunk_recursive_text
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.text.markdown import parse_blocks

_HTML = frozenset({".html", ".htm", ".xhtml"})


def chunk_recursive(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a web page along its elements, a text with headings at them, any other text at its paragraphs.

    A web page is known by its marks or by the suffix of its id.
    """
    name = PurePosixPath(page.document.id.removesuffix(".gz"))
    if page.marks or name.suffix.lower() in _HTML:
        return chunk_recursive_html(page, max_size)
    if any(block.kind == "heading" for block in parse_blocks(page.document.text)):
        return chunk_recursive_markdown(page, max_size)
    return chunk_recursive_text(page, max_size)
