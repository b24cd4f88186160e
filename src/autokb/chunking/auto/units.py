"""Self-contained units by structure: what belongs together, told without asking a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.chunking.auto.text_tiling import topic_shifts
from autokb.chunking.structure.block_groups import block_features, group_blocks
from autokb.chunking.structure.outline import Outline, Unit, common_path
from autokb.chunking.structure.packing import Atom, Fragment, pack_equally

SMALL = 500  # characters; a section that is no longer is one unit
TOPIC = 1_200  # characters; running text that is no longer has one topic


def units_by_structure(outline: Outline) -> tuple[Unit, ...]:
    """Return the units of the kept blocks: headings with their content, at most one section in each.

    A heading without text of its own goes with what follows below it. A section is one unit when it is short; else
    each bold title or question in it begins one, and running text is parted where its topic changes.
    """
    return tuple(unit for section in outline.sections() for unit in _section_units(outline, section))


def _section_units(outline: Outline, section: Unit) -> Iterator[Unit]:
    if outline.length(section) <= SMALL:
        yield section
        return
    for groups in _titled_groups(outline, group_blocks(outline, section)):
        texts = [outline.text_of(group) for group in groups]
        starts = topic_shifts(texts) if sum(map(len, texts)) > TOPIC else []
        for first, after in zip((0, *starts), (*starts, len(groups)), strict=True):
            yield tuple(position for group in groups[first:after] for position in group)


def _titled_groups(outline: Outline, groups: Sequence[Unit]) -> Iterator[list[Unit]]:
    """Yield runs of groups; one that begins with a title begins a run."""
    run: list[Unit] = []
    for group in groups:
        if run and block_features(outline.text, outline.blocks[group[0]]).shape == "title":
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def join_small_units(outline: Outline, units: Sequence[Unit], below: int) -> tuple[Unit, ...]:
    """Join neighbours that are small, up to ``below`` characters (0: none), where they share a heading.

    Of a unit over half of that, what must stay together takes part by itself: chunks of like size are found best.
    """
    if not below:
        return tuple(units)
    found: list[Unit] = []
    for run in _neighbouring_units(outline, units, below):
        spans = [(outline.blocks[unit[0]].start, outline.blocks[unit[-1]].end) for unit in run]
        atoms = [Atom((Fragment(n, start, end, gap=2),)) for n, (start, end) in enumerate(spans)]
        for part in pack_equally(atoms, below, below):
            found.append(tuple(position for atom in part for position in run[atom.fragments[0].position]))
    return tuple(found)


def _neighbouring_units(outline: Outline, units: Sequence[Unit], below: int) -> Iterator[list[Unit]]:
    """Yield runs of units in the section of the run's first one, in those below it, and beside it."""
    run: list[Unit] = []
    for unit in units:
        if run and not _is_near(outline, run[0], unit):
            yield run
            run = []
        run += [unit] if outline.length(unit) * 2 <= below else group_blocks(outline, unit)
    if run:
        yield run


def _is_near(outline: Outline, first: Unit, other: Unit) -> bool:
    """Return whether a unit is of the same section as another, of one below it, or of one beside it."""
    begin, here = outline.path(first), outline.path(other)
    shared = len(common_path((begin, here)))
    beside = outline.blocks[here[shared]].level > 1 if shared < len(here) else True
    return shared >= len(begin) - 1 and beside
