"""Tells text from boilerplate: an extractor of articles votes on each block of a web page.

The vote is mended where it tears what belongs together: lists, tables and code go or stay as wholes, a heading stays
above kept text, a picture follows what is around it, and a page that is nearly all text keeps the rest of it. What says
nothing of its own (a paragraph of links, a line that shares the page, what many pages of the site have) goes first. A
text without marks (a manual, a wiki article) is no web page: only what is surely boilerplate is dropped from it.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from autokb.chunking.boilerplate.page_features import ALL_LINKS, MOST_LINKS, PageFeatures, page_features
from autokb.chunking.chunk_result import MarkedPage
from autokb.core.marks import AreaKind
from autokb.core.nouns import Span
from autokb.text.markdown import Block

# A line of nothing but these words shares a page: "Share: Facebook Twitter". A network alone may be what a text is
# about, so that it takes another word of the line beside it.
_NETWORK = (
    "facebook|twitter|pinterest|instagram|whatsapp|linkedin|reddit|tumblr|youtube|flipboard|telegram|messenger|rss"
)
_BESIDE = (
    "share|shares|tweet|pin|like|follow|save|print|copy|link|e-?mail|sms|google|plus|"
    "x|it|us|me|this|with|on|via|by|to|and|or"
)
_SHARE_LINE = re.compile(
    rf"\W*(?:(?:tweet|pin it|share(?: (?:this|on|via))?(?: (?:article|page|post|story))?)\W*"
    rf"|(?:(?:{_BESIDE})\W+)*(?:{_NETWORK})\W*(?:\b(?:{_BESIDE}|{_NETWORK})\b\W*)+"
    rf"|(?:(?:{_BESIDE})\W+)+(?:{_NETWORK})\W*)"
)
_OTHER_PART = re.compile(
    r"\W*(?:skip|jump|go|back|return) to (?:the )?(?:main |page )?(?:content|navigation|top|search|menu|footer)\W*"
)
_ADVERTISEMENT = re.compile(r"\W*(?:advertisements?|sponsored(?: content)?)\W*")


def empty_line(words: str) -> str:
    """Return what a line that says nothing of its own is for (sharing, an advertisement), nothing for any other."""
    words = words.casefold()
    if _SHARE_LINE.fullmatch(words):
        return "sharing and social networks"
    if _OTHER_PART.fullmatch(words):
        return "a link to another part of the page"
    return "an advertisement" if _ADVERTISEMENT.fullmatch(words) else ""


EMPTY_HEADING = "heading without content"
NOTHING_KEPT = "heading left without content"


@dataclass(frozen=True, slots=True)
class BlockVerdict:
    """Whether a block is kept, why it is not, and whether the rules are sure; where not, a model may tell."""

    keeps: bool
    reason: str = ""
    is_sure: bool = True


FRONT_MATTER = "front matter"
ON_OTHER_PAGES = "repeated on other pages"
OF_LINKS = "links only"
OUTSIDE = "outside the main text"
MENU = "menu before the text"
BEHIND_LINKS = "after the closing links"
_AREA_REASONS: dict[AreaKind, str] = {
    "nav": "menu",
    "header": "page header",
    "footer": "page footer",
    "aside": "sidebar",
    "form": "form field",
    "hidden": "hidden",
    "dialog": "dialog",
}
_KEEP = BlockVerdict(keeps=True)
_LONGEST_EMPTY_LINE = 15  # words
_NEARLY_ALL = 0.85  # share of a page's running words: where so many are text, as in manuals, the others are too
_UNSURE_REACH = 3  # blocks: running words so near the text, or inside of it, may be text that was missed
_HEADING_REACH = 3  # blocks of boilerplate between a heading and its text
_BARE_HEADING = 5  # words: a longer heading without text says something itself
_FEWEST_LINKS = 2  # items that make a list of links to other pages
_SHORTEST_MENU = 3  # blocks of links that make a menu at the beginning of a plain text


def filter_boilerplate(page: MarkedPage, blocks: Sequence[Block]) -> tuple[BlockVerdict, ...]:
    """Return the verdict on each of a page's blocks."""
    features = page_features(page, blocks)
    return tuple(_filter_web_page(features) if page.marks else _filter_plain_text(features))


def _filter_web_page(features: PageFeatures) -> list[BlockVerdict]:
    ends, own_ends = features.ends_of_text(), features.ends_of_text(own=True)
    text = _whole_text(features, ends)
    verdicts = [_verdict(features, n, is_text, ends, own_ends) for n, is_text in enumerate(text)]
    for n in _lines_behind_links(verdicts, features):
        verdicts[n] = BlockVerdict(False, BEHIND_LINKS, is_sure=False)
    _follow_neighbours(verdicts, features)
    _settle_headings(verdicts, features)
    return verdicts


