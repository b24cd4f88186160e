"""Markdown as blocks and sections with exact spans: slices of the text, in code points."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache, wraps
from itertools import chain
from operator import attrgetter
from threading import Lock
from typing import Literal, TypeVar

from markdown_it import MarkdownIt
from markdown_it.token import Token

from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.markdown_rules import add_fast_rules
from autokb.text.plain_text import plain_text

_END_OF_LINE = r"[ \t]*(?:\r\n?|\n)"
_OPENING = re.compile(rf"---{_END_OF_LINE}(?=[^\W\d][\w.-]*:(?:[ \t]|\r|\n))")
_CLOSING = re.compile(r"(?:---|\.\.\.)(?=[ \t]*(?:\r|\n|\Z))")
# A name with its value, an entry of a list, what goes on over several lines, a remark: prose between two rules is none.
_LINE = re.compile(r"(?:[^\W\d][\w.-]*:(?:[ \t][^\r\n]*)?|-(?: [^\r\n]*)?|[ \t\]}#][^\r\n]*)?(?:\r\n?|\n)")


def front_matter_end(text: str) -> int:
    """Return where the front matter at the very start of a text ends, 0 where there is none."""
    line = _OPENING.match(text)
    while line:
        if closing := _CLOSING.match(text, line.end()):
            return closing.end()
        line = _LINE.match(text, line.end())
    return 0


T = TypeVar("T")
MOST_CHARACTERS = 4_000_000  # of the texts whose results are kept together; that of a longer text is not kept


def cached_by_text(work: Callable[[str], T], most_characters: int = MOST_CHARACTERS) -> Callable[[str], T]:
    """Return a function that works each text out once while it is among the last ones."""
    results: OrderedDict[str, T] = OrderedDict()
    length = 0
    lock = Lock()

    @wraps(work)
    def cached(text: str) -> T:
        nonlocal length
        with lock:
            if text in results:
                results.move_to_end(text)
                return results[text]
        found = work(text)
        with lock:
            if text not in results and len(text) <= most_characters:
                results[text] = found
                length += len(text)
            while length > most_characters:
                length -= len(results.popitem(last=False)[0])
        return found

    return cached


Kind = Literal["heading", "paragraph", "item", "table", "code", "html", "front matter"]
KINDS: dict[str, Kind] = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "list_item_open": "item",
    "table_open": "table",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
}
# Characters: a heading is repeated before every piece of text below it; what is longer is read as a paragraph.
LONGEST_HEADING = 2_000
NEWLINE = re.compile(r"\r\n?|\n")  # as markdown-it counts lines
MARKER = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t>]+|$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """One block; an item holds everything inside it, and its nested items are blocks of their own after it.

    ``level`` is a heading's level or an item's depth; ``number`` is an ordered item's number; ordered lists that go on
    counting after a note or a conditional part share their ``list_id``.
    """

    kind: Kind
    start: int
    end: int
    level: int = 0
    ordered: bool = False
    number: int = 0
    list_id: int = -1


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with what is under it: ``start`` to ``end`` with its sub-sections, to ``own_end`` without."""

    headings: tuple[str, ...]
    level: int
    start: int
    end: int
    own_end: int
    parent: int | None


@dataclass
class _OpenMarkdownList:
    ordered: bool
    number: int
    list_id: int


@dataclass
class _BlockReader:
    """Reads blocks from the tokens of markdown-it, one after the other."""

    text: str
    lines: list[int]
    blocks: list[Block] = field(default_factory=list)
    inner: list[Block] = field(default_factory=list)
    open_lists: list[_OpenMarkdownList] = field(default_factory=list)
    open_items: list[Block] = field(default_factory=list)
    quote_depth: int = 0
    next_list: int = 0
    # The last top-level ordered list: its id, its last number, and whether conditional markup stood since.
    last_ordered: tuple[int, int, bool] = (-1, 0, False)

    def visit(self, token: Token) -> None:
        if token.type in ("ordered_list_open", "bullet_list_open"):
            self._open_list(token)
        elif token.type in ("ordered_list_close", "bullet_list_close"):
            self._close_list()
        elif token.type == "list_item_close":
            self.open_items.pop()
        elif token.type in ("blockquote_open", "blockquote_close"):
            self.quote_depth += token.nesting
        elif token.map and token.type in KINDS:
            place = self._add_inner_block if self.open_lists and token.type != "list_item_open" else self._add_block
            place(token, *token.map)

    def _open_list(self, token: Token) -> None:
        ordered = token.type == "ordered_list_open"
        start = int(token.attrs.get("start", 1)) if ordered else 0
        list_id = -1
        if ordered and not self.open_lists:
            last_id, last_number, was_conditional = self.last_ordered
            if last_id >= 0 and start > 1 and (start == last_number + 1 or (was_conditional and start <= last_number)):
                list_id = last_id
        if list_id < 0:
            list_id, self.next_list = self.next_list, self.next_list + 1
        self.open_lists.append(_OpenMarkdownList(ordered, start, list_id))

    def _close_list(self) -> None:
        closed = self.open_lists.pop()
        if closed.ordered and not self.open_lists:
            self.last_ordered = (closed.list_id, closed.number - 1, False)

    def _add_block(self, token: Token, first: int, after: int) -> None:
        start, end = self._trimmed_span(first, after)
        kind = KINDS[token.type]
        if kind == "item":
            block = self._add_item(start, end)
        elif start >= end:  # a no-break space or a form feed alone is a paragraph for the parser and nothing to read
            return
        elif kind == "heading" and not self.quote_depth and end - start <= LONGEST_HEADING:
            block = Block(kind, start, end, int(token.tag[1]))
            self.last_ordered = (-1, 0, False)
        else:
            block = Block("paragraph" if kind == "heading" else kind, start, end)
            if CONDITIONAL_MARK.search(self.text, start, end):
                self.last_ordered = (*self.last_ordered[:2], True)
        self.blocks.append(block)

    def _add_inner_block(self, token: Token, first: int, after: int) -> None:
        kind = KINDS[token.type]
        if kind in ("table", "code", "html"):
            start, end = self._trimmed_span(first, after)
            start = self._after_marker(start, end)
            if start < end:
                self.inner.append(Block(kind, start, end, len(self.open_lists) + 1))

    def _after_marker(self, start: int, end: int) -> int:
        """Return where the content of an item begins that is in the same line as the item's own marker."""
        if not self.open_items or (above := self.open_items[-1].start) < start:
            return start
        marker = MARKER.match(self.text, above)
        return min(marker.end() if marker else above, end)

    def _add_item(self, start: int, end: int) -> Block:
        here = self.open_lists[-1]
        start = self._after_marker(start, end)
        block = Block(
            kind="item",
            start=start,
            end=end,
            level=len(self.open_lists),
            ordered=here.ordered,
            number=here.number,
            list_id=here.list_id,
        )
        here.number += here.ordered
        self.open_items.append(block)
        return block

    def _trimmed_span(self, first: int, after: int) -> tuple[int, int]:
        start, end = self.lines[first], self.lines[min(after, len(self.lines) - 1)]
        while end > start and self.text[end - 1].isspace():
            end -= 1
        while start < end and (self.text[start].isspace() or (self.quote_depth and self.text[start] == ">")):
            start += 1
        return start, end


