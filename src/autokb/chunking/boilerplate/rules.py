"""Rules about blocks together, which no feature of one tells; and what is boilerplate in a text without marks."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from autokb.chunking.boilerplate.features import VisibleText
from autokb.chunking.boilerplate.verdict import EMPTY_HEADING, KEEP_FROM, NOTHING_KEPT
from autokb.chunking.structure.blocks import NumberedBlock

FRONT_MATTER = "is front matter: data about the text, none of its words"
AGAIN = "stands on this page already"
ON_OTHER_PAGES = "stands on several pages of the site"
MENU = "is a list of links before the text"
BOILERPLATE_AREAS = ("nav", "header", "footer", "aside", "form", "hidden", "dialog")
# The thresholds below were chosen on the half of the pages that the weights are fitted on (see weights.py).
NOISE, TEXT = 0.05, 0.95  # scores of what a rule is sure of
_RULE = 0.05  # above KEEP_FROM: the score that a rule lifts a block to
_STRONG_RULE = 0.1  # the same, for what must not be missing: steps, tables, code, headings of kept text
_HEADING_KEPT = 0.15  # score: a heading above kept text is kept from here on
_LESS_SURE = 0.2  # score: of two copies the one that is worse by so much goes
MOSTLY_LINKS = 0.5  # share of a block's characters
ALL_LINKS = 0.8  # share of a block's characters
_FEW_LINKS = 0.05  # share of a list's words: with more it may be a menu
_AS_MANY_LINKS = 0.5  # of the words outside of links: a page with more in links is a list of them
_SHARED = 0.2  # share of a page's running words: with more on other pages too they are variants of one text
_BOTH_KEEP = 0.9  # share of a block's characters that both extractors keep
_SAME = 8  # words: shorter blocks may well be on a page twice
_FEW_WORDS = 12  # words of boilerplate in a text that is no web page
_MENU_LINKS = 3  # blocks of links that make a menu at the beginning of a text
_OWN_WORDS = 6  # words outside of links
_SHORTEST_LIST = 3  # items
_BETWEEN = 3  # blocks of boilerplate between a heading and its text
_BARE_HEADING = 5  # words: a longer heading without text says something itself
_WHOLE = frozenset({"table", "code"})


@dataclass(frozen=True, slots=True)
class BlockScore:
    """How sure a block is text, and what speaks against it."""

    score: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class PageFeatures:
    """The blocks of a page with what is known of each.

    ``on_other_pages`` says which are on other pages of the site too. From a score of ``KEEP_FROM`` on a block is text.
    """

    blocks: Sequence[NumberedBlock]
    texts: Sequence[VisibleText]
    features: Sequence[dict[str, float]]
    on_other_pages: Sequence[bool]

    def is_in_boilerplate_area(self, n: int) -> bool:
        """Return whether a block is in a menu, a foot, a form or the like."""
        return any(self.features[n][kind] for kind in BOILERPLATE_AREAS)

    def is_boilerplate(self, n: int) -> bool:
        """Return whether a block is boilerplate by its own words, its heading or the area it is in."""
        named = self.texts[n].boilerplate or self.features[n]["under_boilerplate"]
        return bool(named) or self.is_in_boilerplate_area(n)


def _lift(scores: list[BlockScore], n: int, score: float) -> None:
    scores[n] = BlockScore(max(scores[n].score, score), scores[n].reason)


def apply_rules(scores: list[BlockScore], page: PageFeatures) -> None:
    """Change the scores by the rules for lists, tables, code, repeated ones, copies, headings and pictures."""
    _keep_what_both_keep(scores, page)
    _keep_whole_parts(scores, page)
    _keep_what_is_its_own(scores, page)
    _keep_announced_lists(scores, page)
    _keep_plain_lists(scores, page)
    _score_lists_whole(scores, page)
    _drop_repeated(scores, page)
    _drop_copies(scores, page)
    _follow_neighbours(scores, page)
    _settle_headings(scores, page)
    _keep_headings_above(scores, page)


def shares_its_text(texts: Sequence[VisibleText], on_other_pages: Sequence[bool]) -> bool:
    """Return whether much of a page's running text is on others too, as in the manuals of two models."""
    prose = [n for n, text in enumerate(texts) if text.count > _SAME and text.linked <= MOSTLY_LINKS]
    return sum(texts[n].count for n in prose if on_other_pages[n]) > _SHARED * sum(texts[n].count for n in prose)


