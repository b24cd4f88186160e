"""The rules that tell boilerplate from text, each a function of a page and a block; the first verdict wins.

Rules for headings come after all others: whether a heading is kept hangs on what is kept below it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from autokb.chunking.boilerplate.invitations import empty_line, invitation
from autokb.chunking.boilerplate.page_features import PageFeatures
from autokb.chunking.boilerplate.verdict import BlockVerdict
from autokb.core.marks import AreaKind

FRONT_MATTER = "is front matter: data about the text, none of its words"
AGAIN = "stands on this page already"
ON_OTHER_PAGES = "stands on several pages of the site"
OF_LINKS = "is made of links"
OUTSIDE = "stands outside of the text"
MENU = "is a list of links before the text"
_AREA_REASONS: dict[AreaKind, str] = {
    "nav": "stands in a menu",
    "header": "stands in the head of the page",
    "footer": "stands in the foot of the page",
    "aside": "stands beside the text",
    "form": "belongs to a form",
    "hidden": "is hidden",
    "dialog": "stands in a dialog",
}
_KEEP = BlockVerdict(keeps=True)


@dataclass(frozen=True, slots=True)
class NoiseSettings:
    """The thresholds of the rules, chosen on the fitting half of ``benchmarks/chunk_noise`` and on manuals."""

    mostly_links: float = 0.5  # share of a block's characters
    all_links: float = 0.8  # share of a block's characters
    shortest_announcement: int = 6  # words: "Read more:" announces other pages
    few_links: float = 0.05  # share of a list's words: with more it may be a menu
    longest_share_line: int = 15  # words
    longest_invitation: int = 45  # words: a longer text that names such a thing is about it
    shortest_copy: int = 8  # words: shorter paragraphs may well be said twice
    last_lines: int = 2  # blocks at the ends of a page that is nearly all text
    reach: int = 1  # blocks: from text on both sides so near, a paragraph is inside of it
    longest_inside: int = 60  # words of a paragraph that is kept because of its neighbours
    unsure_reach: int = 3  # blocks: running words so near the text, or inside of it, may be text that was missed
    nearly_all: float = 0.85  # share of the page's running words: where so many are text, the others are too
    heading_reach: int = 3  # blocks of boilerplate between a heading and its text
    shortest_menu: int = 3  # blocks of links that make a menu at the beginning of a plain text


@dataclass(frozen=True)
class RuleContext:
    """What a rule is given of a page: its features, and the settings of the rules."""

    features: PageFeatures
    settings: NoiseSettings

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The positions of the first and the last block of the text."""
        return self.features.ends_of_text()

    @cached_property
    def ends_of_own_text(self) -> tuple[int, int]:
        """The same of the text that no other page of the site has."""
        f = self.features
        inside = [n for n, voted in enumerate(f.in_text) if voted and not f.on_other_pages[n]]
        inside = [n for n in inside if not f.texts[n].is_heading]
        return (inside[0], inside[-1]) if inside else (0, -1)

    @cached_property
    def is_nearly_all_text(self) -> bool:
        """Whether the page has next to nothing around its text, as manuals have."""
        return self.features.text_share >= self.settings.nearly_all

    @cached_property
    def copies(self) -> frozenset[int]:
        """The paragraphs in the text that are said again under a heading of the same words."""
        seen: set[tuple[str, str]] = set()
        found = set()
        heading = ""
        for n, text in enumerate(self.features.texts):
            words = " ".join(text.words.split())
            if text.is_heading:
                heading = words
            elif self.features.blocks[n].kind == "paragraph" and text.count >= self.settings.shortest_copy:
                if (heading, words) in seen:
                    found.add(n)
                elif self.features.in_text[n]:
                    seen.add((heading, words))
        return frozenset(found)

    @cached_property
    def kept_lists(self) -> dict[int, bool]:
        """Whether each list is kept: most of its words are text, it is announced, or inside the text with few links."""
        lists: dict[int, list[int]] = {}
        for n, block in enumerate(self.features.blocks):
            if block.kind == "item":
                lists.setdefault(block.list_id, []).append(n)
        return {name: self._keeps_list(items) for name, items in lists.items()}

    def _keeps_list(self, items: Sequence[int]) -> bool:
        texts, features = [self.features.texts[n] for n in items], self.features
        in_text = [features.in_text[n] for n in items]
        words = [text.count + 1 for text in texts]
        if 2 * sum(w for w, voted in zip(words, in_text, strict=True) if voted) >= sum(words):
            return True
        linked = sum(text.linked * text.count for text in texts)
        few = self.settings.mostly_links if features.blocks[items[0]].ordered else self.settings.few_links
        inside = self.ends[0] <= items[0] and items[-1] <= self.ends[1]
        is_text = self.is_announced(items[0]) or (inside and linked <= few * sum(words))
        return is_text and not any(features.areas[n] for n in items)

    def is_announced(self, n: int) -> bool:
        """Return whether the paragraph of the text before a block ends with a colon: links are what it speaks of."""
        if not n or not self.features.in_text[n - 1]:
            return False
        before = self.features.texts[n - 1]
        return before.count >= self.settings.shortest_announcement and before.words.rstrip().endswith(":")

    def is_near_text(self, n: int) -> bool:
        """Return whether text is within reach on both sides of a block, a heading after it among it."""
        f, reach = self.features, self.settings.reach
        before = (f.in_text[m] and not f.texts[m].is_heading for m in range(max(0, n - reach), n))
        return any(before) and any(f.in_text[n + 1 : n + 1 + reach])


