"""The recursive splitter that suits a document: on HTML, on Markdown, or on plain text."""

from __future__ import annotations

from pathlib import PurePosixPath

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.recursive_html import recursive_html_chunks
from autokb.chunking.recursive_markdown import recursive_markdown_chunks
from autokb.chunking.recursive_text import recursive_text_chunks
from autokb.core.nouns import Document
from autokb.text.markdown import parse_blocks

_HTML = frozenset({".html", ".htm", ".xhtml"})


def recursive_chunks(document: Document, max_size: int, marks: tuple[Mark, ...] = ()) -> Cut:
    """Cut a page along its elements, a text with headings at them, any other text at its paragraphs.

    A page is known by its marks or by the suffix of its id.
    """
    name = PurePosixPath(document.id.removesuffix(".gz"))
    if marks or name.suffix.lower() in _HTML:
        return recursive_html_chunks(document, max_size, marks)
    if any(block.kind == "heading" for block in parse_blocks(document.text)):
        return recursive_markdown_chunks(document, max_size)
    return recursive_text_chunks(document, max_size)
