"""Self-contained units by structure: what belongs together, told without asking a model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.chunking.auto.text_tiling import topic_shifts
from autokb.chunking.structure.block_groups import block_features, group_blocks
from autokb.chunking.structure.outline import Outline, Unit

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
