"""Rules about paragraphs together, which no weight of one tells; and what is noise in a text without marks."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.noise_signs import Seen

EMPTY_HEADING = "is a heading with nothing below it"
NOTHING_KEPT = "is a heading with nothing kept below it"
FRONT_MATTER = "is front matter: data about the text, none of its words"
AGAIN = "stands on this page already"
ON_OTHER_PAGES = "stands on several pages of the site"
MENU = "is a list of links before the text"
NOISE, TEXT = 0.05, 0.95
_HEADING_KEPT = 0.15  # a heading above kept text is kept from here on
_WHOLE = frozenset({"table", "code"})
FURNITURE = ("nav", "header", "footer", "aside", "form", "hidden", "dialog")
MOSTLY_LINKS = 0.5
_WHOLLY = 0.9
ALL_LINKS = 0.8
_LESS_SURE = 0.2
_SAME = 8  # words: shorter ones may be said twice
_FEW_WORDS = 12  # of furniture in a text that is no web page
_EDGE_RUN = 3
_SHARED = 0.2
_OWN_WORDS = 6  # outside of links
_SHORTEST_LIST = 3
_FEW_LINKS = 0.05
_LINKED = 0.5  # of the other words: a page with more in links is a list of them
_BETWEEN = 3  # paragraphs of furniture between a heading and its text
_BARE_HEADING = 5  # words: a longer heading without text says something itself


@dataclass(frozen=True, slots=True)
class Judged:
    """How sure a paragraph is text, and what speaks against it."""

    score: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """The paragraphs of a page with what is known of each.

    ``again`` says which stand on other pages of the site too; from ``middle`` on a paragraph counts as text.
    """

    blocks: Sequence[NumberedBlock]
    looks: Sequence[Seen]
    signs: Sequence[dict[str, float]]
    again: Sequence[bool]
    middle: float

    def stands_in_furniture(self, n: int) -> bool:
        """Return whether a paragraph stands in a menu, a foot, a form or the like."""
        return any(self.signs[n][kind] for kind in FURNITURE)

    def is_furniture(self, n: int) -> bool:
        """Return whether a paragraph is furniture by its own words, its heading or where it stands."""
        return bool(self.looks[n].furniture or self.signs[n]["under_furniture"]) or self.stands_in_furniture(n)


def _lift(judged: list[Judged], n: int, score: float) -> None:
    judged[n] = Judged(max(judged[n].score, score), judged[n].reason)


def apply_rules(judged: list[Judged], page: SeenPage) -> None:
    """Change the judgements by the rules for lists, tables, code, repeated ones, copies, headings and pictures."""
    _keep_what_both_keep(judged, page)
    _keep_whole_parts(judged, page)
    _keep_what_is_its_own(judged, page)
    _keep_announced_lists(judged, page)
    _keep_plain_lists(judged, page)
    _judge_lists_whole(judged, page)
    _drop_repeated(judged, page)
    _drop_copies(judged, page)
    _follow_neighbours(judged, page)
    _settle_headings(judged, page)
    _keep_headings_above(judged, page)


def shares_its_text(looks: Sequence[Seen], again: Sequence[bool]) -> bool:
    """Return whether much of a page's running text stands on others too, as in the manuals of two models."""
    prose = [n for n, look in enumerate(looks) if look.count > _SAME and look.linked <= MOSTLY_LINKS]
    return sum(looks[n].count for n in prose if again[n]) > _SHARED * sum(looks[n].count for n in prose)


def _drop_repeated(judged: list[Judged], page: SeenPage) -> None:
    """Drop what other pages have too, before and after the text of this one, and links anywhere."""
    own = [
        n
        for n, one in enumerate(judged)
        if one.score >= page.middle and not page.again[n] and not page.looks[n].is_heading
    ]
    first, last = (own[0], own[-1]) if own else (len(judged), -1)
    for n, is_repeated in enumerate(page.again):
        if is_repeated and (not first < n < last or page.looks[n].linked > ALL_LINKS):
            judged[n] = Judged(min(judged[n].score, NOISE), ON_OTHER_PAGES)


def _keep_what_both_keep(judged: list[Judged], page: SeenPage) -> None:
    """Keep words that both extractors keep, unless they are links, furniture by their own words or stand in some."""
    for n, look in enumerate(page.looks):
        if page.signs[n]["kept_by_both"] < _WHOLLY or look.linked > MOSTLY_LINKS or look.furniture or look.is_heading:
            continue
        if not page.signs[n]["credit"] and not page.stands_in_furniture(n):
            _lift(judged, n, page.middle + 0.05)


