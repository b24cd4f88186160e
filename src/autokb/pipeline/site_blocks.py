"""Paragraphs that stand on many pages of one site, told page by page; what no page has twice is worked out once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from autokb.chunking.repeated import PageBlocks, page_blocks, repeated_by_site, repeated_on
from autokb.core.ids import digest
from autokb.core.nouns import Document
from autokb.pipeline.reading_pages import SourcePage
from autokb.stores.workspace_file import WorkspaceFile

VERSION = "2"  # raise it when the paragraphs of a page are told otherwise
STAGE = "blocks"
NONE: frozenset[str] = frozenset()


class SiteBlocks:
    """The paragraphs of the pages that were added; all are added before the first question."""

    def __init__(self) -> None:
        self._pages: list[PageBlocks] = []
        self._repeated: dict[str, frozenset[str]] | None = None

    def add(self, page: SourcePage) -> None:
        """Count the paragraphs of a page; one whose paragraphs nobody looked at counts for nothing."""
        if page.blocks is not None:
            self._pages.append(page.blocks)
            self._repeated = None

    def repeated_in(self, page: SourcePage) -> frozenset[str]:
        """Return which of a page's paragraphs stand on many pages of its site."""
        if page.blocks is None:
            return NONE
        if self._repeated is None:
            self._repeated = repeated_by_site(self._pages)
        return repeated_on(page.blocks, self._repeated.get(page.blocks.site, NONE))


def with_blocks(page: SourcePage) -> SourcePage:
    """Return a page with its paragraphs told."""
    document = page.document
    return replace(page, blocks=page_blocks(document.id, document.text, document.url))


def remembered_blocks(file: WorkspaceFile, documents: Sequence[Document]) -> list[SourcePage]:
    """Return documents with their paragraphs told; those of a document that did not change are looked up."""
    keys = [digest(STAGE, VERSION, d.id, d.url, d.text) for d in documents]
    known = file.finished(sorted(set(keys)))
    pages, fresh = [], {}
    for document, key in zip(documents, keys, strict=True):
        if key in known:
            site, *hashes = json.loads(known[key])
            pages.append(SourcePage(document, blocks=PageBlocks(document.id, site, frozenset(hashes))))
            continue
        page = with_blocks(SourcePage(document))
        assert page.blocks is not None
        fresh[key] = json.dumps([page.blocks.site, *sorted(page.blocks.hashes)])
        pages.append(page)
    if fresh:
        file.finish(STAGE, fresh)
    return pages