# Complex: the docstring's rule for a part of a page is one formula with a name for each of its terms.
def _whole_text(features: PageFeatures, ends: Span) -> list[bool]:
    """Return which blocks are text: what the extractor keeps, with the rows, steps and lines that it tears out.

    A list, a table or code is text when most of its words are kept, or when it stands between kept text, in no menu or
    the like, and is not made of links. So is a paragraph of a page that is nearly all text: of a manual the extractor
    drops the terms of a definition list, short answers, and sentences that announce steps.
    """
    text = list(features.in_text)
    for part in _parts(features.blocks):
        words = [features.texts[n].count + 1 for n in part]
        kept = sum(count for count, n in zip(words, part, strict=True) if features.in_text[n])
        linked = sum(features.texts[n].linked * features.texts[n].count for n in part)
        is_whole = features.blocks[part[0]].kind in ("item", "table", "code") or features.text_share >= _NEARLY_ALL
        is_inside = ends[0] <= part[0] and part[-1] <= ends[1] and not any(features.areas[n] for n in part)
        is_text = 2 * kept >= sum(words) or (is_whole and is_inside and linked < MOST_LINKS * sum(words))
        for n in part:
            text[n] = is_text
    return text


def _parts(blocks: Sequence[Block]) -> Iterable[list[int]]:
    """Return the positions of each list's items together, those of all other blocks alone."""
    lists: dict[int, list[int]] = {}
    for n, block in enumerate(blocks):
        if block.kind == "item":
            lists.setdefault(block.list_id, []).append(n)
        else:
            yield [n]
    yield from lists.values()


# Complex: the first reason that fits is the verdict, so that their order is the rule.
def _verdict(features: PageFeatures, n: int, is_text: bool, ends: Span, own_ends: Span) -> BlockVerdict:
    text = features.texts[n]
    if features.blocks[n].kind == "front matter":
        return BlockVerdict(False, FRONT_MATTER)
    # What many pages of the site have goes before and after this page's own text, and links go anywhere.
    if features.on_other_pages[n] and (text.linked > ALL_LINKS or not own_ends[0] < n < own_ends[1]):
        return BlockVerdict(False, ON_OTHER_PAGES)
    if reason := _empty_line(features, n):
        return BlockVerdict(False, reason)
    is_link = features.blocks[n].kind == "paragraph" and text.linked > ALL_LINKS
    if is_text and not is_link:
        return _KEEP
    if area := features.areas[n]:
        return BlockVerdict(False, _AREA_REASONS[area])
    if text.linked >= MOST_LINKS:
        return BlockVerdict(False, OF_LINKS)
    is_near = ends[0] - _UNSURE_REACH <= n <= ends[1] + _UNSURE_REACH
    return BlockVerdict(False, OUTSIDE, is_sure=not (is_near and features.is_running(n)))


def _empty_line(features: PageFeatures, n: int) -> str:
    """Return what a line such as "Share: Facebook Twitter" is for, nothing for any other block."""
    text = features.texts[n]
    # A single word such as "Share" may be a button that the text is about.
    if not 0 < text.count <= _LONGEST_EMPTY_LINE or (text.count == 1 and features.in_text[n]):
        return ""
    return empty_line(" ".join(text.words.split()))


# Complex: the lines, the links above them and the rest of the page each have a condition.
def _lines_behind_links(verdicts: Sequence[BlockVerdict], features: PageFeatures) -> list[int]:
    """Return the short lines that a page ends with behind a section of links, one of them a link or with one.

    A section of nothing but a list of links names other pages, and what stands behind it in the same section ("Chat
    with us", "Open from 8 to 8. Ask for a call") is about none of what the text is about.
    """
    left = [n for n, text in enumerate(features.texts) if text.count and not features.areas[n]]
    lines = _pop_while(left, lambda n: _is_line_or_dropped(verdicts, features, n))
    items = _pop_while(left, lambda n: _is_link_item(verdicts, features, n))
    is_section = len(items) >= _FEWEST_LINKS and left and features.texts[left[-1]].is_heading
    has_text = any(verdicts[n].keeps and not features.texts[n].is_heading for n in left)
    has_link = any(features.texts[n].linked for n in lines)
    return [n for n in lines if verdicts[n].keeps] if is_section and has_text and has_link else []


def _pop_while(positions: list[int], is_one: Callable[[int], bool]) -> list[int]:
    """Take the last positions away as long as they are of one kind, and return them."""
    found = list(takewhile(is_one, reversed(positions)))
    del positions[len(positions) - len(found) :]
    return found


def _is_line_or_dropped(verdicts: Sequence[BlockVerdict], features: PageFeatures, n: int) -> bool:
    text = features.texts[n]
    if text.is_heading or _is_link_item(verdicts, features, n):
        return False
    return not verdicts[n].keeps or (features.blocks[n].kind == "paragraph" and text.count <= _LONGEST_EMPTY_LINE)


def _is_link_item(verdicts: Sequence[BlockVerdict], features: PageFeatures, n: int) -> bool:
    return features.blocks[n].kind == "item" and verdicts[n].reason == OF_LINKS