def _keep_whole_parts(judged: list[Judged], page: SeenPage) -> None:
    """Keep steps, tables and code that stand inside the text and in no menu, form or the like."""
    kept = [n for n, one in enumerate(judged) if one.score >= page.middle and not page.looks[n].is_heading]
    if not kept:
        return
    for n in range(kept[0], kept[-1] + 1):
        whole = page.blocks[n].kind in _WHOLE or page.blocks[n].ordered
        if whole and page.looks[n].linked < MOSTLY_LINKS and not page.stands_in_furniture(n):
            _lift(judged, n, page.middle + 0.1)


def _keep_what_is_its_own(judged: list[Judged], page: SeenPage) -> None:
    """Keep running words that no other page has, where the site's pages are known to share some: its furniture is."""
    if not any(page.again):
        return
    for n, look in enumerate(page.looks):
        own = look.count * (1 - look.linked)
        if own >= _OWN_WORDS and look.linked <= ALL_LINKS and not page.again[n] and not page.is_furniture(n):
            _lift(judged, n, page.middle + 0.05)


def _keep_announced_lists(judged: list[Judged], page: SeenPage) -> None:
    """Keep the items of a list that a kept sentence announces with a colon, links too: they are what it speaks of."""
    announced = None
    for n, look in enumerate(page.looks):
        if page.blocks[n].kind != "item":
            ends = look.words.rstrip().endswith(":") and look.count >= _OWN_WORDS
            announced = n if ends and judged[n].score >= page.middle and not page.is_furniture(n) else None
        elif announced is not None and not page.is_furniture(n):
            _lift(judged, n, page.middle + 0.05)


def _keep_plain_lists(judged: list[Judged], page: SeenPage) -> None:
    """Keep lists inside the text with next to no links, what a repair needs: the lists of furniture are links."""
    kept = [n for n, one in enumerate(judged) if one.score >= page.middle and not page.looks[n].is_heading]
    inside = range(kept[0] + 1, kept[-1]) if kept else range(0)
    for is_item, run in groupby(inside, lambda n: (page.blocks[n].kind == "item", page.blocks[n].list_id)):
        items = list(run)
        if not is_item[0] or len(items) < _SHORTEST_LIST:
            continue
        linked = sum(page.looks[n].linked * page.looks[n].count for n in items)
        is_named = any(page.signs[n]["named"] or page.is_furniture(n) for n in items)
        if linked <= _FEW_LINKS * sum(page.looks[n].count for n in items) and not is_named:
            for n in items:
                _lift(judged, n, page.middle + 0.05)


def _judge_lists_whole(judged: list[Judged], page: SeenPage) -> None:
    """Give the steps of one list the same score, so that none of them is missing."""
    lists: dict[int, list[int]] = {}
    for n, block in enumerate(page.blocks):
        if block.ordered:
            lists.setdefault(block.list_id, []).append(n)
    for steps in lists.values():
        weights = [page.looks[n].count + 1 for n in steps]
        mean = sum(judged[n].score * w for n, w in zip(steps, weights, strict=True)) / sum(weights)
        for n in steps:
            judged[n] = Judged(mean, judged[n].reason)


def _drop_copies(judged: list[Judged], page: SeenPage) -> None:
    """Of long paragraphs with the same words drop those that are much less sure to be text than the surest."""
    best: dict[str, int] = {}
    for n, look in enumerate(page.looks):
        if (
            look.count < _SAME
            or page.blocks[n].kind in _WHOLE
            or page.blocks[n].ordered
            or judged[n].score < page.middle
        ):
            continue
        other = best.setdefault(look.words, n)
        if other != n:
            worse = n if judged[n].score <= judged[other].score else other
            best[look.words] = other + n - worse
            if judged[worse].score <= judged[best[look.words]].score - _LESS_SURE:
                judged[worse] = Judged(NOISE, AGAIN)


def _follow_neighbours(judged: list[Judged], page: SeenPage) -> None:
    """Give a picture or a mark without words the mean score of the paragraphs around it."""
    worded = [n for n, look in enumerate(page.looks) if look.count]
    for n, look in enumerate(page.looks):
        if look.count or not worded:
            continue
        place = bisect(worded, n)  # n itself is none of them
        before, after = worded[max(place - 1, 0)], worded[min(place, len(worded) - 1)]
        judged[n] = Judged((judged[before].score + judged[after].score) / 2, judged[n].reason)


def _settle_headings(judged: list[Judged], page: SeenPage) -> None:
    """Drop a heading with nothing kept below it, keep one right above kept text, and the page's title.

    Of a page of headings only, furniture aside, they are the text.
    """
    title = _title(judged, page)
    bare = all(look.is_heading or not look.count or page.is_furniture(n) for n, look in enumerate(page.looks))
    for n, look in enumerate(page.looks):
        if not look.is_heading:
            continue
        below = _below(page.blocks, page.looks, n)
        if n == title:
            judged[n] = Judged(TEXT)
        elif bare and look.linked <= MOSTLY_LINKS and not page.is_furniture(n):
            _lift(judged, n, page.middle + 0.05)
        elif not any(judged[m].score >= page.middle for m in below):
            judged[n] = Judged(NOISE, NOTHING_KEPT if below else EMPTY_HEADING)
        elif judged[n].score >= _HEADING_KEPT and judged[below[0]].score >= page.middle:
            _lift(judged, n, page.middle + 0.1)


