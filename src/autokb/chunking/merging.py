"""What a model is asked about a document, and the units that its replies give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from autokb.chunking.blocks import NumberedBlock, heading_words
from autokb.chunking.judged import Judged
from autokb.chunking.outline import Path
from autokb.chunking.ranges import Range, Window, mended
from autokb.chunking.units import Unit
from autokb.core.nouns import Document
from autokb.tasks.chunking.merge_blocks.task import MergeBlocks, MergedBlocks, Paragraph

MOST = 120  # paragraphs in a window
LONGEST = 24_000  # characters in a window
OVERLAP = 10  # paragraphs that two windows share at most
SHOWN = 2_000  # characters of a paragraph that a model sees: its beginning and its end
AROUND = 80  # characters of a paragraph that only shows what stands around
_END = 400
_TARGET = re.compile(r"\]\([^()\s]{8,}(?: \"[^\"\n]*\")?\)")


def whole_requests(document: Document, page: Judged, units: Sequence[Unit]) -> list[MergeBlocks]:
    """Return the questions about all paragraphs of a document, in windows that overlap."""
    paragraphs = [Paragraph(b.number, _shown(document.text, b)) for b in page.blocks]
    above = page.outline().paths
    found = []
    for first, last in windows([len(p.text) for p in paragraphs]):
        headings = _headings(document.text, page.blocks, above[first - 1], first)
        inside = ranges_of(units, first, last)
        found.append(MergeBlocks(document.title, headings, tuple(paragraphs[first - 1 : last]), structure=inside))
    return found


def unsure_requests(document: Document, page: Judged, unsure: Sequence[bool]) -> list[MergeBlocks]:
    """Return the questions about what the rules are unsure of, with the beginning of its neighbours."""
    near = {n + step for n, asked in enumerate(unsure) if asked for step in (-1, 0, 1)}
    lines = [
        Paragraph(b.number, _shown(document.text, b) if unsure[n] else _beginning(document.text, b), unsure[n])
        for n, b in enumerate(page.blocks)
        if n in near
    ]
    kept = [(b.number, b.number) for n, b in enumerate(page.blocks) if unsure[n] and page.kept[n]]
    found = []
    for first, last in windows([len(line.text) for line in lines], overlap=0):
        part = tuple(lines[first - 1 : last])
        inside = tuple(r for r in kept if part[0].number <= r[0] <= part[-1].number)
        if any(line.asked for line in part):
            found.append(MergeBlocks(document.title, (), part, rules_first=True, structure=inside))
    return found


def windows(sizes: Sequence[int], overlap: int = OVERLAP) -> Iterator[Range]:
    """Give the first and last numbers of windows of at most so many paragraphs and characters.

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
) -> tuple[list[Window], Mapping[str, int]]:
    """Return what the replies say of each window, mended, and how much had to be mended.

    ``unanswered``: there is no reply. ``missing``: no paragraph of a whole window is in a range. In both the structure
    answers.
    """
    counts: Counter[str] = Counter()
    found = []
    for request, reply in zip(requests, replies, strict=True):
        first, last = request.paragraphs[0].number, request.paragraphs[-1].number
        ranges: tuple[Range, ...] = ()
        if reply is not None:
            ranges, faults = mended(reply.ranges, first, last)
            counts.update(faults)
        missing = reply is not None and not ranges and not request.rules_first
        counts.update(unanswered=int(reply is None), missing=int(missing))
        found.append(Window(first, last, request.structure if reply is None or missing else ranges))
    return found, +counts


def reasons_given(replies: Sequence[MergedBlocks | None]) -> Mapping[int, str]:
    """Return why a model leaves out paragraphs, by position."""
    given = (part for reply in replies if reply for part in reply.noise)
    spread = ((part, n) for part in given for n in range(part.first, min(part.last, part.first + MOST) + 1))
    return {number - 1: f"{part.kind}, says the model" for part, number in spread}


def ranges_of(units: Sequence[Unit], first: int, last: int) -> tuple[Range, ...]:
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


def _headings(text: str, blocks: Sequence[NumberedBlock], path: Path, first: int) -> tuple[str, ...]:
    return tuple(heading_words(text, blocks[p]) for p in path if p < first - 1)


def _shown(text: str, block: NumberedBlock) -> str:
    """Return a paragraph for a model: addresses of links left out, of a long one the beginning and the end."""
    written = text[block.start : block.end]
    written = _TARGET.sub("](…)", written) if "](" in written else written
    return written if len(written) <= SHOWN else f"{written[: SHOWN - _END]} […] {written[-_END:]}"


def _beginning(text: str, block: NumberedBlock) -> str:
    line = " ".join(_shown(text, block).split())
    return line if len(line) <= AROUND else f"{line[:AROUND]}…"
