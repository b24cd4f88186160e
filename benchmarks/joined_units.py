"""AutoChunker with small units joined up to a size, for benchmarks that compare chunks of one mean size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from autokb.chunking.auto.filtered_page import filter_page, without_blank_units
from autokb.chunking.auto.units import units_by_structure
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.structure.block_groups import group_blocks
from autokb.chunking.structure.outline import Outline, Unit, common_path
from autokb.chunking.structure.packing import Atom, Fragment, pack_equally
from autokb.chunking.tree import build_chunk_tree


def chunk_joined(page: MarkedPage, max_size: int, below: int) -> ChunkResult:
    """Chunk a page as ``chunk_auto`` does, with small units under one heading joined up to ``below`` characters."""
    filtered = filter_page(page)
    filtered, units = without_blank_units(filtered, units_by_structure(filtered.outline))
    joined = join_small_units(filtered.outline, units, min(below, max_size))
    chunks = build_chunk_tree(page.document, filtered.outline, joined, max_size)
    return ChunkResult(chunks, filtered.noise())


def join_small_units(outline: Outline, units: Sequence[Unit], below: int) -> tuple[Unit, ...]:
    """Join neighbours that are small, up to ``below`` characters, where they share a heading.

    Of a unit over half of that, what must stay together takes part by itself: chunks of like size are found best.
    """
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