@lru_cache(maxsize=1)
def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.enableOnly(["normalize", "block"])
    add_fast_rules(parser)
    return parser


def parse_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a Markdown text in reading order; hostile nesting is cut off, never followed.

    Front matter is no block.
    """
    return _parse_both_levels(text)[0]


def html_blocks(text: str) -> list[tuple[int, int]]:
    """Return where blocks of HTML are, those in items too and none in a quote; neighbours are one block."""
    found: list[tuple[int, int]] = []
    for one in sorted(chain(*_parse_both_levels(text)), key=attrgetter("start")):
        if one.kind != "html" or ">" in text[text.rfind("\n", 0, one.start) + 1 : one.start]:
            continue
        is_next = found and not text[found[-1][1] : one.start].strip()
        found[-1:] = [(found[-1][0], one.end)] if is_next else [*found[-1:], (one.start, one.end)]
    return found


def inner_blocks(text: str) -> tuple[Block, ...]:
    """Return the tables and code inside items in reading order; ``level`` is one more than the depth of the item."""
    return tuple(block for block in _parse_both_levels(text)[1] if block.kind != "html")


def code_within(text: str, span: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the blocks of code of a Markdown text that meet a span, those inside items too, each as far as in it."""
    blocks = _code_blocks(text)
    first = max(bisect_left(blocks, span[:1]) - 1, 0)
    met = (block for block in blocks[first : bisect_left(blocks, span[1:])] if block[1] > span[0])
    return [(max(start, span[0]), min(end, span[1])) for start, end in met]


@cached_by_text
def _code_blocks(text: str) -> list[tuple[int, int]]:
    return sorted((b.start, b.end) for b in (*parse_blocks(text), *inner_blocks(text)) if b.kind == "code")


@cached_by_text
def _parse_both_levels(text: str) -> tuple[tuple[Block, ...], tuple[Block, ...]]:
    lines = [0, *(newline.end() for newline in NEWLINE.finditer(text)), len(text)]
    reader = _BlockReader(text, lines)
    front = front_matter_end(text)
    # Empty lines in its place keep the numbers of the lines.
    for token in _make_parser().parse("\n" * len(NEWLINE.findall(text, 0, front)) + text[front:] if front else text):
        reader.visit(token)
    return tuple(reader.blocks), tuple(reader.inner)


@cached_by_text
def sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a text in order; the first is the whole text, its own part what precedes any heading."""
    headings = [block for block in parse_blocks(text) if block.kind == "heading"]
    starts = [0, *(h.start for h in headings), len(text)]
    levels = [0, *(h.level for h in headings)]
    ends = _section_ends(levels, starts)
    found: list[Section] = []
    path: list[int] = []
    for number, (start, level) in enumerate(zip(starts[:-1], levels, strict=True)):
        while path and found[path[-1]].level >= level:
            path.pop()
        parent = path[-1] if path else None
        above = found[parent].headings if parent is not None else ()
        own = (plain_text(text[start : headings[number - 1].end]),) if number else ()
        found.append(Section((*above, *own), level, start, ends[number], starts[number + 1], parent))
        path.append(number)
    return tuple(found)


def _section_ends(levels: list[int], starts: list[int]) -> list[int]:
    ends = [starts[-1]] * len(levels)
    open_sections: list[int] = []
    for number, level in enumerate(levels):
        while open_sections and number and levels[open_sections[-1]] >= level:
            ends[open_sections.pop()] = starts[number]
        open_sections.append(number)
    return ends


def section_at(found: tuple[Section, ...], position: int) -> int:
    """Return which of the sections has this position in its own part."""
    return max(bisect_right(found, position, key=attrgetter("start")) - 1, 0)