def _drop_repeated(scores: list[BlockScore], page: PageFeatures) -> None:
    """Drop what other pages have too, before and after the text of this one, and links anywhere."""
    own = [
        n
        for n, one in enumerate(scores)
        if one.score >= KEEP_FROM and not page.on_other_pages[n] and not page.texts[n].is_heading
    ]
    first, last = (own[0], own[-1]) if own else (len(scores), -1)
    for n, is_repeated in enumerate(page.on_other_pages):
        if is_repeated and (not first < n < last or page.texts[n].linked > ALL_LINKS):
            scores[n] = BlockScore(min(scores[n].score, NOISE), ON_OTHER_PAGES)


def _keep_what_both_keep(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep words that both extractors keep, unless they are links, boilerplate phrases or in an area of boilerplate."""
    for n, text in enumerate(page.texts):
        if (
            page.features[n]["kept_by_both"] < _BOTH_KEEP
            or text.linked > MOSTLY_LINKS
            or text.boilerplate
            or text.is_heading
        ):
            continue
        if not page.features[n]["credit"] and not page.is_in_boilerplate_area(n):
            _lift(scores, n, KEEP_FROM + _RULE)


def _keep_whole_parts(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep steps, tables and code inside the text and in no menu, form or the like."""
    kept = [n for n, one in enumerate(scores) if one.score >= KEEP_FROM and not page.texts[n].is_heading]
    if not kept:
        return
    for n in range(kept[0], kept[-1] + 1):
        whole = page.blocks[n].kind in _WHOLE or page.blocks[n].ordered
        if whole and page.texts[n].linked < MOSTLY_LINKS and not page.is_in_boilerplate_area(n):
            _lift(scores, n, KEEP_FROM + _STRONG_RULE)


def _keep_what_is_its_own(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep running words that no other page has, where the site's pages are known to share some: its boilerplate is."""
    if not any(page.on_other_pages):
        return
    for n, text in enumerate(page.texts):
        own = text.count * (1 - text.linked)
        if own >= _OWN_WORDS and text.linked <= ALL_LINKS and not page.on_other_pages[n] and not page.is_boilerplate(n):
            _lift(scores, n, KEEP_FROM + _RULE)


def _keep_announced_lists(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep the items of a list that a kept sentence announces with a colon, links too: they are what it speaks of."""
    announced = None
    for n, text in enumerate(page.texts):
        if page.blocks[n].kind != "item":
            ends = text.words.rstrip().endswith(":") and text.count >= _OWN_WORDS
            announced = n if ends and scores[n].score >= KEEP_FROM and not page.is_boilerplate(n) else None
        elif announced is not None and not page.is_boilerplate(n):
            _lift(scores, n, KEEP_FROM + _RULE)


def _keep_plain_lists(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep lists inside the text with next to no links, what a repair needs: the lists of boilerplate are links."""
    kept = [n for n, one in enumerate(scores) if one.score >= KEEP_FROM and not page.texts[n].is_heading]
    inside = range(kept[0] + 1, kept[-1]) if kept else range(0)
    for is_item, run in groupby(inside, lambda n: (page.blocks[n].kind == "item", page.blocks[n].list_id)):
        items = list(run)
        if not is_item[0] or len(items) < _SHORTEST_LIST:
            continue
        linked = sum(page.texts[n].linked * page.texts[n].count for n in items)
        is_named = any(page.features[n]["named"] or page.is_boilerplate(n) for n in items)
        if linked <= _FEW_LINKS * sum(page.texts[n].count for n in items) and not is_named:
            for n in items:
                _lift(scores, n, KEEP_FROM + _RULE)


def _score_lists_whole(scores: list[BlockScore], page: PageFeatures) -> None:
    """Give the steps of one list the same score, so that none of them is missing."""
    lists: dict[int, list[int]] = {}
    for n, block in enumerate(page.blocks):
        if block.ordered:
            lists.setdefault(block.list_id, []).append(n)
    for steps in lists.values():
        weights = [page.texts[n].count + 1 for n in steps]
        mean = sum(scores[n].score * w for n, w in zip(steps, weights, strict=True)) / sum(weights)
        for n in steps:
            scores[n] = BlockScore(mean, scores[n].reason)


def _drop_copies(scores: list[BlockScore], page: PageFeatures) -> None:
    """Of long blocks with the same words drop those that are much less sure to be text than the surest."""
    best: dict[str, int] = {}
    for n, text in enumerate(page.texts):
        if text.count < _SAME or page.blocks[n].kind in _WHOLE or page.blocks[n].ordered or scores[n].score < KEEP_FROM:
            continue
        other = best.setdefault(text.words, n)
        if other != n:
            worse = n if scores[n].score <= scores[other].score else other
            best[text.words] = other + n - worse
            if scores[worse].score <= scores[best[text.words]].score - _LESS_SURE:
                scores[worse] = BlockScore(NOISE, AGAIN)


def _follow_neighbours(scores: list[BlockScore], page: PageFeatures) -> None:
    """Give a picture or a mark without words the mean score of the blocks around it."""
    worded = [n for n, text in enumerate(page.texts) if text.count]
    for n, text in enumerate(page.texts):
        if text.count or not worded:
            continue
        place = bisect(worded, n)  # n itself is none of them
        before, after = worded[max(place - 1, 0)], worded[min(place, len(worded) - 1)]
        scores[n] = BlockScore((scores[before].score + scores[after].score) / 2, scores[n].reason)


def _settle_headings(scores: list[BlockScore], page: PageFeatures) -> None:
    """Drop a heading with nothing kept below it, keep one right above kept text, and the page's title.

    Of a page of headings only, boilerplate aside, they are the text.
    """
    title = _title(scores, page)
    bare = all(text.is_heading or not text.count or page.is_boilerplate(n) for n, text in enumerate(page.texts))
    for n, text in enumerate(page.texts):
        if not text.is_heading:
            continue
        below = _below(page.blocks, page.texts, n)
        if n == title:
            scores[n] = BlockScore(TEXT)
        elif bare and text.linked <= MOSTLY_LINKS and not page.is_boilerplate(n):
            _lift(scores, n, KEEP_FROM + _RULE)
        elif not any(scores[m].score >= KEEP_FROM for m in below):
            scores[n] = BlockScore(NOISE, NOTHING_KEPT if below else EMPTY_HEADING)
        elif scores[n].score >= _HEADING_KEPT and scores[below[0]].score >= KEEP_FROM:
            _lift(scores, n, KEEP_FROM + _STRONG_RULE)


def _keep_headings_above(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep the headings above kept text, the product's name among them, over some boilerplate between."""
    below = None
    for n in range(len(scores) - 1, -1, -1):
        if scores[n].score >= KEEP_FROM:
            below = n
        elif below is not None and page.texts[n].is_heading and below - n <= _BETWEEN + 1:
            sibling = page.texts[below].is_heading and page.blocks[below].level <= page.blocks[n].level
            if not sibling and page.texts[n].linked <= MOSTLY_LINKS and not page.is_boilerplate(n):
                _lift(scores, n, KEEP_FROM + _STRONG_RULE)
                below = n


def _below(blocks: Sequence[NumberedBlock], texts: Sequence[VisibleText], heading: int) -> list[int]:
    """Return the blocks of a heading's section, headings left out."""
    found = []
    for n in range(heading + 1, len(blocks)):
        if texts[n].is_heading:
            if blocks[n].level <= blocks[heading].level:
                break
        elif texts[n].count or blocks[n].kind in _WHOLE:
            found.append(n)
    return found


def _title(scores: list[BlockScore], page: PageFeatures) -> int | None:
    """Return the last heading of level 1 before the first text, when it is in no menu or the like."""
    first = next((n for n, one in enumerate(scores) if one.score >= KEEP_FROM and not page.texts[n].is_heading), 0)
    tops = [n for n in range(first) if page.texts[n].is_heading and page.blocks[n].level == 1]
    tops = [
        n for n in tops if not any(page.features[n][kind] for kind in ("nav", "footer", "aside", "hidden", "dialog"))
    ]
    return tops[-1] if tops else None


def keep_what_is_left(scores: list[BlockScore], page: PageFeatures) -> None:
    """Keep the words of a page of which no block would be left, where few of its words are links."""
    if any(
        one.score >= KEEP_FROM and text.count and not text.is_heading
        for one, text in zip(scores, page.texts, strict=True)
    ):
        return
    places = [n for n, text in enumerate(page.texts) if text.count and not page.is_in_boilerplate_area(n)]
    own = [
        n
        for n in places
        if page.texts[n].linked <= MOSTLY_LINKS and not page.texts[n].boilerplate and not page.on_other_pages[n]
    ]
    linked = sum(page.texts[n].count * page.texts[n].linked for n in places)
    if linked < _AS_MANY_LINKS * sum(page.texts[n].count for n in own if not page.texts[n].is_heading):
        for n in own:
            _lift(scores, n, KEEP_FROM + _RULE)


def score_plain_text(
    blocks: Sequence[NumberedBlock], texts: Sequence[VisibleText], on_other_pages: Sequence[bool]
) -> list[BlockScore]:
    """Score the blocks of a text without marks: boilerplate is dropped from its edges, empty headings anywhere."""
    scores = [BlockScore(TEXT) for _ in blocks]
    for edge in (
        _edge(texts, on_other_pages, range(len(blocks))),
        _edge(texts, on_other_pages, range(len(blocks) - 1, -1, -1)),
    ):
        menu = edge[:1] == [0] and sum(texts[n].linked > ALL_LINKS for n in edge) >= _MENU_LINKS
        for n in edge:
            if on_other_pages[n]:
                scores[n] = BlockScore(NOISE, ON_OTHER_PAGES)
            elif texts[n].boilerplate and texts[n].count <= _FEW_WORDS:
                scores[n] = BlockScore(NOISE, texts[n].boilerplate)
            elif menu and texts[n].linked > ALL_LINKS:
                scores[n] = BlockScore(NOISE, MENU)
    for n, text in enumerate(texts):
        if text.boilerplate and text.linked > ALL_LINKS and not text.is_heading:
            scores[n] = BlockScore(NOISE, text.boilerplate)
    worded = (n for n, text in enumerate(texts) if not text.is_heading and (text.count or blocks[n].kind in _WHOLE))
    if not any(scores[n].score >= TEXT for n in worded):
        return scores  # headings alone are its text
    for n, text in enumerate(texts):
        if text.is_heading and text.count <= _BARE_HEADING and not _below(blocks, texts, n):
            scores[n] = BlockScore(NOISE, EMPTY_HEADING)
    return scores


def _edge(texts: Sequence[VisibleText], on_other_pages: Sequence[bool], order: Sequence[int]) -> list[int]:
    """Return the blocks from one end of the text up to the first that is no boilerplate."""
    found = []
    for n in order:
        text = texts[n]
        if text.is_heading or not (on_other_pages[n] or text.boilerplate or text.linked > ALL_LINKS or not text.count):
            break
        found.append(n)
    return found
