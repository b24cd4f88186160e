"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from autokb.tasks.reply import Reply

NoiseKind = Literal["menu", "boilerplate", "duplicate", "related", "contact", "sharing", "empty", "other"]
NOISE: tuple[str, ...] = get_args(NoiseKind)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph under its number in the document; one that is not ``asked`` about only shows what stands around."""

    number: int
    text: str
    asked: bool = True


@dataclass(frozen=True, slots=True)
class MergeBlocks:
    """A document, or a window of a long one, as numbered paragraphs; ``headings`` are those above the first one.

    With ``rules_first`` only paragraphs that the rules are unsure of are asked about, the others tell what stands
    around them. ``structure`` are the ranges that the document's structure gives: the answer without a model. They are
    part of the question because a task may not import the chunkers.
    """

    title: str
    headings: tuple[str, ...]
    paragraphs: tuple[Paragraph, ...]
    rules_first: bool = False
    structure: tuple[tuple[int, int], ...] = ()


class NoisePart(Reply):
    """The paragraphs ``first`` to ``last`` are noise of this kind."""

    first: int
    last: int
    kind: NoiseKind


class MergedBlocks(Reply):
    """Ranges of paragraph numbers (first and last, both in it) that form units; what stands in none is noise.

    Numbers are as they were given: ``autokb.chunking.auto.model_ranges`` mends them. ``noise`` only says why.
    """

    ranges: tuple[tuple[int, int], ...]
    noise: tuple[NoisePart, ...] = ()
