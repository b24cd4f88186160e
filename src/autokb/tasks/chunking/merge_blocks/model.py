"""How a model is asked for units: a window of numbered paragraphs, or what the rules are unsure of on some pages."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.chunking.merge_blocks.shapes import NOISE, MergeBlocks, MergedBlocks, NoisePart
from autokb.tasks.grounded import visible
from autokb.tasks.prompts import Verbatim, examples

PACKAGE = "autokb.tasks.chunking.merge_blocks"
TOGETHER = 6  # pages in one request, where only what the rules are unsure of is asked
NOTHING = "No paragraph stands in a range. Give the ranges of those that say something."


def values(items: Sequence[MergeBlocks]) -> Mapping[str, Any]:
    """Return the template's variables."""
    rules_first = items[0].rules_first
    return {
        "rules_first": rules_first,
        "kinds": list(NOISE),
        "pages": [_shown(item) for item in items],
        "examples": [_example(e) for e in examples(PACKAGE) if bool(e.get("rules_first")) == rules_first],
    }


def _shown(item: MergeBlocks) -> Mapping[str, Any]:
    """Return a page as a person would see it, so that nothing is said to the model alone."""
    paragraphs = [{"number": p.number, "text": visible(p.text), "asked": p.asked} for p in item.paragraphs]
    headings = " > ".join(map(visible, item.headings))
    return {"title": visible(item.title), "headings": headings, "paragraphs": paragraphs}


def _example(example: Mapping[str, Any]) -> Mapping[str, Any]:
    reply = {"answers": [{"number": 1, **example["reply"]}]}
    paragraphs = [{"number": p["number"], "text": p["text"], "asked": p.get("asked", True)} for p in example["page"]]
    return {"title": example["title"], "paragraphs": paragraphs, "shown": Verbatim(json.dumps(reply))}


def entry(items: Sequence[MergeBlocks]) -> type[Wire]:
    """Return the type of one entry: ranges, and why the rest is noise.

    The schema bounds the numbers; one out of bounds is mended, and costs no repair.
    """
    numbers = [p.number for item in items for p in item.paragraphs]
    bounds: dict[str, Any] = {"minimum": min(numbers, default=1), "maximum": max(numbers, default=1)}
    one: Any = Annotated[int, Field(json_schema_extra=bounds)]
    most = max(1, len(numbers))
    pair: Any = Annotated[list[one], Field(min_length=2, max_length=2)]
    noise: Any = wire("Noise", first=one, last=one, kind=Literal[NOISE])
    return wire(
        "Entry",
        number=Literal[tuple(range(1, len(items) + 1))],
        ranges=Annotated[list[pair], Field(max_length=most)],
        noise=Annotated[list[noise], Field(max_length=most)],
    )


def read(
    items: Sequence[MergeBlocks], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[MergedBlocks, tuple[str, ...]]:
    """Turn an entry into the task's answer; that a whole window is noise is worth a second look."""
    ranges = tuple((first, last) for first, last in entry.ranges)
    noise = tuple(NoisePart(first=n.first, last=n.last, kind=n.kind) for n in entry.noise)
    nothing = not ranges and not items[position].rules_first and bool(items[position].paragraphs)
    return MergedBlocks(ranges=ranges, noise=noise), (NOTHING,) if nothing else ()


def tokens(item: MergeBlocks) -> tuple[int, int]:
    """Return the most and the usual number of tokens: a range is about 8, noise with its kind about 20."""
    many = sum(p.asked for p in item.paragraphs)
    return 48 + 24 * many, 24 + 5 * many


def together(item: MergeBlocks) -> Hashable:
    """Share a request between pages of which little is asked; a whole window has one of its own."""
    return "rules first" if item.rules_first else item


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