def _keep_headings_above(judged: list[Judged], page: SeenPage) -> None:
    """Keep the headings that kept text stands under, the product's name among them, over some furniture between."""
    below = None
    for n in range(len(judged) - 1, -1, -1):
        if judged[n].score >= page.middle:
            below = n
        elif below is not None and page.looks[n].is_heading and below - n <= _BETWEEN + 1:
            sibling = page.looks[below].is_heading and page.blocks[below].level <= page.blocks[n].level
            if not sibling and page.looks[n].linked <= MOSTLY_LINKS and not page.is_furniture(n):
                _lift(judged, n, page.middle + 0.1)
                below = n


def _below(blocks: Sequence[NumberedBlock], looks: Sequence[Seen], heading: int) -> list[int]:
    """Return the paragraphs of a heading's section, headings left out."""
    found = []
    for n in range(heading + 1, len(blocks)):
        if looks[n].is_heading:
            if blocks[n].level <= blocks[heading].level:
                break
        elif looks[n].count or blocks[n].kind in _WHOLE:
            found.append(n)
    return found


def _title(judged: list[Judged], page: SeenPage) -> int | None:
    """Return the last heading of level 1 before the first text, when it stands in no menu or the like."""
    first = next((n for n, one in enumerate(judged) if one.score >= page.middle and not page.looks[n].is_heading), 0)
    tops = [n for n in range(first) if page.looks[n].is_heading and page.blocks[n].level == 1]
    tops = [n for n in tops if not any(page.signs[n][kind] for kind in ("nav", "footer", "aside", "hidden", "dialog"))]
    return tops[-1] if tops else None


def keep_what_is_left(judged: list[Judged], page: SeenPage) -> None:
    """Keep the words of a page of which no paragraph would be left, where few of its words are links."""
    if any(
        one.score >= page.middle and look.count and not look.is_heading
        for one, look in zip(judged, page.looks, strict=True)
    ):
        return
    places = [n for n, look in enumerate(page.looks) if look.count and not page.stands_in_furniture(n)]
    own = [
        n for n in places if page.looks[n].linked <= MOSTLY_LINKS and not page.looks[n].furniture and not page.again[n]
    ]
    linked = sum(page.looks[n].count * page.looks[n].linked for n in places)
    if linked < _LINKED * sum(page.looks[n].count for n in own if not page.looks[n].is_heading):
        for n in own:
            _lift(judged, n, page.middle + 0.05)


def judge_plain_text(blocks: Sequence[NumberedBlock], looks: Sequence[Seen], again: Sequence[bool]) -> list[Judged]:
    """Judge the paragraphs of a text without marks: furniture is dropped from its edges, empty headings anywhere."""
    judged = [Judged(TEXT) for _ in blocks]
    for edge in (_edge(looks, again, range(len(blocks))), _edge(looks, again, range(len(blocks) - 1, -1, -1))):
        menu = edge[:1] == [0] and sum(looks[n].linked > ALL_LINKS for n in edge) >= _EDGE_RUN
        for n in edge:
            if again[n]:
                judged[n] = Judged(NOISE, ON_OTHER_PAGES)
            elif looks[n].furniture and looks[n].count <= _FEW_WORDS:
                judged[n] = Judged(NOISE, looks[n].furniture)
            elif menu and looks[n].linked > ALL_LINKS:
                judged[n] = Judged(NOISE, MENU)
    for n, look in enumerate(looks):
        if look.furniture and look.linked > ALL_LINKS and not look.is_heading:
            judged[n] = Judged(NOISE, look.furniture)
    worded = (n for n, look in enumerate(looks) if not look.is_heading and (look.count or blocks[n].kind in _WHOLE))
    if not any(judged[n].score >= TEXT for n in worded):
        return judged  # headings alone are its text
    for n, look in enumerate(looks):
        if look.is_heading and look.count <= _BARE_HEADING and not _below(blocks, looks, n):
            judged[n] = Judged(NOISE, EMPTY_HEADING)
    return judged


def _edge(looks: Sequence[Seen], again: Sequence[bool], order: Sequence[int]) -> list[int]:
    """Return the paragraphs from one end of the text up to the first that is no furniture."""
    found = []
    for n in order:
        look = looks[n]
        if look.is_heading or not (again[n] or look.furniture or look.linked > ALL_LINKS or not look.count):
            break
        found.append(n)
    return found
