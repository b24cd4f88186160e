"""Lines of wiki text become Markdown blocks; lists keep their nesting and numbers whatever is between the items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from autokb.sources.wiki_inline import (
    LINE_BREAK,
    PARAGRAPH_BREAK,
    Placeholders,
    inline_to_marks,
    without_empty_conditionals,
)
from autokb.text.conditional_markup import CONDITIONAL_MARK

_HEADING = re.compile(r"^(={1,6})\s*(.+?)\s*\1\s*$")
# The expression above takes the square of a line's length; nobody writes a longer heading.
_MAX_HEADING_CHARACTERS = 500
_LIST_PREFIX = re.compile(r"^\s{0,3}([#*:;]+)\s*")
_HAND_WRITTEN_NUMBER = re.compile(r"^ {0,3}(\d{1,3})[.)]\s+(?=\S)")
# What Markdown would take for an underline of a heading, a ruler, or the start of another block.
_MARKDOWN_BLOCK = re.compile(r"^(?:(?:=+|-{2,}|_{3,}|\*{3,})\s*$|#{1,6}(?=\s)|>|[-+*](?=\s))")
_INDENTED_CODE = re.compile(r"^ {4,}\S")
# More lines than these between two steps are no remark on the step before.
_MAX_REMARK_LINES = 4
# Lines that are looked at to learn whether a list goes on; a bound, so that reading stays linear.
_LOOK_AHEAD_LINES = 60

Kind = Literal["heading", "item", "text", "note", "blank", "conditional start", "conditional end"]


@dataclass(frozen=True, slots=True)
class _WikiLine:
    """A line of wiki text; ``prefix`` is a list's ``#*:;`` or a heading's Markdown mark."""

    kind: Kind
    text: str = ""
    prefix: str = ""

    @property
    def list_kinds(self) -> str:
        """The lists around an item, outermost first: ``#`` numbered, ``*`` bulleted; colons only indent."""
        return "".join(c for c in self.prefix if c in "#*")

    @property
    def may_be_remark(self) -> bool:
        """Whether it may belong to the step before it: text, and what only indents."""
        return self.kind in ("text", "note") or (self.kind == "item" and not self.list_kinds)


@dataclass(slots=True)
class _OpenWikiList:
    kind: str
    count: int
    indent: int
    content_indent: int = 0


def blocks_to_markdown(text: str, placeholders: Placeholders) -> str:
    """Return the Markdown of wiki lines; the private characters of ``wiki_inline`` stay for ``marks_to_markdown``."""
    writer = _WikiWriter(_parse(text, placeholders))
    for n, line in enumerate(writer.lines):
        if line.kind == "heading":
            writer.close_lists()
            words = line.text.replace(LINE_BREAK, " ").replace(PARAGRAPH_BREAK, " ").split()
            writer.out += ["", f"{line.prefix} {' '.join(words)}", ""]
        elif line.kind == "item":
            writer.write_item(n)
        elif line.kind == "blank" or not line.text:
            writer.in_paragraph = False
        elif line.kind in ("text", "note"):
            if writer.lists and writer.is_remark_on_step(n):
                writer.write_remark(line.text, len(writer.lists) if writer.lists[-1].kind == "#" else 1)
            else:
                writer.write_paragraphs(line.text)
        else:
            writer.write_conditional(line)
        if line.kind not in ("blank", "conditional end"):
            writer.alternative_count = None
    return "\n".join(writer.out)


def _parse(text: str, placeholders: Placeholders) -> list[_WikiLine]:
    lines: list[_WikiLine] = []
    expected = 1
    for raw in text.split("\n"):
        number = _HAND_WRITTEN_NUMBER.match(raw)
        if number and int(number.group(1)) in (1, expected):
            expected = int(number.group(1)) + 1
            raw = f"# {raw[number.end() :]}"
        lines.extend(
            _parse_line(part, placeholders) for part in _split_at_conditionals(without_empty_conditionals(raw))
        )
    return lines


