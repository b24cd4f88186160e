"""A document as numbered paragraphs, each kept or left out for a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from autokb.chunking.blocks import NumberedBlock, numbered_blocks
from autokb.chunking.cutting import Mark, Noise
from autokb.chunking.noise import Verdict, noise_verdicts
from autokb.chunking.noise_rules import EMPTY_HEADING, NOTHING_KEPT
from autokb.chunking.outline import below, empty_headings, paths
from autokb.chunking.ranges import whole_lists
from autokb.chunking.tree import Outline
from autokb.chunking.units import Unit, without_lone_marks
from autokb.chunking.wordless import says_something
from autokb.core.nouns import Document

WORDLESS = "holds no words"
TORN = "most of its list is noise"


@dataclass(frozen=True, slots=True)
class Judged:
    """The blocks of a text: which are kept, and for the others why not; ``torn`` lists were mended."""

    text: str
    blocks: tuple[NumberedBlock, ...]
    kept: tuple[bool, ...]
    reasons: Mapping[int, str]
    torn: int = 0

    def outline(self) -> Outline:
        """Return the kept blocks under their headings."""
        return Outline(self.text, self.blocks, tuple(paths(self.blocks, self.kept)))

    def noise(self) -> tuple[Noise, ...]:
        """Return what is left out: neighbours with one reason as one entry."""
        found = []
        left_out = (n for n in range(len(self.blocks)) if not self.kept[n])
        for (_, reason), run in groupby(enumerate(left_out), lambda pair: (pair[1] - pair[0], self.reasons[pair[1]])):
            positions = [position for _, position in run]
            start, end = self.blocks[positions[0]].start, self.blocks[positions[-1]].end
            found.append(Noise(((start, end),), self.text[start:end], reason))
        return tuple(found)


def verdicts_of(
    document: Document, marks: Sequence[Mark], repeated: frozenset[str]
) -> tuple[tuple[NumberedBlock, ...], tuple[Verdict, ...]]:
    """Return the blocks of a document and what the rules say of each."""
    blocks = numbered_blocks(document.text)
    return blocks, noise_verdicts(document.text, blocks, tuple(marks), repeated)


def judged(text: str, blocks: tuple[NumberedBlock, ...], kept: Sequence[bool], reasons: Mapping[int, str]) -> Judged:
    """Return the blocks with each ordered list kept or left out as a whole."""
    whole, torn = whole_lists(blocks, kept)
    missing = {n: TORN for n, keeps in enumerate(whole) if not keeps and n not in reasons}
    return Judged(text, blocks, tuple(whole), {**reasons, **missing}, torn)


def without_empty_headings(page: Judged) -> Judged:
    """Leave out the headings with nothing kept below them; what says nothing is nothing."""
    said = [b.kind == "heading" or says_something(page.text, b) for b in page.blocks]
    empty = empty_headings(page.blocks, [keeps and says for keeps, says in zip(page.kept, said, strict=True)])
    why = {n: NOTHING_KEPT if any(said[m] for m in below(page.blocks, n)) else EMPTY_HEADING for n in empty}
    return _without(page, why)


def without_marks(page: Judged, units: Sequence[Unit]) -> tuple[Judged, tuple[Unit, ...]]:
    """Leave out the units that hold no words, and marks that stand alone in front of a heading."""
    left, out = without_lone_marks(page.text, page.blocks, units)
    return _without(page, dict.fromkeys(out, WORDLESS)), left


def _without(page: Judged, why: Mapping[int, str]) -> Judged:
    kept = tuple(keeps and n not in why for n, keeps in enumerate(page.kept))
    return replace(page, kept=kept, reasons={**page.reasons, **why})
