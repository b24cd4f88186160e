"""What a model is asked about a document, and what its replies say of each window of paragraphs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from autokb.chunking.auto.model_ranges import AnsweredWindow, Range, repair_ranges
from autokb.chunking.structure.blocks import heading_words
from autokb.chunking.structure.outline import Outline, Unit
from autokb.core.nouns import Document
from autokb.tasks.chunking.merge_blocks.task import MergeBlocks, MergedBlocks, Paragraph

MOST = 120  # paragraphs in a window
LONGEST = 24_000  # characters in a window
OVERLAP = 10  # paragraphs that two windows share at most
SHOWN = 2_000  # characters of a paragraph that a model sees: its beginning and its end
SHOWN_END = 400  # of these are from its end
AROUND = 80  # characters of a paragraph that only shows what is around another one
_TARGET = re.compile(r"\]\([^()\s]{8,}(?: \"[^\"\n]*\")?\)")


def whole_requests(document: Document, outline: Outline, units: Sequence[Unit]) -> list[MergeBlocks]:
    """Return the questions about all paragraphs of a document, in windows that overlap."""
    paragraphs = [Paragraph(b.number, _shown(outline, n)) for n, b in enumerate(outline.blocks)]
    found = []
    for first, last in split_windows([len(p.text) for p in paragraphs]):
        above = (p for p in outline.paths[first - 1] if p < first - 1)
        headings = tuple(heading_words(outline.text, outline.blocks[p]) for p in above)
        inside = ranges_of_units(units, first, last)
        found.append(MergeBlocks(document.title, headings, tuple(paragraphs[first - 1 : last]), structure=inside))
    return found


# Complex: each comprehension is one choice: what is shown, what is asked of it, and what the rules kept.
def unsure_requests(document: Document, outline: Outline, unsure: Set[int]) -> list[MergeBlocks]:
    """Return the questions about the blocks of which the rules are unsure, with the beginning of their neighbours."""
    shown = {n + step for n in unsure for step in (-1, 0, 1)}
    paragraphs = [
        Paragraph(block.number, _shown(outline, n) if n in unsure else _beginning(outline, n), n in unsure)
        for n, block in enumerate(outline.blocks)
        if n in shown
    ]
    found = []
    for first, last in split_windows([len(p.text) for p in paragraphs], overlap=0):
        window = tuple(paragraphs[first - 1 : last])
        if any(p.asked for p in window):
            kept = tuple((p.number, p.number) for p in window if p.asked and outline.kept[p.number - 1])
            found.append(MergeBlocks(document.title, (), window, rules_first=True, structure=kept))
    return found


def split_windows(sizes: Sequence[int], overlap: int = OVERLAP) -> Iterator[Range]:
    """Yield the first and last numbers of windows of at most ``MOST`` paragraphs and ``LONGEST`` characters.

    Two windows share at most ``overlap`` paragraphs and a quarter of a window's characters.
    """
    first = 1
    while first <= len(sizes):
        last, size = first, sizes[first - 1]
        while last < len(sizes) and last - first + 1 < MOST and size + sizes[last] <= LONGEST:
            size += sizes[last]
            last += 1
        yield first, last
        if last == len(sizes):
            return
        shared = shared_size = 0
        while shared < min(overlap, last - first) and shared_size + sizes[last - 1 - shared] <= LONGEST // 4:
            shared_size += sizes[last - 1 - shared]
            shared += 1
        first = last + 1 - shared


def read_windows(
    requests: Sequence[MergeBlocks], replies: Sequence[MergedBlocks | None]
) -> tuple[list[AnsweredWindow], Mapping[str, int]]:
    """Return what the replies say of each window, repaired, and how much had to be repaired.

    ``unanswered``: there is no reply. ``missing``: no paragraph of a whole window is in a range. In both the structure
    answers.
    """
    counts: Counter[str] = Counter()
    found = []
    for request, reply in zip(requests, replies, strict=True):
        first, last = request.paragraphs[0].number, request.paragraphs[-1].number
        ranges: tuple[Range, ...] = ()
        if reply is not None:
            ranges, faults = repair_ranges(reply.ranges, first, last)
            counts.update(faults)
        missing = reply is not None and not ranges and not request.rules_first
        counts.update(unanswered=int(reply is None), missing=int(missing))
        found.append(AnsweredWindow(first, last, request.structure if reply is None or missing else ranges))
    return found, +counts


def reasons_given(replies: Sequence[MergedBlocks | None]) -> Mapping[int, str]:
    """Return why a model leaves out paragraphs, by position."""
    given = (part for reply in replies if reply for part in reply.noise)
    spread = ((part, n) for part in given for n in range(part.first, min(part.last, part.first + MOST) + 1))
    return {number - 1: f"{part.kind}, says the model" for part, number in spread}


def ranges_of_units(units: Sequence[Unit], first: int, last: int) -> tuple[Range, ...]:
    """Return the parts of units without gaps that lie in a window, as ranges of numbers."""
    found: list[Range] = []
    for unit in units:
        inside = [position + 1 for position in unit if first <= position + 1 <= last]
        for n, number in enumerate(inside):
            if n and inside[n - 1] == number - 1:
                found[-1] = (found[-1][0], number)
            else:
                found.append((number, number))
    return tuple(found)


def _shown(outline: Outline, position: int) -> str:
    """Return a block for a model: addresses of links left out, of a long one the beginning and the end."""
    written = outline.written(position)
    written = _TARGET.sub("](…)", written) if "](" in written else written
    return written if len(written) <= SHOWN else f"{written[: SHOWN - SHOWN_END]} […] {written[-SHOWN_END:]}"


def _beginning(outline: Outline, position: int) -> str:
    line = " ".join(_shown(outline, position).split())
    return line if len(line) <= AROUND else f"{line[:AROUND]}…"
