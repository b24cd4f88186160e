"""Which blocks must stay together, however small a unit or a part of one is."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.chunking.structure.blank_blocks import is_blank
from autokb.chunking.structure.block_features import BlockFeatures, block_features
from autokb.chunking.structure.blocks import NumberedBlock
from autokb.chunking.structure.outline import Outline, Unit

TOGETHER = 1_200  # characters up to which a paragraph that goes on from the one before stays with it
_INTRODUCED = frozenset({"item", "table", "code", "picture"})
_CAPTIONED = frozenset({"table", "picture", "code", "html"})


def group_blocks(outline: Outline, positions: Sequence[int]) -> list[Unit]:
    """Return what of some blocks must stay together.

    A heading, label or question with what follows it; a list, table, code or picture with the paragraph before it;
    a list with the notes between its steps; a caption with what it names; a paragraph that goes on with what it goes
    on from; a blank block with what is before it, else after it.
    """
    blocks = [outline.blocks[p] for p in positions]
    features = [block_features(outline.text, block) for block in blocks]
    between_steps = _between_steps(blocks)
    groups: list[list[int]] = []
    size = 0
    has_text = False
    for n, block in enumerate(blocks):
        length = block.end - block.start
        blank = is_blank(outline.text, block)
        joins_blank = block.kind != "heading" and (blank or not has_text)
        if n and (between_steps[n] or joins_blank or _stays(blocks, features, n, size + length)):
            has_text = has_text or not blank
        else:
            has_text = not blank
            groups.append([])
            size = 0
        groups[-1].append(positions[n])
        size += length
    return [tuple(group) for group in groups]


def _between_steps(blocks: Sequence[NumberedBlock]) -> list[bool]:
    """Return which blocks come after the first and not after the last item of one ordered list."""
    last = {b.list_id: n for n, b in enumerate(blocks) if b.ordered}
    found = []
    until = -1
    for n, block in enumerate(blocks):
        found.append(n <= until)
        if block.ordered:
            until = max(until, last[block.list_id])
    return found


def _stays(blocks: Sequence[NumberedBlock], features: Sequence[BlockFeatures], n: int, size: int) -> bool:
    """Return whether a block stays with the one before it; ``size`` is what both would have with all before them."""
    before, here = features[n - 1], features[n]
    if here.shape == "heading":
        return before.shape == "heading" and blocks[n].level > blocks[n - 1].level
    if before.introduces or here.shape in ("mark", "picture") or (before.shape == "mark" and n == 1):
        return True
    if here.shape == "item":
        return before.shape in ("item", "paragraph", "picture")
    if "caption" in (before.shape, here.shape):
        return before.shape != here.shape and {before.shape, here.shape} <= {"caption", *_CAPTIONED}
    if here.shape in _INTRODUCED:
        return before.shape in ("paragraph", "item", "picture", here.shape)
    return here.shape == "label" or (here.goes_on and size <= TOGETHER)