Rule = Callable[[RuleContext, int], BlockVerdict | None]


def drop_front_matter(page: RuleContext, n: int) -> BlockVerdict | None:
    """Front matter is data about the text."""
    return BlockVerdict(False, FRONT_MATTER) if page.features.blocks[n].kind == "front matter" else None


def drop_site_boilerplate(page: RuleContext, n: int) -> BlockVerdict | None:
    """What many pages of the site have goes before and after this page's own text, and links go anywhere."""
    if not page.features.on_other_pages[n]:
        return None
    inside = page.ends_of_own_text[0] < n < page.ends_of_own_text[1]
    is_link = page.features.texts[n].linked > page.settings.all_links
    return BlockVerdict(False, ON_OTHER_PAGES) if is_link or not inside else None


def drop_share_lines(page: RuleContext, n: int) -> BlockVerdict | None:
    """Lines such as "Share: Facebook Twitter" go, wherever they are."""
    text = page.features.texts[n]
    if not 0 < text.count <= page.settings.longest_share_line:
        return None
    if text.count == 1 and page.features.in_text[n]:
        return None  # a single word such as "Share" may be a button that the text is about
    reason = empty_line(" ".join(text.words.split()))
    return BlockVerdict(False, reason) if reason else None


def drop_invitations(page: RuleContext, n: int) -> BlockVerdict | None:
    """Short texts that ask the reader to subscribe, comment or donate go; a manual may be about such a thing."""
    text, last = page.features.texts[n], page.settings.last_lines
    if page.is_nearly_all_text and page.ends[0] + last <= n <= page.ends[1] - last:
        return None
    block = page.features.blocks[n]
    if text.is_heading or block.ordered or block.kind in ("table", "code"):
        return None
    if not 0 < text.count <= page.settings.longest_invitation:
        return None
    reason = invitation(" ".join(text.words.split()))
    return BlockVerdict(False, reason) if reason else None


def drop_copies(page: RuleContext, n: int) -> BlockVerdict | None:
    """A paragraph that is on the page twice, below the same heading, is kept once."""
    return BlockVerdict(False, AGAIN) if n in page.copies else None


def drop_link_lines(page: RuleContext, n: int) -> BlockVerdict | None:
    """A paragraph of nothing but links to other pages goes, unless a colon announces it or the page is a manual."""
    text = page.features.texts[n]
    if page.features.blocks[n].kind != "paragraph" or not text.count or text.linked <= page.settings.all_links:
        return None
    return None if page.is_announced(n) or page.is_nearly_all_text else BlockVerdict(False, OF_LINKS)


def keep_whole_parts(page: RuleContext, n: int) -> BlockVerdict | None:
    """Lists, tables and code are kept as wholes: the extractor leaves out rows and steps."""
    block, features = page.features.blocks[n], page.features
    if block.kind == "item":
        return _KEEP if page.kept_lists[block.list_id] else _dropped(page, n)
    inside = page.ends[0] <= n <= page.ends[1] and features.areas[n] is None
    is_whole = block.kind in ("table", "code") and features.texts[n].linked < page.settings.mostly_links
    return _KEEP if is_whole and inside else None


def keep_inside_text(page: RuleContext, n: int) -> BlockVerdict | None:
    """A short paragraph between text is text, as is one that announces text; so is any on a page of nearly all text."""
    features = page.features
    inside = page.ends[0] < n < page.ends[1] and features.areas[n] is None
    if features.in_text[n] or not inside or not features.is_running(n):
        return None
    if page.is_nearly_all_text:
        return _KEEP
    announces = features.texts[n].words.rstrip().endswith(":") and features.in_text[n + 1]
    near = announces or (features.texts[n].count <= page.settings.longest_inside and page.is_near_text(n))
    return BlockVerdict(keeps=True, is_sure=False) if near else None


def follow_vote(page: RuleContext, n: int) -> BlockVerdict | None:
    """What no other rule knows better is kept where the extractor keeps it."""
    return _KEEP if page.features.in_text[n] else _dropped(page, n)


TEXT_RULES: tuple[Rule, ...] = (
    drop_front_matter,
    drop_site_boilerplate,
    drop_share_lines,
    drop_invitations,
    drop_copies,
    drop_link_lines,
    keep_whole_parts,
    keep_inside_text,
    follow_vote,
)


def first_verdict(rules: Sequence[Rule], page: RuleContext, n: int) -> BlockVerdict:
    """Return the verdict of the first rule that has one; a block that none knows is kept."""
    return next((verdict for rule in rules if (verdict := rule(page, n)) is not None), _KEEP)


def _dropped(page: RuleContext, n: int) -> BlockVerdict:
    """Drop a block for the area that it is in, its links, or because the extractor keeps it out of the text."""
    features = page.features
    if area := features.areas[n]:
        return BlockVerdict(False, _AREA_REASONS[area])
    if features.texts[n].linked >= page.settings.mostly_links:
        return BlockVerdict(False, OF_LINKS)
    reach = page.settings.unsure_reach
    is_near = page.ends[0] - reach <= n <= page.ends[1] + reach
    return BlockVerdict(False, OUTSIDE, is_sure=not (is_near and features.is_running(n)))
