"""Tells text from boilerplate: an extractor of articles votes on each block, named rules come before its vote.

A text without marks (a manual, a wiki article) is no web page: only what is surely boilerplate is dropped from it.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterable, Sequence

from autokb.chunking.boilerplate.page_features import PageFeatures, page_features
from autokb.chunking.boilerplate.rules import (
    MENU,
    ON_OTHER_PAGES,
    OUTSIDE,
    TEXT_RULES,
    NoiseSettings,
    RuleContext,
    drop_front_matter,
    drop_share_lines,
    first_verdict,
)
from autokb.chunking.boilerplate.verdict import EMPTY_HEADING, NOTHING_KEPT, BlockVerdict
from autokb.chunking.chunk_result import Page
from autokb.chunking.structure.blocks import NumberedBlock

_KEEP = BlockVerdict(keeps=True)
_BARE_HEADING = 5  # words: a longer heading without text says something itself


def filter_boilerplate(
    page: Page, blocks: Sequence[NumberedBlock], settings: NoiseSettings | None = None
) -> tuple[BlockVerdict, ...]:
    """Return the verdict on each of a page's blocks."""
    found = RuleContext(page_features(page, blocks), settings or NoiseSettings())
    return tuple(_filter_web_page(found) if page.marks else _filter_plain_text(found))


def _filter_web_page(page: RuleContext) -> list[BlockVerdict]:
    features = page.features
    verdicts = [first_verdict(TEXT_RULES, page, n) for n in range(len(features.blocks))]
    _follow_neighbours(verdicts, features)
    _settle_headings(verdicts, page)
    return verdicts


def _follow_neighbours(verdicts: list[BlockVerdict], features: PageFeatures) -> None:
    """Keep a picture or a mark without words between kept blocks: no extractor votes on it."""
    worded = [n for n, text in enumerate(features.texts) if text.count and not text.is_heading]
    for n, (block, text) in enumerate(zip(features.blocks, features.texts, strict=True)):
        if text.count or not worded or block.kind == "front matter":
            continue
        place = bisect(worded, n)  # n itself is none of them
        around = {worded[max(place - 1, 0)], worded[min(place, len(worded) - 1)]}
        verdicts[n] = _KEEP if all(verdicts[m].keeps for m in around) else BlockVerdict(False, OUTSIDE)


def _settle_headings(verdicts: list[BlockVerdict], page: RuleContext) -> None:
    """Keep the headings above kept text, over a little boilerplate between, and the page's title; drop the others.

    Of a page without any text the headings are the text.
    """
    features = page.features
    is_bare = not any(v.keeps and t.count and not t.is_heading for v, t in zip(verdicts, features.texts, strict=True))
    title = _title(verdicts, features)
    below = _positions_below(features)
    next_kept = None
    for n in reversed(range(len(verdicts))):
        if features.texts[n].is_heading:
            if n == title or (is_bare and not _is_outside(page, n)):
                verdicts[n] = _KEEP
            elif not any(verdicts[m].keeps for m in below[n]):
                verdicts[n] = BlockVerdict(False, NOTHING_KEPT if below[n] else EMPTY_HEADING)
            elif features.in_text[n] or (_is_above(page, n, next_kept) and drop_share_lines(page, n) is None):
                verdicts[n] = _KEEP
            else:
                verdicts[n] = BlockVerdict(False, verdicts[n].reason or OUTSIDE)
        if verdicts[n].keeps and (features.texts[n].is_heading or features.texts[n].count):
            next_kept = n


def _is_outside(page: RuleContext, heading: int) -> bool:
    features = page.features
    return features.areas[heading] is not None or features.texts[heading].linked >= page.settings.mostly_links


def _is_above(page: RuleContext, heading: int, kept: int | None) -> bool:
    """Return whether what is kept next belongs to a heading: it is right below, or a little boilerplate is between."""
    if kept is None:
        return False
    features = page.features
    if features.texts[kept].is_heading and features.blocks[kept].level <= features.blocks[heading].level:
        return False  # the next section's heading
    distance = kept - heading
    return distance == 1 or (distance <= page.settings.heading_reach + 1 and not _is_outside(page, heading))


def _positions_below(features: PageFeatures) -> dict[int, list[int]]:
    """Return for each heading the blocks of its section with something to see, headings left out."""
    found: dict[int, list[int]] = {}
    opened: list[int] = []
    for n, (block, text) in enumerate(zip(features.blocks, features.texts, strict=True)):
        if text.is_heading:
            opened = [h for h in opened if features.blocks[h].level < block.level]
            opened.append(n)
            found[n] = []
        elif text.count or block.kind in ("table", "code"):
            for heading in opened:
                found[heading].append(n)
    return found


def _title(verdicts: Sequence[BlockVerdict], features: PageFeatures) -> int | None:
    """Return the last heading of level 1 before the first text, when it is in no menu or the like."""
    texts = features.texts
    first = next((n for n, v in enumerate(verdicts) if v.keeps and texts[n].count and not texts[n].is_heading), 0)
    tops = [n for n in range(first) if texts[n].is_heading and features.blocks[n].level == 1]
    return next((n for n in reversed(tops) if features.areas[n] in (None, "header")), None)


def _filter_plain_text(page: RuleContext) -> list[BlockVerdict]:
    """Drop from a text without marks what is surely boilerplate at its edges, and empty headings anywhere."""
    features, settings = page.features, page.settings
    verdicts = [first_verdict((drop_front_matter,), page, n) for n in range(len(features.blocks))]
    forward = range(len(features.blocks))
    for edge in (_edge(page, forward), _edge(page, reversed(forward))):
        links = [n for n in edge if features.texts[n].linked > settings.all_links]
        is_menu = edge[:1] == [0] and len(links) >= settings.shortest_menu
        for n in edge:
            if features.on_other_pages[n]:
                verdicts[n] = BlockVerdict(False, ON_OTHER_PAGES)
            elif shared := drop_share_lines(page, n):
                verdicts[n] = shared
            elif is_menu and n in links:
                verdicts[n] = BlockVerdict(False, MENU)
    for n, text in enumerate(features.texts):
        if text.linked > settings.all_links and not text.is_heading and (line := drop_share_lines(page, n)):
            verdicts[n] = line
    below = _positions_below(features)
    if not any(verdicts[n].keeps for n, text in enumerate(features.texts) if not text.is_heading and text.count):
        return verdicts  # headings alone are its text
    for n, text in enumerate(features.texts):
        if text.is_heading and text.count <= _BARE_HEADING and not below[n]:
            verdicts[n] = BlockVerdict(False, EMPTY_HEADING)
    return verdicts


def _edge(page: RuleContext, order: Iterable[int]) -> list[int]:
    """Return the blocks from one end of the text up to the first that is no boilerplate."""
    found = []
    for n in order:
        text = page.features.texts[n]
        is_link = text.linked > page.settings.all_links
        is_boilerplate = page.features.on_other_pages[n] or is_link or not text.count
        if text.is_heading or not (is_boilerplate or drop_share_lines(page, n)):
            break
        found.append(n)
    return found
