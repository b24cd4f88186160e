"""How much of a document is read around a place where something was found."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from autokb.chunking.spans import split_span
from autokb.core.nouns import Span
from autokb.text.markdown import Block, parse_blocks, section_at, sections

EXCERPT = 8_000  # characters of a document around a hit; a section or a list that is longer stays whole


def excerpt_span(text: str, start: int, end: int, most: int = EXCERPT) -> Span:
    """Return the widest section around a place that is not too long; of a long one, the blocks around the place.

    Where less than ``EXCERPT`` may be read, a long section is cut into parts that do not hang on the place, so that
    hits near each other share one. A list is kept whole as long as it is no longer than ``EXCERPT``.
    """
    found = sections(text)
    place = (start + end) // 2
    number = section_at(found, place)
    if found[number].own_end - found[number].start > most:
        section = (found[number].start, found[number].own_end)
        return (
            _span_blocks_around(text, section, place) if most >= EXCERPT else _find_part_at(text, section, place, most)
        )
    span = (found[number].start, found[number].own_end)
    here: int | None = number
    while here is not None and found[here].end - found[here].start <= most:
        span = (found[here].start, found[here].end)
        here = found[here].parent
    return span


# Complex: a list near the place is taken whole, so the blocks are looked through twice.
def _span_blocks_around(text: str, section: Span, place: int) -> Span:
    blocks = _find_blocks(text, section)
    near = [b for b in blocks if b.end > place - EXCERPT // 2 and b.start < place + EXCERPT // 2]
    lists = {b.list_id for b in near if b.kind == "item"}
    near += [b for b in blocks if b.list_id in lists]
    if not near:
        return section
    start, end = min(b.start for b in near), max(b.end for b in near)
    return (start, end) if lists else _clip_around(text, start, end, place)


def _find_blocks(text: str, section: Span) -> list[Block]:
    return [b for b in parse_blocks(text) if section[0] <= b.start < section[1] and (b.kind != "item" or b.level == 1)]


def _clip_around(text: str, start: int, end: int, place: int) -> Span:
    """Return the part of endless prose around a place, from white space to white space where there is some."""
    first, last = max(start, place - EXCERPT // 2), min(end, place + EXCERPT // 2)
    if first > start:
        first = max(first, text.find(" ", first, place) + 1)
    if last < end:
        last = max(text.rfind(" ", place, last), place + 1)
    return first, last


def _find_part_at(text: str, section: Span, place: int, most: int) -> Span:
    """Return the part of a long section that a place is in, the last before it where it is between two."""
    found = _cut_section(text, section, most)
    return max((part for part in found if part[0] <= place), default=found[0] if found else section)


@lru_cache(maxsize=512)
def _cut_section(text: str, section: Span, most: int) -> tuple[Span, ...]:
    """Cut a section between blocks into parts of at most ``most`` characters; the words before a list stay with it."""
    parts: list[Span] = []
    for start, end in _group_blocks(text, _find_blocks(text, section), most):
        if parts and end - parts[-1][0] <= most:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
    return tuple(parts)


# Complex: whether a block joins the one before it is one decision with three ways out.
def _group_blocks(text: str, blocks: Sequence[Block], most: int) -> list[Span]:
    """Return what is not cut: a list with the paragraph that leads over to it, else a block; an endless one is cut."""
    units: list[Span] = []
    before: Block | None = None
    for block in blocks:
        same = before and before.kind == block.kind == "item" and before.list_id == block.list_id
        led = before and before.kind in ("heading", "paragraph") and (block.kind == "item" or before.kind == "heading")
        if units and (same or led) and block.end - units[-1][0] <= EXCERPT:
            units[-1] = (units[-1][0], block.end)
        elif block.kind == "item" and block.end - block.start <= EXCERPT:
            units.append((block.start, block.end))
        else:
            units += split_span(text, block.start, block.end, most)
        before = block
    return units
