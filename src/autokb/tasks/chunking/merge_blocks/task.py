"""The task that says which paragraphs of a page form units; what is in none of them is noise (prompt B.1)."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from autokb.heuristics.grounding.visible import visible
from autokb.tasks.task import Read, Reply, Task
from autokb.tasks.wire import wire

NoiseKind = Literal["menu", "boilerplate", "duplicate", "related", "contact", "sharing", "empty", "other"]
NOISE_KINDS: tuple[str, ...] = get_args(NoiseKind)
NO_RANGE = "No paragraph stands in a range. Give the ranges of those that say something."


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph under its number in the document; one that is not ``asked`` about only shows what is around."""

    number: int
    text: str
    asked: bool = True


@dataclass(frozen=True, slots=True)
class MergeBlocks:
    """A document, or a window of a long one, as numbered paragraphs; ``headings`` are those above the first one.

    With ``rules_first`` only paragraphs that the rules are unsure of are asked about, the others show what is
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
    """Ranges of paragraph numbers (first and last, both in it) that form units; what is in none is noise.

    Numbers are as they were given: ``autokb.chunking.ranges`` mends them. ``noise`` only says why.
    """

    ranges: tuple[tuple[int, int], ...]
    noise: tuple[NoisePart, ...] = ()


class MergeBlocksTask(Task[MergeBlocks, MergedBlocks]):
    """Which paragraphs belong together, and which are noise?

    A request is about one window of a page, or about what the rules are unsure of on a few pages.
    """

    input = MergeBlocks
    output = MergedBlocks
    most = 6  # pages, where only what the rules are unsure of is asked

    def offline(self, item: MergeBlocks) -> MergedBlocks:
        """Return the ranges that the structure gives."""
        return MergedBlocks(ranges=item.structure)

    def together(self, item: MergeBlocks) -> Hashable:
        """Share a request between pages of which little is asked; a whole window has one of its own."""
        return "rules first" if item.rules_first else item

    def values(self, items: Sequence[MergeBlocks]) -> Mapping[str, Any]:
        """Return the pages as people see them."""
        pages = [
            {
                "title": visible(item.title),
                "headings": " > ".join(map(visible, item.headings)),
                "paragraphs": [
                    {"number": p.number, "text": visible(p.text), "asked": p.asked} for p in item.paragraphs
                ],
            }
            for item in items
        ]
        return {"rules_first": items[0].rules_first, "kinds": list(NOISE_KINDS), "pages": pages}

    def examples(self, items: Sequence[MergeBlocks]) -> Sequence[Mapping[str, Any]]:
        """Return the examples of this way of asking; a paragraph of them is asked about unless it says otherwise."""
        return [
            {**example, "paragraphs": [{"asked": True, **paragraph} for paragraph in example["page"]]}
            for example in super().examples(items)
            if bool(example.get("rules_first")) == items[0].rules_first
        ]

    def entry(self, items: Sequence[MergeBlocks]) -> Mapping[str, Any]:
        """Return the fields of an entry: ranges, and why the rest is noise.

        The schema bounds the numbers; one out of bounds is mended, and costs no repair.
        """
        numbers = [p.number for item in items for p in item.paragraphs]
        bounds: dict[str, Any] = {"minimum": min(numbers, default=1), "maximum": max(numbers, default=1)}
        number: Any = Annotated[int, Field(json_schema_extra=bounds)]
        pair: Any = Annotated[list[number], Field(min_length=2, max_length=2)]
        noise: Any = wire("Noise", first=number, last=number, kind=Literal[NOISE_KINDS])
        most = max(1, len(numbers))
        return {
            "ranges": Annotated[list[pair], Field(max_length=most)],
            "noise": Annotated[list[noise], Field(max_length=most)],
        }

    def read(self, item: MergeBlocks, entry: Any) -> Read[MergedBlocks]:
        """Read the ranges; that a whole window is noise is worth a second look."""
        ranges = tuple((first, last) for first, last in entry.ranges)
        noise = tuple(NoisePart(first=n.first, last=n.last, kind=n.kind) for n in entry.noise)
        is_all_noise = bool(item.paragraphs) and not ranges and not item.rules_first
        return Read(MergedBlocks(ranges=ranges, noise=noise), complaints=(NO_RANGE,) if is_all_noise else ())

    def tokens(self, item: MergeBlocks) -> tuple[int, int]:
        """Return the tokens of an entry: a range is about 8, noise with its kind about 20."""
        many = sum(p.asked for p in item.paragraphs)
        return 48 + 24 * many, 24 + 5 * many


TASK = MergeBlocksTask()
