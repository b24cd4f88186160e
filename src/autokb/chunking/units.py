"""Self-contained units by structure: what stands together without being asked of any model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.looks import Look, look
from autokb.chunking.outline import Path
from autokb.chunking.topics import shifts
from autokb.chunking.wordless import says_something

Unit = tuple[int, ...]  # positions of blocks in order; dropped ones between them are left out
SMALL = 500  # characters; a section that is no longer is one unit
TOPIC = 1_200  # characters; running text that is no longer has one topic
TOGETHER = 1_200  # characters up to which a paragraph that goes on from the one before stays with it
_INTRODUCED = frozenset({"item", "table", "code", "picture"})


def units_by_structure(
    text: str, blocks: Sequence[NumberedBlock], kept: Sequence[bool], paths: Sequence[Path]
) -> tuple[Unit, ...]:
    """Return the units of the kept blocks: headings with their content, at most one section in each.

    A heading without text of its own goes with what follows below it. A section is one unit when it is short; else
    each bold title or question in it begins one, and running text is parted where its topic changes.
    """
    return tuple(unit for section in _sections(blocks, kept, paths) for unit in _section_units(text, blocks, section))


def without_lone_marks(
    text: str, blocks: Sequence[NumberedBlock], units: Sequence[Unit]
) -> tuple[tuple[Unit, ...], tuple[int, ...]]:
    """Return the units without those that say nothing, and what was taken out.

    Headings without words are taken out, and what says nothing in front of a heading that a unit begins with: it
    belongs to nothing below it.
    """
    found = []
    out: list[int] = []
    for unit in units:
        said = {position: says_something(text, blocks[position]) for position in unit}
        left = tuple(p for p in unit if said[p] or blocks[p].kind != "heading")
        first = next((n for n, position in enumerate(left) if said[position]), len(left))
        if first == len(left) or blocks[left[first]].kind == "heading":
            left = left[first:]
        out += sorted(set(unit) - set(left))
        found.append(left)
    return tuple(unit for unit in found if unit), tuple(out)


def groups(text: str, blocks: Sequence[NumberedBlock], positions: Sequence[int]) -> list[Unit]:
    """Return what of some blocks must stay together, however small the units are.

    A heading, label or question with what follows it; a list, table, code or picture with the paragraph before it;
    a list with the notes between its steps; a caption with what it names; a paragraph that goes on with what it goes
    on from; what says nothing with what stands before it, else after it.
    """
    looks = [look(text, blocks[p]) for p in positions]
    held = _inside_lists([blocks[p] for p in positions])
    found: list[list[int]] = []
    size = 0
    said = True
    for n, position in enumerate(positions):
        length = blocks[position].end - blocks[position].start
        says = says_something(text, blocks[position])
        joins = blocks[position].kind != "heading" and not (says and said)
        alone = n == 0 or not (held[n] or joins or _stays(blocks, positions, looks, n, size + length))
        said = says or (said and not alone)
        if alone:
            found.append([])
            size = 0
        found[-1].append(position)
        size += length
    return [tuple(group) for group in found]


def _sections(blocks: Sequence[NumberedBlock], kept: Sequence[bool], paths: Sequence[Path]) -> Iterator[list[int]]:
    """Give the kept blocks section by section, headings without text of their own with the first one below them."""
    section: list[int] = []
    found = False
    for position, block in enumerate(blocks):
        if not kept[position]:
            continue
        starts = block.kind == "heading" and section
        bare = starts and all(blocks[p].kind == "heading" for p in section)
        # A page's name may stand at the level of its first section; it is no empty section.
        named = bare and len(section) == 1 and not found
        if starts and not (named or (bare and paths[section[-1]] == paths[position][:-1])):
            found = True
            yield section
            section = []
        section.append(position)
    if section:
        yield section


def _section_units(text: str, blocks: Sequence[NumberedBlock], section: list[int]) -> Iterator[Unit]:
    if blocks[section[-1]].end - blocks[section[0]].start <= SMALL:
        yield tuple(section)
        return
    for titled in _titled(text, blocks, groups(text, blocks, section)):
        yield from _topics(text, blocks, titled)


def _titled(text: str, blocks: Sequence[NumberedBlock], found: list[Unit]) -> Iterator[list[Unit]]:
    """Give runs of groups; one that begins with a title begins a run."""
    run: list[Unit] = []
    for group in found:
        if run and look(text, blocks[group[0]]).shape == "title":
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _topics(text: str, blocks: Sequence[NumberedBlock], run: list[Unit]) -> Iterator[Unit]:
    texts = [text[blocks[group[0]].start : blocks[group[-1]].end] for group in run]
    starts = shifts(texts) if sum(map(len, texts)) > TOPIC else []
    for first, after in zip((0, *starts), (*starts, len(run)), strict=True):
        yield tuple(position for group in run[first:after] for position in group)


def _inside_lists(blocks: Sequence[NumberedBlock]) -> list[bool]:
    """Return which blocks stand after the first and not after the last item of one ordered list."""
    last = {b.list_id: n for n, b in enumerate(blocks) if b.ordered}
    held = []
    until = -1
    for n, block in enumerate(blocks):
        held.append(n <= until)
        if block.ordered:
            until = max(until, last[block.list_id])
    return held


def _stays(blocks: Sequence[NumberedBlock], positions: Sequence[int], looks: list[Look], n: int, size: int) -> bool:
    """Return whether a block stays with the one before it; ``size`` is what both would have with all before them."""
    before, here = looks[n - 1], looks[n]
    if here.shape == "heading":
        return before.shape == "heading" and blocks[positions[n]].level > blocks[positions[n - 1]].level
    if before.introduces or here.shape in ("mark", "picture") or (before.shape == "mark" and n == 1):
        return True
    if here.shape == "item":
        return before.shape in ("item", "paragraph", "picture")
    if "caption" in (before.shape, here.shape):
        return _captioned(before.shape, here.shape)
    if here.shape in _INTRODUCED:
        return before.shape in ("paragraph", "item", "picture", here.shape)
    if here.shape == "label":
        return True
    return here.goes_on and size <= TOGETHER


def _captioned(before: str, here: str) -> bool:
    named = ("table", "picture", "code", "html")
    return (before == "caption" and here in named) or (here == "caption" and before in named)