def _follow_neighbours(verdicts: list[BlockVerdict], features: PageFeatures) -> None:
    """Keep a picture or a mark without words between kept blocks: no extractor votes on it."""
    worded = [n for n, text in enumerate(features.texts) if text.count and not text.is_heading]
    for n, (block, text) in enumerate(zip(features.blocks, features.texts, strict=True)):
        if text.count or not worded or block.kind == "front matter":
            continue
        place = bisect(worded, n)  # n itself is none of them
        around = {worded[max(place - 1, 0)], worded[min(place, len(worded) - 1)]}
        verdicts[n] = _KEEP if all(verdicts[m].keeps for m in around) else BlockVerdict(False, OUTSIDE)


# Complex: it walks from the end, for whether a heading is kept depends on the next block that is.
def _settle_headings(verdicts: list[BlockVerdict], features: PageFeatures) -> None:
    """Keep the headings above kept text, over a little boilerplate between, and the page's title; drop the others.

    Of a page without any text the headings are the text.
    """
    is_bare = not any(v.keeps and t.count and not t.is_heading for v, t in zip(verdicts, features.texts, strict=True))
    title = _title(verdicts, features)
    below = _positions_below(features)
    next_kept = None
    for n in reversed(range(len(verdicts))):
        if n in below:
            is_text = n == title or (is_bare and not _is_outside(features, n))
            verdicts[n] = _KEEP if is_text else _of_heading(verdicts, features, n, below[n], next_kept)
        if verdicts[n].keeps and (features.texts[n].is_heading or features.texts[n].count):
            next_kept = n


def _of_heading(
    verdicts: Sequence[BlockVerdict], features: PageFeatures, heading: int, below: Sequence[int], next_kept: int | None
) -> BlockVerdict:
    """Return what becomes of a heading by what is kept below it."""
    if not any(verdicts[n].keeps for n in below):
        return BlockVerdict(False, NOTHING_KEPT if below else EMPTY_HEADING)
    if features.in_text[heading] or _is_above(features, heading, next_kept):
        return _KEEP
    return BlockVerdict(False, verdicts[heading].reason or OUTSIDE)


def _is_outside(features: PageFeatures, heading: int) -> bool:
    return features.areas[heading] is not None or features.texts[heading].linked >= MOST_LINKS


def _is_above(features: PageFeatures, heading: int, kept: int | None) -> bool:
    """Return whether what is kept next belongs to a heading: it is right below, or a little boilerplate is between."""
    if kept is None:
        return False
    if features.texts[kept].is_heading and features.blocks[kept].level <= features.blocks[heading].level:
        return False  # the next section's heading
    distance = kept - heading
    return distance == 1 or (distance <= _HEADING_REACH + 1 and not _is_outside(features, heading))


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


# Complex: three things are dropped one after the other, each among what the one before it left.
def _filter_plain_text(features: PageFeatures) -> list[BlockVerdict]:
    """Drop from a text without marks what is surely boilerplate at its edges, and empty headings anywhere."""
    verdicts = [BlockVerdict(False, FRONT_MATTER) if b.kind == "front matter" else _KEEP for b in features.blocks]
    forward = range(len(features.blocks))
    for edge in (_edge(features, forward), _edge(features, reversed(forward))):
        _drop_edge(verdicts, features, edge)
    for n, text in enumerate(features.texts):
        if text.linked > ALL_LINKS and not text.is_heading and (reason := _empty_line(features, n)):
            verdicts[n] = BlockVerdict(False, reason)
    if any(verdicts[n].keeps for n, text in enumerate(features.texts) if not text.is_heading and text.count):
        for heading, below in _positions_below(features).items():
            if features.texts[heading].count <= _BARE_HEADING and not below:
                verdicts[heading] = BlockVerdict(False, EMPTY_HEADING)
    return verdicts  # else headings alone are its text


def _drop_edge(verdicts: list[BlockVerdict], features: PageFeatures, edge: Sequence[int]) -> None:
    """Drop the boilerplate at one end of a text without marks; at its beginning a menu, too."""
    links = [n for n in edge if features.texts[n].linked > ALL_LINKS]
    is_menu = edge[:1] == [0] and len(links) >= _SHORTEST_MENU
    for n in edge:
        if features.on_other_pages[n]:
            verdicts[n] = BlockVerdict(False, ON_OTHER_PAGES)
        elif reason := _empty_line(features, n):
            verdicts[n] = BlockVerdict(False, reason)
        elif is_menu and n in links:
            verdicts[n] = BlockVerdict(False, MENU)


def _edge(features: PageFeatures, order: Iterable[int]) -> list[int]:
    """Return the blocks from one end of the text up to the first that is no boilerplate."""
    found = []
    for n in order:
        text = features.texts[n]
        is_boilerplate = features.on_other_pages[n] or text.linked > ALL_LINKS or not text.count
        if text.is_heading or not (is_boilerplate or _empty_line(features, n)):
            break
        found.append(n)
    return found