# Complex: one branch for each kind of line, tried in the order in which wikis read them.
def _parse_line(raw: str, placeholders: Placeholders) -> _WikiLine:
    stripped = raw.strip()
    if not stripped:
        return _WikiLine("blank")
    if CONDITIONAL_MARK.fullmatch(stripped):
        return _WikiLine("conditional start" if stripped.startswith("{for") else "conditional end", stripped)
    if len(stripped) <= _MAX_HEADING_CHARACTERS and (heading := _HEADING.match(stripped)):
        words = inline_to_marks(heading.group(2), placeholders)
        return _WikiLine("heading", words, "#" * len(heading.group(1))) if words else _WikiLine("blank")
    prefix = _LIST_PREFIX.match(raw)
    words = inline_to_marks(raw[prefix.end() :] if prefix else raw, placeholders)
    if not words.replace(PARAGRAPH_BREAK, "").replace(LINE_BREAK, "").strip():
        # An item whose picture was dropped still is something between two steps; a blank line is not.
        return _WikiLine("text" if prefix and set(prefix.group(1)) & set("#*") else "blank")
    if prefix:
        return _WikiLine("item", words, prefix.group(1))
    if _INDENTED_CODE.match(raw) and not words.startswith(PARAGRAPH_BREAK):
        return _WikiLine("text", placeholders.protect(raw[4:].rstrip()) + LINE_BREAK)
    return _WikiLine("note" if PARAGRAPH_BREAK in (words[0], words[-1]) else "text", words)


# Complex: what is unclosed moves to the front and what is unopened to the end of the same rest.
def _split_at_conditionals(raw: str) -> list[str]:
    """Put a conditional that opens a line, or closes one, on a line of its own when its partner is in another."""
    unclosed: list[re.Match[str]] = []
    unopened: list[re.Match[str]] = []
    for mark in CONDITIONAL_MARK.finditer(raw):
        if mark.group().startswith("{for"):
            unclosed.append(mark)
        elif unclosed:
            unclosed.pop()
        else:
            unopened.append(mark)
    if not unclosed and not unopened:
        return [raw]
    before: list[str] = []
    after: list[str] = []
    start, end = 0, len(raw)
    prefix_characters = ""
    for mark in unclosed:
        if (between := raw[start : mark.start()]).strip("#*:; \t"):
            break
        prefix_characters += between
        before.append(mark.group())
        start = mark.end()
    while unopened and unopened[-1].end() >= start and not raw[unopened[-1].end() : end].strip():
        mark = unopened.pop()
        after.append(mark.group())
        end = mark.start()
    rest = prefix_characters + raw[start:end]
    if before:
        prefix = _LIST_PREFIX.match(rest)
        rest = f"{prefix.group(1)} {rest[prefix.end() :]}" if prefix else rest.strip()
    return [*before, *([rest] if rest.strip("#*:; \t") else []), *after]


