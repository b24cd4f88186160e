"""The outline of a page with tabs, folds and notes: a section of each panel, a labelled paragraph of each note."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

_SIGN = re.compile("\U0010f0e0(\\d+)\U0010f0e1")
BEHIND_CODE = "\U0010f0e2"  # ends each line of a block of code, so that none is empty
_HEADING = re.compile(r"(#{1,6})[ \t]+(?=\S)")
_ITEM = re.compile(r"(?:[-*+]|(\d{1,9})[.)])[ \t]+")
_NOT_PLAIN = re.compile(r"[#>|<\U0010f000-\U0010f0ff]|[-*+] |\d{1,9}[.)] ")
_RULES = ("---", "***", "___")
_IN_ITEM = 2  # columns from which a line stands in a list item
_IN_CODE = 4  # columns from which it is code and no heading
_LONGEST_NAMES = 76  # characters of whom a part inside a list is for
_PANELS = ("tab", "fold")


@dataclass(frozen=True, slots=True)
class Element:
    """Where an element begins: ``kind`` is tab, fold, left out, silent or that of a note, ``end`` what ends it.

    The kind of an end is ``end``. One that holds nothing has no end.
    """

    kind: str
    end: str
    label: str = ""


def note_label(kind: str, title: str = "") -> str:
    """Return the words before a note: its kind, with its title where it has one."""
    title = title.strip().rstrip(".:")
    return (
        f"**{kind.capitalize()}: {title}{'' if title[-1] in '!?' else '.'}**" if title else f"**{kind.capitalize()}:**"
    )


@dataclass
class _Open:
    """An element whose end has not come; ``above`` and ``ended`` are those of the text around it."""

    element: Element
    column: int
    above: tuple[int, str]
    ended: list[tuple[int, int, Element]]
    base: int  # the column at which its text is written
    body: int = -1  # the column of its text, known from the first line of it
    level: int = 0  # of its heading, which is in the line ``line``; 0 where it has none
    line: int = 0
    deeper: int = 0  # levels by which the headings in it go down, to be below its own


def sign_of(found: re.Match[str], elements: list[Element], element: Element) -> str:
    """Return the sign of a found element in a line of its own, as far in as the line where it stands."""
    elements.append(element)
    line = found.string[found.string.rfind("\n", 0, found.start()) + 1 : found.end()]
    indent = line[: len(line) - len(line.lstrip())]
    return f"\n{indent}\U0010f0e0{len(elements) - 1}\U0010f0e1\n{indent}"


def outlined(text: str, elements: Sequence[Element], title: str) -> str:
    """Return a text without the signs of elements; ``title`` is the heading above what has none."""
    walker = _Walker((1, title))
    for line in text.split("\n"):
        if sign := _SIGN.fullmatch(line.strip()):
            walker.meet(elements[int(sign[1])], _column(line))
        else:
            walker.write(line)
    while walker.open:
        walker.close()
    walker.write("")
    return "\n".join(walker.out)


@dataclass
class _Walker:
    """Goes through the lines; ``ended`` are the panels since the last text, by the lines of their headings and ends."""

    above: tuple[int, str]  # the heading above, by its level and its words
    out: list[str] = field(default_factory=list)
    open: list[_Open] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)  # those that are waited for
    ended: list[tuple[int, int, Element]] = field(default_factory=list)
    shift: int = 0  # columns that the text of what is open stands too far in
    note: str = ""  # the label of a note whose text has not come
    item: int = 0  # the column of the text of the outermost list item, 0 outside of lists

    # Complex: a panel is a section or a part of a step, a note waits for its text or has it.
    def meet(self, element: Element, column: int) -> None:
        """Begin or end an element."""
        self._end_indented(column)
        if element.kind == "end" or element.end == "link":
            self._close_through(element.end)
        if element.kind == "end" or self.ends["left out"]:
            return
        place = max(0, column - self.shift)
        self._write_label(place)
        one = _Open(element, column, self.above, self.ended, column)
        is_note = element.kind not in (*_PANELS, "silent", "left out")
        if is_note and element.label and not element.end:
            self._put(f"{note_label(element.kind)} {element.label}", place)
        elif is_note:
            self.note = note_label(element.kind, element.label)
            self.out.append("")
        elif element.kind in _PANELS and self.item and place >= _IN_ITEM:
            self._put(_in_list(element), self.item)
            one.base = self.shift + self.item
        elif element.kind in _PANELS:
            one.level, one.base, self.item, self.ended = min(6, self.above[0] + 1), self.shift, 0, []
            one.line = self._put(f"{'#' * one.level} {element.label}")
            self.above = (one.level, element.label)
        if element.end:
            self.open.append(one)
            self.ends[element.end] += 1
            self.ends["left out"] += element.kind == "left out"

    def close(self) -> None:
        """End the innermost element."""
        one = self.open.pop()
        self._write_label(max(0, one.column - self.shift))
        self.shift -= max(0, one.body - one.base)
        self.ends[one.element.end] -= 1
        self.ends["left out"] -= one.element.kind == "left out"
        if one.level:
            self.above, self.ended = one.above, [*one.ended, (one.line, self._put(""), one.element)]
        elif one.element.kind == "tab":
            self._put("{/for}", max(0, one.base - self.shift))

    def write(self, line: str) -> None:
        """Write a line of text where it stands under its heading and not under a panel before it."""
        words, column = line.strip(), _column(line)
        if words:
            self._end_indented(column)
        if self.ends["left out"] or not words:
            self.out += [] if self.ends["left out"] else [""]
        elif words in _RULES and self.ends["link"]:
            self._close_through("link")
        else:
            self._write_words(line, words, column)

    def _write_words(self, line: str, words: str, column: int) -> None:
        if self.open and self.open[-1].body < 0:
            self.open[-1].body = max(column, self.open[-1].base)
            self.shift += self.open[-1].body - self.open[-1].base
        place = max(0, column - self.shift)
        heading, item = _HEADING.match(words), _ITEM.match(words)
        if self.ended:
            self._leave_panels(heading, item)
        if heading and place < _IN_CODE:
            words = self._deeper(len(heading[1]), words[heading.end() :])
        else:
            self._follow_list(place, item)
        if self.note and not _NOT_PLAIN.match(words):
            words, self.note = f"{self.note} {words}", ""
        self._write_label(place)
        self.out.append(" " * place + words if self.shift or words != line.strip() else line)

    def _follow_list(self, place: int, item: re.Match[str] | None) -> None:
        """Remember where the text of a list item stands; a line at the very left behind an empty one ends the list."""
        if item and (place < self.item or not self.item):
            self.item = place + item.end()
        elif not place and not item and self.out and not self.out[-1]:
            self.item = 0

    def _deeper(self, level: int, words: str) -> str:
        """Return a heading below that of the panel it is in, and remember it."""
        if panel := next((one for one in reversed(self.open) if one.level), None):
            panel.deeper = max(panel.deeper, panel.level + 1 - level)
            level = min(6, level + panel.deeper)
        self.above = (level, words)
        return f"{'#' * level} {words}"

    def _leave_panels(self, heading: re.Match[str] | None, item: re.Match[str] | None) -> None:
        """Repeat the heading above before what follows panels; in the midst of a procedure they are parts of a step."""
        if item and int(item[1] or 0) > 1:
            for first, last, element in self.ended:
                self.out[first] = _in_list(element)
                self.out[last] = "{/for}" if element.kind == "tab" else ""
        elif not heading and self.above[1]:
            self._put(f"{'#' * self.above[0]} {self.above[1]}")
        self.ended = []

    def _close_through(self, end: str) -> None:
        """End the innermost element that this ends, with all in it; nothing where there is none."""
        while (waiting := self.ends[end]) and self.open:
            self.close()
            if self.ends[end] < waiting:
                return

    def _end_indented(self, column: int) -> None:
        while self.open and (one := self.open[-1]).element.end == "indented" and column < max(one.body, one.column + 1):
            self.close()

    def _write_label(self, place: int) -> None:
        """Write the label of a note whose text is no paragraph that it could begin."""
        if self.note:
            label, self.note = self.note, ""
            self._put(label, place)

    def _put(self, words: str, place: int = 0) -> int:
        """Write a line between empty ones, and return which one it is."""
        self.out += ["", " " * place + words, ""]
        return len(self.out) - 2


def _column(line: str) -> int:
    """Return the column at which the words of a line begin."""
    whole = line.expandtabs(4)
    return len(whole) - len(whole.lstrip())


def _in_list(panel: Element) -> str:
    """Return what stands before a panel inside a list, where no heading can be."""
    names = " ".join(re.sub(r"[{}]", " ", panel.label).split())[:_LONGEST_NAMES]
    return f"{{for {names}}}" if panel.kind == "tab" else f"**{panel.label}**"
