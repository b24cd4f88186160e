"""The context that a passage misses when it is read alone: title, headings, and the sentence that introduces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autokb.core.domain import ENGLISH
from autokb.text.markdown import Block, parse_blocks
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences

LONGEST_INTRODUCTION = 240  # characters of a sentence; more would drown the passage
JOINT = " > "  # between title and headings


@dataclass(frozen=True, slots=True)
class PassageAlone:
    """The text of one chunk, the headings above it and, where it is known, its context."""

    text: str
    headings: tuple[str, ...] = ()
    context: str = ""


def headings_path(title: str, headings: Sequence[str]) -> str:
    """Return title and headings as the first line of a context; what stands twice is said once."""
    return JOINT.join(dict.fromkeys(part for part in map(str.strip, (title, *headings)) if part))


def passage_contexts(
    title: str, passages: Sequence[PassageAlone], before: PassageAlone | None, language: str = ENGLISH
) -> tuple[str, ...]:
    """Return one context for each passage; a list that goes on from the passage before keeps its introduction."""
    contexts: list[str] = []
    previous = before
    for passage in passages:
        path = headings_path(title, passage.headings)
        introduction = _introduction(passage, previous, language) if previous else ""
        context = "\n".join(part for part in (path, introduction) if part)
        contexts.append(context)
        previous = PassageAlone(passage.text, passage.headings, context)
    return tuple(contexts)


def _introduction(passage: PassageAlone, previous: PassageAlone, language: str) -> str:
    """Return the sentence that introduces a passage which goes on from the one before, else nothing."""
    blocks = parse_blocks(previous.text)
    if not _is_same_section(passage, previous, blocks):
        return ""
    if not blocks:
        return _introduction_in(previous.context)
    if blocks[-1].kind in ("item", "table", "code"):
        return _before_last_list(previous, blocks, language)
    last = _sentence(previous.text, blocks[-1], language, last=True)
    return last if last.endswith(":") else _first_of_section(previous, blocks, language)


def _is_same_section(passage: PassageAlone, previous: PassageAlone, blocks: Sequence[Block]) -> bool:
    """Return whether a passage goes on under the last heading of the one before it, whose blocks these are."""
    headings = [block for block in blocks if block.kind == "heading"]
    if not headings:
        return passage.headings == previous.headings
    return passage.headings[-1:] == (plain_text(previous.text[headings[-1].start : headings[-1].end]),)


def _before_last_list(previous: PassageAlone, blocks: Sequence[Block], language: str) -> str:
    """Return the sentence that introduces the list that the previous passage ends with."""
    block = next((b for b in reversed(blocks) if b.kind != blocks[-1].kind), None)
    if block is None or block.kind == "heading":
        return _introduction_in(previous.context)
    return _sentence(previous.text, block, language, last=True)


def _first_of_section(previous: PassageAlone, blocks: Sequence[Block], language: str) -> str:
    """Return the first sentence of the section, which may have been handed on by the passages before."""
    headings = [n for n, block in enumerate(blocks) if block.kind == "heading"]
    if not headings and (introduction := _introduction_in(previous.context)):
        return introduction
    paragraphs = (b for b in blocks[headings[-1] + 1 if headings else 0 :] if b.kind == "paragraph")
    return next((s for b in paragraphs if (s := _sentence(previous.text, b, language, last=False))), "")


def _introduction_in(context: str) -> str:
    """Return what a context has after its line of title and headings."""
    return context.partition("\n")[2]


def _sentence(text: str, block: Block, language: str, *, last: bool) -> str:
    """Return the first or last sentence of a block as a reader sees it; nothing where it is too long."""
    spans = sentences(text, block.start, block.end, language=language)
    if not spans:
        return ""
    start, end = spans[-1 if last else 0]
    sentence = " ".join(plain_text(text[start:end]).split())
    return sentence if len(sentence) <= LONGEST_INTRODUCTION else ""
