"""AutoChunker: a page becomes numbered paragraphs, these become clean units, and the units a tree of chunks.

The steps of the paper's section 3: what says nothing is left out, what belongs together is merged, the units hang under
their headings, and one that is too long is cut into equal parts. Offline the structure of the page answers what
belongs together and what is noise; a model can be asked instead, about everything or (rules first) about what the
rules are unsure of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from autokb.chunking.cutting import Cut, Mark
from autokb.chunking.judged import Judged, judged, verdicts_of, without_empty_headings, without_marks
from autokb.chunking.merging import read_windows, reasons_given, unsure_requests, whole_requests
from autokb.chunking.pieces import check_size
from autokb.chunking.ranges import Range, joined, whole_units
from autokb.chunking.tree import chunk_tree, joined_units
from autokb.chunking.units import Unit, units_by_structure
from autokb.core.nouns import Document
from autokb.tasks.chunking.merge_blocks.task import MergeBlocks, MergedBlocks

JOIN_BELOW = 0  # characters up to which small neighbours share a chunk; 0 keeps every unit apart
UNSAID = "in no unit, says the model"


def auto_chunks(
    document: Document,
    max_size: int = 2048,
    marks: Sequence[Mark] = (),
    repeated: frozenset[str] = frozenset(),
    join_below: int = JOIN_BELOW,
) -> Cut:
    """Cut a document by its structure, without a model.

    ``marks`` are what its page tells beside its Markdown, ``repeated`` the blocks that stand on several pages of its
    site. Small units under one heading share a chunk up to ``join_below`` characters.
    """
    check_size(max_size)
    page, _ = _by_rules(document, marks, repeated)
    return _cut(document, page, _structure(page), max_size, join_below, {})


def merge_requests(
    document: Document,
    marks: Sequence[Mark] = (),
    rules_first: bool = False,
    repeated: frozenset[str] = frozenset(),
) -> list[MergeBlocks]:
    """Return what a model is asked about a document; nothing where rules come first and are sure of everything."""
    page, unsure = _by_rules(document, marks, repeated)
    if rules_first:
        return unsure_requests(document, page, unsure)
    return whole_requests(document, page, _structure(page))


def cut_from_replies(
    document: Document,
    replies: Sequence[MergedBlocks | None],
    max_size: int = 2048,
    marks: Sequence[Mark] = (),
    rules_first: bool = False,
    repeated: frozenset[str] = frozenset(),
    join_below: int = JOIN_BELOW,
) -> Cut:
    """Cut a document by the replies to its ``merge_requests``, in their order; None stands for a failed one."""
    check_size(max_size)
    page, unsure = _by_rules(document, marks, repeated)
    if rules_first:
        windows, counts = read_windows(unsure_requests(document, page, unsure), replies)
        said = _numbers(window.ranges for window in windows)
        kept = [n in said if unsure[n] else keeps for n, keeps in enumerate(page.kept)]
        page = without_empty_headings(judged(page.text, page.blocks, kept, _why(page, kept, replies)))
        return _cut(document, page, _structure(page), max_size, join_below, counts)
    windows, counts = read_windows(whole_requests(document, page, _structure(page)), replies)
    ranges = joined(windows)
    said = _numbers([ranges])
    kept = [n in said for n in range(len(page.blocks))]
    page = judged(page.text, page.blocks, kept, _why(page, kept, replies))
    units, moved = whole_units(page.blocks, page.kept, ranges)
    return _cut(document, page, units, max_size, join_below, {**counts, "units": moved})


def _by_rules(document: Document, marks: Sequence[Mark], repeated: frozenset[str]) -> tuple[Judged, list[bool]]:
    """Return what the rules keep, and of which blocks they are unsure."""
    blocks, verdicts = verdicts_of(document, marks, repeated)
    reasons = {n: verdict.reason for n, verdict in enumerate(verdicts) if not verdict.keeps}
    page = judged(document.text, blocks, [n not in reasons for n in range(len(blocks))], reasons)
    return without_empty_headings(page), [verdict.kind == "unsure" for verdict in verdicts]


def _structure(page: Judged) -> tuple[Unit, ...]:
    return units_by_structure(page.text, page.blocks, page.kept, page.outline().paths)


def _numbers(ranges: Iterable[Iterable[Range]]) -> set[int]:
    """Return the positions of all blocks that stand in a range."""
    return {n - 1 for some in ranges for first, last in some for n in range(first, last + 1)}


def _why(page: Judged, kept: Sequence[bool], replies: Sequence[MergedBlocks | None]) -> Mapping[int, str]:
    """Return why blocks are left out: as the model says, else as the rules do."""
    given = {**page.reasons, **reasons_given(replies)}
    return {n: given.get(n, UNSAID) for n, keeps in enumerate(kept) if not keeps}


def _cut(
    document: Document,
    page: Judged,
    units: Sequence[Unit],
    max_size: int,
    join_below: int,
    counts: Mapping[str, int],
) -> Cut:
    page, units = without_marks(page, units)
    outline = page.outline()
    if join_below:
        units = joined_units(outline, units, min(join_below, max_size))
    found = Counter({**counts, "lists": page.torn})
    return Cut(chunk_tree(document, outline, units, max_size), page.noise(), dict(+found))
