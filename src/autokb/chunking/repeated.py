"""Paragraphs that stand on many pages of one site (the same menu, the same notice) say nothing about any of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from autokb.chunking.blocks import NumberedBlock, numbered_blocks
from autokb.chunking.noise_signs import words_seen
from autokb.core.ids import digest

FEWEST_PAGES = 3
SHARE = 0.3  # of a site's pages: below it a sentence that some pages share is still about something


@dataclass(frozen=True, slots=True)
class PageBlocks:
    """Which paragraphs a page has: ``site`` is its host or, without an address, its folder."""

    page: str
    site: str
    hashes: frozenset[str]


def page_blocks(page: str, text: str, url: str = "") -> PageBlocks:
    """Return the paragraphs of a page; headings, steps, tables and code may well be the same on several pages."""
    found = (block_hash(words_seen(text[b.start : b.end])) for b in numbered_blocks(text) if counts(b))
    return PageBlocks(page, site_of(page, url), frozenset(h for h in found if h))


def site_of(page: str, url: str = "") -> str:
    """Return the site of a page: the host of its address, else the folder in its id."""
    host = urlsplit(url).hostname if url else None
    return host or page.rpartition("/")[0]


def counts(block: NumberedBlock) -> bool:
    """Return whether a paragraph can be a repeated one."""
    return block.kind in ("paragraph", "html") or (block.kind == "item" and not block.ordered)


def block_hash(words: str) -> str:
    """Return the hash of a paragraph's words, empty for one without words."""
    words = " ".join(words.casefold().split())
    return digest(words)[:16] if words else ""


def repeated_blocks(pages: Sequence[PageBlocks]) -> frozenset[str]:
    """Return the hashes of the paragraphs that are repeated over the pages of one site, in whatever order they come."""
    times = Counter(block for page in pages for block in page.hashes)
    enough = max(FEWEST_PAGES, SHARE * len(pages))
    return frozenset(block for block, count in times.items() if count >= enough)


def repeated_by_site(pages: Iterable[PageBlocks]) -> dict[str, frozenset[str]]:
    """Return the repeated paragraphs of every site."""
    sites: dict[str, list[PageBlocks]] = {}
    for page in pages:
        sites.setdefault(page.site, []).append(page)
    return {site: repeated_blocks(found) for site, found in sorted(sites.items())}


def repeated_on(page: PageBlocks, repeated: frozenset[str]) -> frozenset[str]:
    """Return what of the repeated paragraphs a page has: the part of a page's input that other pages decide."""
    return page.hashes & repeated
