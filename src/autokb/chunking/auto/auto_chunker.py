"""AutoChunker: a page becomes numbered blocks, these become clean units, and the units a tree of chunks.

The steps of the paper's section 3: boilerplate is left out, what belongs together is merged, the units are put under
their headings, and one that is too long is split into equal parts. Offline the structure of the page tells what
belongs together and rules tell what is boilerplate; a model can be asked instead, about everything or (rules first)
about what the rules are unsure of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from autokb.chunking.auto.filtered_page import FilteredPage, filter_page, without_blank_units, without_empty_headings
from autokb.chunking.auto.merge_requests import read_windows, reasons_given, unsure_requests, whole_requests
from autokb.chunking.auto.model_ranges import Range, join_windows, units_of_ranges
from autokb.chunking.auto.units import units_by_structure
from autokb.chunking.chunk_result import ChunkResult, MarkedPage
from autokb.chunking.spans import check_size
from autokb.chunking.structure.outline import Unit
from autokb.chunking.tree import build_chunk_tree
from autokb.tasks.chunking.merge_blocks.task import MergeBlocks, MergedBlocks

IN_NO_UNIT = "in no unit, says the model"


def chunk_auto(page: MarkedPage, max_size: int) -> ChunkResult:
    """Chunk a page by its structure, without a model."""
    check_size(max_size)
    filtered = filter_page(page)
    return _chunk_units(page, filtered, units_by_structure(filtered.outline), max_size, {})


def merge_requests(page: MarkedPage, rules_first: bool = False) -> list[MergeBlocks]:
    """Return what a model is asked about a page; nothing where rules come first and are sure of everything."""
    filtered = filter_page(page)
    if rules_first:
        return unsure_requests(page.document, filtered.outline, filtered.unsure)
    return whole_requests(page.document, filtered.outline, units_by_structure(filtered.outline))


def chunk_from_replies(
    page: MarkedPage, replies: Sequence[MergedBlocks | None], max_size: int, rules_first: bool = False
) -> ChunkResult:
    """Chunk a page by the replies to its ``merge_requests``, in their order; None stands for a failed one."""
    check_size(max_size)
    by_rules = filter_page(page)
    outline, unsure = by_rules.outline, by_rules.unsure
    if rules_first:
        windows, counts = read_windows(unsure_requests(page.document, outline, unsure), replies)
        wanted = _positions([r for window in windows for r in window.ranges])
        kept = [n in wanted if n in unsure else keeps for n, keeps in enumerate(outline.kept)]
        filtered = without_empty_headings(_filter_by_replies(by_rules, kept, replies))
        return _chunk_units(page, filtered, units_by_structure(filtered.outline), max_size, counts)
    windows, counts = read_windows(whole_requests(page.document, outline, units_by_structure(outline)), replies)
    ranges = join_windows(windows)
    wanted = _positions(ranges)
    filtered = _filter_by_replies(by_rules, [n in wanted for n in range(len(outline.blocks))], replies)
    units, repaired = units_of_ranges(outline.blocks, filtered.outline.kept, ranges)
    return _chunk_units(page, filtered, units, max_size, {**counts, "units": repaired})


def _filter_by_replies(
    by_rules: FilteredPage, kept: Sequence[bool], replies: Sequence[MergedBlocks | None]
) -> FilteredPage:
    """Return what a model keeps; what it leaves out is left out for its reason, else for that of the rules."""
    given = {**by_rules.reasons, **reasons_given(replies)}
    reasons = {n: given.get(n, IN_NO_UNIT) for n, keeps in enumerate(kept) if not keeps}
    return FilteredPage.of(by_rules.outline.text, by_rules.outline.blocks, kept, reasons)


def _positions(ranges: Sequence[Range]) -> set[int]:
    """Return the positions of all blocks in the ranges."""
    return {n - 1 for first, last in ranges for n in range(first, last + 1)}


def _chunk_units(
    page: MarkedPage,
    filtered: FilteredPage,
    units: Sequence[Unit],
    max_size: int,
    counts: Mapping[str, int],
) -> ChunkResult:
    filtered, units = without_blank_units(filtered, units)
    outline = filtered.outline
    found = Counter({**counts, "lists": filtered.incomplete_lists})
    return ChunkResult(build_chunk_tree(page.document, outline, units, max_size), filtered.noise(), dict(+found))
