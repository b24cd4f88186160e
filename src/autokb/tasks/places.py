"""The numbered places of passages, from which steps are taken: list items, sentences, rows of tables, code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autokb.core.nouns import Span
from autokb.heuristics.grounding.visible import HTML_COMMENT
from autokb.heuristics.solutions.solution import Excerpt
from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.markdown import Block, parse_blocks
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences, trimmed

LONGEST_PLACE = 900  # characters; a longer item is numbered by its sentences, and a longer sentence is cut
_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_PRIVATE = range(0xE000, 0xF900)  # characters of nobody, which stand for conditional marks while a text is made plain
_STAND_IN = re.compile(f"[{chr(_PRIVATE[0])}-{chr(_PRIVATE[-1])}]")


@dataclass(frozen=True, slots=True)
class NumberedLine:
    """A line of a passage as a model reads it, and where it stands; a step can name the line if it ``is_place``."""

    span: Span
    shown: str
    is_place: bool


@dataclass(frozen=True, slots=True)
class StepPlace:
    """What a number in a request stands for: a span of one of its passages."""

    excerpt: Excerpt
    span: Span

    def goes_on_in(self, other: StepPlace) -> bool:
        """Return whether nothing but marks stands between this place and another."""
        if other.excerpt is not self.excerpt or other.span[0] < self.span[1]:
            return False
        between = CONDITIONAL_MARK.sub("", self.excerpt.text[self.span[1] : other.span[0]])
        return not any(c.isalnum() for c in between)


def find_places(excerpts: Sequence[Excerpt], language: str) -> list[StepPlace]:
    """Return the places of a request's passages in their order; the number of the first is 1."""
    return [StepPlace(e, piece.span) for e in excerpts for piece in read_pieces(e.text, language) if piece.is_place]


def show_passages(passages: Iterable[Sequence[str]], language: str) -> list[str]:
    """Return the text of each passage, which is in parts, with its number in front of each place."""
    number = 0
    found = []
    for parts in passages:
        lines = []
        for piece in (piece for part in parts for piece in read_pieces(part, language)):
            number += piece.is_place
            lines.append(f"[{number}] {piece.shown}" if piece.is_place else piece.shown)
        found.append("\n".join(lines))
    return found


@lru_cache(maxsize=512)
def read_pieces(text: str, language: str) -> tuple[NumberedLine, ...]:
    """Return a passage in pieces: its places, and between them the headings and lone conditional marks.

    A comment, which nobody sees, is neither shown nor a place.
    """
    text = HTML_COMMENT.sub(_blank, text)
    found: list[NumberedLine] = []
    for block, start, end in _own_parts(text):
        if block.kind == "heading":
            found.append(NumberedLine((start, end), f"{'#' * block.level} {_plain(text[start:end])}", is_place=False))
            continue
        for span in _cut(text, block, start, end, language):
            words = (_code if block.kind == "code" else _plain)(text[span[0] : span[1]])
            if any(c.isalnum() for c in CONDITIONAL_MARK.sub("", words)):
                found.append(NumberedLine(span, _list_mark(block, span) + words, is_place=True))
            elif marks := CONDITIONAL_MARK.findall(words):
                found.append(NumberedLine(span, "".join(marks), is_place=False))
    return tuple(found)


def _own_parts(text: str) -> list[tuple[Block, int, int]]:
    """Return the blocks in reading order, an item without those nested in it."""
    blocks = [block for block in parse_blocks(text) if block.kind != "front matter"]
    found: list[tuple[Block, int, int]] = []
    for number, block in enumerate(blocks):
        here = block.start
        for inner in blocks[number + 1 :]:
            if inner.start >= block.end:
                break
            found.append((block, here, max(here, inner.start)))
            here = max(here, inner.end)
        found.append((block, here, block.end))
    return sorted((part for part in found if text[part[1] : part[2]].strip()), key=lambda part: part[1:])


def _cut(text: str, block: Block, start: int, end: int, language: str) -> Iterator[Span]:
    """Give the places of a block: an item and code whole, a table by its rows, else by sentences."""
    if block.kind == "table":
        spans = [(row.start(), row.end()) for row in _LINE.finditer(text, start, end)]
    elif block.kind in ("item", "code") and end - start <= LONGEST_PLACE:
        spans = [(start, end)]
    else:
        spans = list(sentences(text, start, end, language=language))
    for first, last in spans:
        while last - first > LONGEST_PLACE:
            cut = text.rfind(" ", first + 1, first + LONGEST_PLACE)
            cut = cut if cut > first else first + LONGEST_PLACE
            yield trimmed(text, first, cut)
            first = cut
        yield trimmed(text, first, last)


def _list_mark(block: Block, span: Span) -> str:
    if block.kind != "item" or span[0] != block.start:
        return ""
    return "  " * (block.level - 1) + (f"{block.number}. " if block.ordered else "- ")


def _blank(comment: re.Match[str]) -> str:
    """Return white space as long as a comment, with its line breaks, so that nothing else moves."""
    return "".join(c if c in "\r\n" else " " for c in comment.group())


def _code(markdown: str) -> str:
    """Return the lines of a block of code without its fence."""
    return "\n".join(line for line in _LINE.findall(markdown) if not _FENCE.match(line))


def _plain(markdown: str) -> str:
    """Return what a reader sees of a piece of Markdown, with its conditional marks."""
    marks: list[str] = []

    def stand_in(mark: re.Match[str]) -> str:
        marks.append(mark.group())
        return chr(_PRIVATE[len(marks) - 1])

    text = _STAND_IN.sub("", markdown)
    found = plain_text(CONDITIONAL_MARK.sub(stand_in, text), images=False)
    return _STAND_IN.sub(lambda one: marks[ord(one.group()) - _PRIVATE[0]], found)
