"""Blocks on many pages of one site (the same menu, the same notice) say nothing about any of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from urllib.parse import urlsplit

from autokb.chunking.boilerplate.visible_text import visible_words
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.ids import digest
from autokb.core.nouns import Document
from autokb.text.markdown import Block

FEWEST_PAGES = 3  # of a site that must have a block before it belongs to the site
SHARE = 0.3  # of a site's pages: below it a sentence that some pages share is still about something


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """The hashes of a page's blocks; ``site`` is its host or, without an address, the folder in its id."""

    site: str
    hashes: frozenset[str]


def page_blocks(document: Document) -> PageBlocks:
    """Return the blocks of a page; headings, steps, tables and code may well be the same on several pages."""
    host = urlsplit(document.url).hostname if document.url else None
    found = (
        block_hash(visible_words(document.text[block.start : block.end]))
        for block in numbered_blocks(document.text)
        if can_be_repeated(block)
    )
    return PageBlocks(host or document.id.rpartition("/")[0], frozenset(h for h in found if h))


def can_be_repeated(block: Block) -> bool:
    """Return whether a block of its kind on many pages is boilerplate."""
    return block.kind in ("paragraph", "html") or (block.kind == "item" and not block.ordered)


def block_hash(words: str) -> str:
    """Return the hash of a block's words, empty for one without words."""
    words = " ".join(words.casefold().split())
    return digest(words)[:16] if words else ""


class SiteBoilerplate:
    """Counts the blocks of pages, site by site; all pages are added before the first question, in whatever order."""

    def __init__(self) -> None:
        self._pages: Counter[str] = Counter()
        self._times: dict[str, Counter[str]] = {}

    def add(self, page: PageBlocks) -> None:
        """Count a page's blocks."""
        self._pages[page.site] += 1
        self._times.setdefault(page.site, Counter()).update(page.hashes)

    def on(self, page: PageBlocks) -> frozenset[str]:
        """Return which of a page's blocks many pages of its site have: all that other pages change for this one."""
        times = self._times.get(page.site, Counter())
        enough = max(FEWEST_PAGES, SHARE * self._pages[page.site])
        return frozenset(block for block in page.hashes if times[block] >= enough)
