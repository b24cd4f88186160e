"""Context without a model: the title, the headings, and the sentence that introduces what goes on here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autokb.text.markdown import Block, parse_blocks, plain_text, sentences

LONGEST = 240  # characters of an introducing sentence; more would drown the passage
JOINT = " > "


@dataclass(frozen=True, slots=True)
class Place:
    """A passage, its headings and, where it is known, its context."""

    text: str
    headings: tuple[str, ...]
    context: str = ""


def answer(title: str, passages: Sequence[Place], before: Place | None) -> tuple[str, ...]:
    """Return one context for each passage; a list that goes on from the passage before keeps its introduction."""
    contexts: list[str] = []
    previous = before
    for passage in passages:
        path = _path(title, passage.headings)
        introduction = _introduction(passage, previous) if previous else ""
        context = "\n".join(part for part in (path, introduction) if part)
        contexts.append(context)
        previous = Place(passage.text, passage.headings, context)
    return tuple(contexts)


def _path(title: str, headings: tuple[str, ...]) -> str:
    parts = [title.strip(), *(h.strip() for h in headings)]
    return JOINT.join(p for n, p in enumerate(parts) if p and p not in parts[:n])


def _introduction(passage: Place, previous: Place) -> str:
    """Return the sentence that introduces a passage which goes on from the one before, else nothing."""
    earlier = parse_blocks(previous.text)
    if not _same_section(passage, previous, earlier):
        return ""
    if not earlier:
        return _carried(previous)
    if earlier[-1].kind in ("item", "table", "code"):
        return _before_list(previous, earlier)
    last = _sentence(previous.text, earlier[-1], last=True)
    return last if last.endswith(":") else _first(previous, earlier)


def _same_section(passage: Place, previous: Place, earlier: Sequence[Block]) -> bool:
    """Return whether a passage goes on under the last heading of the one before it."""
    headings = [block for block in earlier if block.kind == "heading"]
    if not headings:
        return passage.headings == previous.headings
    return passage.headings[-1:] == (plain_text(previous.text[headings[-1].start : headings[-1].end]),)


def _before_list(previous: Place, blocks: Sequence[Block]) -> str:
    """Return what introduces the list that the previous passage ends with."""
    kind = blocks[-1].kind
    block = next((b for b in reversed(blocks) if b.kind != kind), None)
    if block is None or block.kind == "heading":
        return _carried(previous)
    return _sentence(previous.text, block, last=True)


def _first(previous: Place, blocks: Sequence[Block]) -> str:
    """Return the first sentence of the section, which may have been handed on by the passages before."""
    if any(block.kind == "heading" for block in blocks):
        blocks = blocks[max(n for n, b in enumerate(blocks) if b.kind == "heading") + 1 :]
    elif carried := _carried(previous):
        return carried
    return next((s for b in blocks if b.kind == "paragraph" and (s := _sentence(previous.text, b, last=False))), "")


def _carried(previous: Place) -> str:
    return previous.context.split("\n", 1)[1] if "\n" in previous.context else ""


def _sentence(text: str, block: Block, *, last: bool) -> str:
    spans = sentences(text, block.start, block.end)
    if not spans:
        return ""
    start, end = spans[-1 if last else 0]
    sentence = " ".join(plain_text(text[start:end]).split())
    return sentence if len(sentence) <= LONGEST else ""
