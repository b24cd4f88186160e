"""What is known of each block of a page: its words, its area, what the extractor keeps, what other pages have."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from autokb.chunking.boilerplate.site_boilerplate import block_hash, can_be_repeated
from autokb.chunking.boilerplate.visible_text import VisibleText, visible_texts
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.marks import AREAS, AreaKind
from autokb.core.nouns import Span
from autokb.text.markdown import Block

_MOST = 0.5  # share of a block's characters: so many in an area, or kept by the extractor, count for the block
MOST_LINKS = 0.5  # share of a block's characters: with as many it is no running text
ALL_LINKS = 0.8  # share of a block's characters: with more it leads elsewhere and says nothing itself
_FEWEST_WORDS = 6  # of running text; shorter ones are labels
_LONG = 8  # words: shorter texts may well be on several pages
_FEWEST_FOLDS = 2  # answers of an accordion
_SHARED = 0.2  # share of a page's running words: with more on other pages too, they are variants of one text


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The blocks of a page with what is known of each, by position.

    ``in_text`` is the vote of the extractor of articles, with the folded answers that it cannot see; where it found no
    article, whether a block is no link and in no area such as a menu. ``text_share`` is the share of the page's running
    words outside of such areas that are in the text.
    """

    blocks: Sequence[Block]
    texts: Sequence[VisibleText]
    areas: Sequence[AreaKind | None]
    in_text: Sequence[bool]
    text_share: float
    on_other_pages: Sequence[bool]

    def is_running(self, n: int) -> bool:
        """Return whether a block has words of its own that are no heading, and most of them in no link."""
        text = self.texts[n]
        return text.count > 0 and not text.is_heading and text.linked < MOST_LINKS

    def ends_of_text(self, own: bool = False) -> Span:
        """Return the positions of the first and the last block of the text, headings aside; (0, -1) for none.

        With ``own`` what other pages of the site have too is no text.
        """
        inside = [n for n, voted in enumerate(self.in_text) if voted and not self.texts[n].is_heading]
        inside = [n for n in inside if not (own and self.on_other_pages[n])]
        return (inside[0], inside[-1]) if inside else (0, -1)


# Complex: each column is made from those before it, and the extractor's votes count only where they found text.
def page_features(page: MarkedPage, blocks: Sequence[Block]) -> PageFeatures:
    """Return what is known of the blocks of a page."""
    texts = visible_texts(page.document.text, blocks)
    areas = _areas(page, blocks)
    folded = _folded(texts, areas)
    areas = [None if n in folded else area for n, area in enumerate(areas)]
    votes = _shares(blocks, [(m.start, m.end) for m in page.marks if m.kind == "kept_by_trafilatura"])
    unlinked = [area is None and text.linked < MOST_LINKS for area, text in zip(areas, texts, strict=True)]
    in_text = [share >= _MOST or n in folded for n, share in enumerate(votes)]
    if not any(text.count and voted and not text.is_heading for text, voted in zip(texts, in_text, strict=True)):
        in_text = unlinked
    share = _share_of_prose(texts, in_text, unlinked)
    return PageFeatures(blocks, texts, areas, in_text, share, _on_other_pages(page, blocks, texts))


def _share_of_prose(texts: Sequence[VisibleText], in_text: Sequence[bool], unlinked: Sequence[bool]) -> float:
    """Return how many of the words of paragraphs outside menus and the like are in the text."""
    prose = [
        (text.count, voted)
        for text, voted, outside in zip(texts, in_text, unlinked, strict=True)
        if outside and text.count >= _FEWEST_WORDS and not text.is_heading
    ]
    return sum(count for count, voted in prose if voted) / max(1, sum(count for count, _ in prose))


def _areas(page: MarkedPage, blocks: Sequence[Block]) -> list[AreaKind | None]:
    found: list[AreaKind | None] = [None] * len(blocks)
    for kind in AREAS:
        spans = [(m.start, m.end) for m in page.marks if m.kind == kind]
        if spans:
            shares = _shares(blocks, spans)
            found = [area or (kind if share >= _MOST else None) for area, share in zip(found, shares, strict=True)]
    return found


# Complex: whether a hidden block is an answer depends on what the block before it opened, in one pass.
def _folded(texts: Sequence[VisibleText], areas: Sequence[AreaKind | None]) -> frozenset[int]:
    """Return the hidden blocks right below a heading or question that is shown, and the question where it is a button.

    They are the answers of an accordion, hidden until one is clicked; the extractor leaves out all that is hidden. One
    alone is no accordion: a page may hide anything below a heading.
    """
    found: set[int] = set()
    folds = 0
    unfolds = False
    for n, (text, area) in enumerate(zip(texts, areas, strict=True)):
        if area == "hidden":
            if unfolds and text.linked < MOST_LINKS:
                found.add(n)
            continue
        is_question = text.words.rstrip().endswith("?")
        unfolds = (area is None and (text.is_heading or is_question)) or (area == "form" and is_question)
        if unfolds and n + 1 < len(areas) and areas[n + 1] == "hidden":
            folds += 1
            if area == "form":
                found.add(n)
    return frozenset(found) if folds >= _FEWEST_FOLDS else frozenset()


def _shares(blocks: Sequence[Block], spans: Sequence[Span]) -> list[float]:
    """Return which share of each block the spans cover; the spans are sorted and do not overlap."""
    if not spans:
        return [0.0] * len(blocks)
    starts = [start for start, _ in spans]
    covered = [0, *accumulate(end - start for start, end in spans)]

    def before(place: int) -> int:
        n = bisect_right(starts, place)
        return covered[n] - max(0, spans[n - 1][1] - place) if n else 0

    return [(before(b.end) - before(b.start)) / max(1, b.end - b.start) for b in blocks]


# Complex: the share of repeated prose decides what repetition means for every block.
def _on_other_pages(page: MarkedPage, blocks: Iterable[Block], texts: Sequence[VisibleText]) -> list[bool]:
    """Return which blocks are boilerplate of the site: only links where much text is, as in manuals of two models."""
    known = page.site_boilerplate
    if not known:
        return [False] * len(texts)
    found = [can_be_repeated(b) and block_hash(t.words) in known for b, t in zip(blocks, texts, strict=True)]
    running = [n for n, text in enumerate(texts) if text.count > _LONG and text.linked <= MOST_LINKS]
    shared = sum(texts[n].count for n in running if found[n])
    if shared > _SHARED * sum(texts[n].count for n in running):
        return [repeated and text.linked > ALL_LINKS for repeated, text in zip(found, texts, strict=True)]
    return found
