"""A document's blocks, each kept or left out for a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from autokb.chunking.boilerplate import EMPTY_HEADING, NOTHING_KEPT, filter_boilerplate
from autokb.chunking.chunk_result import MarkedPage, Noise
from autokb.chunking.structure.block_groups import is_blank
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.chunking.structure.outline import Outline, Unit, headings_with_text
from autokb.text.markdown import Block

BLANK = "holds no words"
INCOMPLETE_LIST = "most of its list is noise"


@dataclass(frozen=True, slots=True)
class FilteredPage:
    """Which blocks of a text are kept, and by position why the others are not.

    ``unsure`` are the blocks of which the rules are unsure, ``incomplete_lists`` counts the ordered lists of which only
    a part had been kept.
    """

    outline: Outline
    reasons: Mapping[int, str]
    incomplete_lists: int = 0
    unsure: frozenset[int] = frozenset()

    @classmethod
    def of(cls, text: str, blocks: tuple[Block, ...], kept: Sequence[bool], reasons: Mapping[int, str]) -> FilteredPage:
        """Return the page with each ordered list kept or left out as a whole."""
        whole, incomplete = keep_lists_whole(blocks, kept)
        missing = {n: INCOMPLETE_LIST for n, keeps in enumerate(whole) if not keeps and n not in reasons}
        return cls(Outline(text, blocks, tuple(whole)), {**reasons, **missing}, incomplete)

    def without(self, reasons: Mapping[int, str]) -> FilteredPage:
        """Return the page without some more blocks, which are given with their reasons."""
        kept = tuple(keeps and n not in reasons for n, keeps in enumerate(self.outline.kept))
        outline = Outline(self.outline.text, self.outline.blocks, kept)
        return FilteredPage(outline, {**self.reasons, **reasons}, self.incomplete_lists, self.unsure)

    def kept_text(self) -> str:
        """Return the kept text of a stored document."""
        text, blocks = self.outline.text, self.outline.blocks
        parts: list[str] = []
        before = None
        for n in (n for n, keeps in enumerate(self.outline.kept) if keeps):
            if before is None:
                parts.append(text[: blocks[0].start] if n == 0 else "")
            elif before == n - 1:
                parts.append(text[blocks[before].end : blocks[n].start])
            else:  # of two items with another between them one list is left
                parts.append("\n" if blocks[n].list_id == blocks[before].list_id != -1 else "\n\n")
            parts.append(text[blocks[n].start : blocks[n].end])
            before = n
        return "".join([*parts, "\n"]) if parts else ""

    def noise(self) -> tuple[Noise, ...]:
        """Return what is left out: neighbours with one reason as one entry."""
        found = []
        text, blocks = self.outline.text, self.outline.blocks
        left_out = (n for n, keeps in enumerate(self.outline.kept) if not keeps)
        for (_, reason), run in groupby(enumerate(left_out), lambda pair: (pair[1] - pair[0], self.reasons[pair[1]])):
            positions = [position for _, position in run]
            start, end = blocks[positions[0]].start, blocks[positions[-1]].end
            found.append(Noise(((start, end),), text[start:end], reason))
        return tuple(found)


def filter_page(page: MarkedPage) -> FilteredPage:
    """Return what the rules keep of a page: the one filter for what ``add`` stores and for what is chunked."""
    blocks = numbered_blocks(page.document.text)
    verdicts = filter_boilerplate(page, blocks)
    reasons = {n: verdict.reason for n, verdict in enumerate(verdicts) if not verdict.keeps}
    found = FilteredPage.of(page.document.text, blocks, [verdict.keeps for verdict in verdicts], reasons)
    unsure = frozenset(n for n, verdict in enumerate(verdicts) if not verdict.is_sure)
    return without_empty_headings(replace(found, unsure=unsure))


def keep_lists_whole(blocks: Sequence[Block], kept: Sequence[bool]) -> tuple[list[bool], int]:
    """Keep or drop each ordered list as a whole, as at least half of its items are; also count those that changed.

    Steps without one of them would mislead.
    """
    lists: dict[int, list[int]] = {}
    for position, block in enumerate(blocks):
        if block.ordered:
            lists.setdefault(block.list_id, []).append(position)
    whole = list(kept)
    changed = 0
    for items in lists.values():
        wanted = sum(kept[p] for p in items)
        changed += 0 < wanted < len(items)
        for position in items:
            whole[position] = 2 * wanted >= len(items)
    return whole, changed


def without_empty_headings(page: FilteredPage) -> FilteredPage:
    """Leave out the headings with nothing kept below them, blank blocks aside.

    The first heading names the page and stays, and so does every heading of a text of nothing else.
    """
    blocks, kept = page.outline.blocks, page.outline.kept
    has_text = [b.kind != "heading" and not is_blank(page.outline.text, b) for b in blocks]
    kept_text = [keeps and has for keeps, has in zip(kept, has_text, strict=True)]
    if not any(kept_text):
        return page
    headings = [n for n, block in enumerate(blocks) if block.kind == "heading" and kept[n]]
    empty = set(headings[1:]) - headings_with_text(blocks, kept, kept_text)
    had_text = headings_with_text(blocks, [True] * len(blocks), has_text)
    return page.without({n: NOTHING_KEPT if n in had_text else EMPTY_HEADING for n in empty})


def without_blank_units(page: FilteredPage, units: Sequence[Unit]) -> tuple[FilteredPage, tuple[Unit, ...]]:
    """Leave out the units without words, and what no unit needs of the others.

    That is headings without words, and blank blocks in front of a heading that a unit begins with: they belong to
    nothing below it.
    """
    blocks = page.outline.blocks
    left = []
    out: list[int] = []
    for unit in units:
        blank = {position: is_blank(page.outline.text, blocks[position]) for position in unit}
        rest = tuple(p for p in unit if not blank[p] or blocks[p].kind != "heading")
        first = next((n for n, position in enumerate(rest) if not blank[position]), len(rest))
        if first == len(rest) or blocks[rest[first]].kind == "heading":
            rest = rest[first:]
        out += sorted(set(unit) - set(rest))
        if rest:
            left.append(rest)
    return page.without(dict.fromkeys(out, BLANK)), tuple(left)
