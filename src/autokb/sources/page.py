"""A converted file: its Markdown, the title it gives itself, its own address; and plain words as Markdown."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from autokb.core.marks import Mark

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(?=\S)")
_FENCE = re.compile(r"^(```|~~~)[^\n]*\n.*?^\1", re.MULTILINE | re.DOTALL)
_FRONT_TITLE = re.compile(r"\A---\r?\n(?:[^\n]*\n){0,50}?title:[ \t]*([^\n]+)\n(?:[^\n]*\n){0,50}?---")
_MARKS = re.compile(r"[*_`]{1,3}|!?\[([^\]]*)\]\([^)]*\)")
_BLOCK_START = re.compile(r"(?:[-+*](?=\s|$)|#{1,6}(?=\s|$)|>|=+$|-+$|_{3,}$|`{3}|~{3})")
_NUMBER_START = re.compile(r"(\d{1,9})([.)])(?=\s)")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_TICKS = re.compile("`+")
_LONGEST_TITLE = 300
# Characters of a title that a record or a page gives itself: it stands before each piece of its text that is searched.
_LONGEST_GIVEN_TITLE = 1_000
_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class ConvertedFile:
    """One converted file; ``marks`` are what a web page says of spans of ``text``.

    ``unresolved`` names templates and icons of a wiki whose words are not known and which are left out; ``left_out``
    says what else of the file is not in the text, each in a few words: ``2 pictures``.
    """

    text: str
    title: str = ""
    url: str = ""
    marks: tuple[Mark, ...] = ()
    unresolved: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ConvertedRecords:
    """The records of a file, each with its line (or position) from 1; ``left_out`` as of a ``ConvertedFile``."""

    records: tuple[tuple[int, Mapping[str, Any]], ...]
    left_out: tuple[str, ...] = ()


def counted(number: int, one: str, several: str = "") -> tuple[str, ...]:
    """Return what is left out in a few words: ``3 pictures``; nothing where there is none."""
    return (f"{number:,} {one if number == 1 else several or one + 's'}",) if number else ()


def counted_all(lost: Mapping[str, int], several: Mapping[str, str] = MappingProxyType({})) -> tuple[str, ...]:
    """Return all that is left out in a few words each; ``several`` has the words of more than one."""
    return tuple(part for name, number in lost.items() for part in counted(number, name, several.get(name, "")))


def fenced(code: str, language: str = "") -> str:
    """Return code as a block of Markdown, whose fence is longer than any in it."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(code)), default=0))
    return f"{fence}{language}\n{code}\n{fence}"


def first_heading(markdown: str) -> str:
    """Return the title that a Markdown text gives itself: its front matter's, else its first heading's words."""
    head = markdown[:_LOOKED_AT]
    if front := _FRONT_TITLE.match(head):
        return front.group(1).strip().strip("\"'")
    for line in _FENCE.sub("", head).split("\n"):
        if found := _HEADING.match(line):
            words = line[found.end() :][:_LONGEST_TITLE].strip().rstrip("#").rstrip()
            return _MARKS.sub(lambda m: m.group(1) or "", words).strip()
    return ""


def short_title(title: str) -> str:
    """Return a title, cut where nobody would call it one any more."""
    return title if len(title) <= _LONGEST_GIVEN_TITLE else title[:_LONGEST_GIVEN_TITLE].rstrip() + " […]"


def as_paragraph(words: str, *, first: bool = True) -> str:
    """Return plain words as Markdown that reads the same: no list, heading or tag comes of them."""
    words = _TAG_START.sub(r"\\<", words)
    if first:
        words = _NUMBER_START.sub(r"\1\\\2", words, count=1) if _NUMBER_START.match(words) else words
        words = "\\" + words if _BLOCK_START.match(words) else words
    return words


def table_to_markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of plain cells as a Markdown table whose head is the first row."""
    return markdown_table([[as_paragraph(" ".join(cell.split()), first=False) for cell in row] for row in rows])


def markdown_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells in Markdown as a table whose head is the first row."""
    width = max(map(len, rows))
    cells = ([cell.replace("|", "\\|") for cell in row] + [""] * (width - len(row)) for row in rows)
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:]])