class _WikiWriter:
    """The Markdown written so far, the lists that are open, and where numbering goes on after a conditional part."""

    def __init__(self, lines: Sequence[_WikiLine]) -> None:
        self.lines = lines
        self.out: list[str] = []
        self.lists: list[_OpenWikiList] = []
        self.in_paragraph = False
        # How many steps are before the conditional part just closed: an alternative to it counts from there.
        self.alternative_count: int | None = None
        # How many steps are before the next numbered list, if it goes on inside or after a conditional.
        self._steps_before = 0
        # Of each open conditional: the steps before it, and the most that it or an alternative to it has reached.
        self._switches: list[tuple[int, int]] = []

    def close_lists(self) -> None:
        """End the lists and the paragraph, so that the next numbered list counts from 1."""
        self.lists.clear()
        self._steps_before = 0
        self.in_paragraph = False

    # Complex: the list that an item is in is closed, opened or kept by how its marks differ from those before.
    def write_item(self, n: int) -> None:
        """Write an item of a list."""
        line = self.lines[n]
        kinds = line.list_kinds
        if not kinds or line.prefix[-1] in ":;":
            self._write_indented(n)
            return
        depth = min(len(kinds), len(self.lists) + 1)
        is_numbered_here = depth <= len(self.lists) and self.lists[depth - 1].kind == "#"
        if kinds[-1] == "*" and is_numbered_here and self._has_next_step(n, len(kinds)):
            depth += 1
        del self.lists[depth:]
        if len(self.lists) == depth and self.lists[-1].kind != kinds[-1]:
            self.lists.pop()
        if len(self.lists) < depth:
            self._open_list(kinds[-1])
        current = self.lists[-1]
        current.count += 1
        marker = f"{current.count}. " if current.kind == "#" else "- "
        current.content_indent = current.indent + len(marker)
        first, *rest = _paragraphs(line.text)
        self._write(first, current.indent, marker)
        for paragraph in rest:
            self._write(paragraph, current.content_indent, blank_line=True)
        self.in_paragraph = False

    def _write_indented(self, n: int) -> None:
        """Write an item that only indents (``:``): it belongs to the item before, or is a paragraph."""
        line = self.lines[n]
        kinds = line.list_kinds
        if self.lists and (kinds or self.is_remark_on_step(n)):
            self.write_remark(line.text, min(len(kinds) or len(self.lists), len(self.lists)))
        else:
            self.write_paragraphs(line.text)

    def _open_list(self, kind: str) -> None:
        if self.lists:
            self.lists.append(_OpenWikiList(kind, 0, self.lists[-1].content_indent))
            return
        self._end_with_blank_line()
        self.lists.append(_OpenWikiList(kind, self._steps_before if kind == "#" else 0, 0))
        self._steps_before = 0

    def _has_next_step(self, n: int, depth: int) -> bool:
        """Return whether, after these bullets, the numbered list of the same depth is taken up again at once."""
        for line in islice(self.lines, n + 1, n + 1 + _LOOK_AHEAD_LINES):
            if line.kind != "item":
                return False
            kinds = line.list_kinds
            if len(kinds) <= depth and kinds.endswith("#"):
                return len(kinds) == depth
        return False

    # Complex: it looks ahead to the next step and judges all that is between.
    def is_remark_on_step(self, n: int) -> bool:
        """Return whether lines between two steps belong to the step before, so that the list is not torn."""
        lines = self.lines
        if self.lists[0].kind == "#":
            between = []
            end = n
            while end < min(len(lines), n + _LOOK_AHEAD_LINES):
                line = lines[end]
                if line.may_be_remark:
                    between.append(line)
                elif line.kind != "blank":
                    break
                end += 1
            if end < len(lines) and lines[end].kind == "item" and lines[end].prefix.startswith("#"):
                if all(line.kind in ("note", "item") for line in between):
                    return True
                has_announcement = any(line.text.rstrip().endswith(":") for line in between)
                is_near = lines[end - 1].kind != "blank"
                return is_near and not has_announcement and len(between) <= _MAX_REMARK_LINES
        return lines[n].prefix.startswith((";", ":")) and lines[n - 1].kind == "item"

    def write_remark(self, text: str, depth: int) -> None:
        """Write paragraphs inside the last item of the list of that depth."""
        for paragraph in _paragraphs(text):
            self._write(paragraph, self.lists[depth - 1].content_indent, blank_line=True)
        del self.lists[depth:]

    def write_paragraphs(self, text: str) -> None:
        """Close the lists and write paragraphs; the first goes on with the line above where that is one."""
        goes_on = self.in_paragraph and not text.startswith(PARAGRAPH_BREAK)
        self.close_lists()
        for position, paragraph in enumerate(_paragraphs(text)):
            self._write(paragraph, 0, blank_line=not goes_on or position > 0)
        self.in_paragraph = not text.endswith(PARAGRAPH_BREAK)

    def write_conditional(self, line: _WikiLine) -> None:
        """Write a conditional as a paragraph; a numbered list that was open around it goes on in it and after it."""
        count = self.lists[0].count if self.lists and self.lists[0].kind == "#" else self._steps_before
        self.lists.clear()
        self.in_paragraph = False
        if line.kind == "conditional start":
            before = count if self.alternative_count is None else self.alternative_count
            self._switches.append((before, max(before, count)))
            self._steps_before = before
        elif self._switches:
            before, most = self._switches.pop()
            self._steps_before = max(most, count)
            self.alternative_count = before
        self._end_with_blank_line()
        self.out += [line.text, ""]

    def _end_with_blank_line(self) -> None:
        if self.out and self.out[-1]:
            self.out.append("")

    def _write(self, text: str, indent: int, marker: str = "", *, blank_line: bool = False) -> None:
        if blank_line:
            self._end_with_blank_line()
        lines = [part.strip() for part in text.split(LINE_BREAK) if part.strip() != "."] or [""]
        for n, line in enumerate(lines):
            # A list written as in Markdown stays one.
            if not marker and _MARKDOWN_BLOCK.match(line) and not line.startswith(("- ", "+ ")):
                line = "\\" + line
            end = "  " if n < len(lines) - 1 else ""
            self.out.append(f"{' ' * indent}{marker if n == 0 else ' ' * len(marker)}{line}{end}")


def _paragraphs(text: str) -> list[str]:
    parts = [part.strip().strip(LINE_BREAK).strip() for part in text.split(PARAGRAPH_BREAK)]
    return [part for part in parts if part] or [""]
