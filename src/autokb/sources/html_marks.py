"""Every text of a parsed page gets a number of two private characters, by which it is found again after conversion.

The numbers outlive the conversion to Markdown and the extractors, so each place of the Markdown can be traced to the
elements around it, and to what an extractor keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from autokb.sources.html_shape import ANCHOR_MARKS

_FIRST = 0x100000  # the last private plane: no font puts its pictures there
_DIGITS = 4096
_NUMBER = re.compile(
    f"[{chr(_FIRST)}-{chr(_FIRST + _DIGITS - 1)}][{chr(_FIRST + _DIGITS)}-{chr(_FIRST + 2 * _DIGITS - 1)}]"
)
_OURS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + 2 * _DIGITS - 1)}]+")
_LETTER = re.compile(r"[^\W\d_]")
# Marks of Markdown that may stand before the first letter of a text and belong to it: in the line, and at its start.
_OPENING = re.compile(r"[^\w\s)\]]*\Z")
_LINE_OPENING = re.compile(r"[\s\d.)*+>#|~`\[!\\-]*\Z")
_LONGEST_OPENING = 60
_NOT_SEEN = frozenset({"script", "style", "title", "head", "template", "noscript"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a numbered text stands in the Markdown: from its first letter to where the next one begins."""

    number: int
    start: int
    end: int


def free_of_numbers(html: str) -> str:
    """Return the page without characters that would read as a number of ours."""
    return _OURS.sub("", html)


def number_texts(root: Any) -> list[Any]:
    """Write a number into every text that can be seen; return the element around each, by number.

    It stands behind the first letter, where it neither hides nor makes a mark of Markdown.
    A text of signs alone gets none.
    """
    around: list[Any] = []
    for element in root.iter():
        if element.tag not in _NOT_SEEN and (place := _place(element.text)):
            element.text = _numbered(element.text, place, len(around))
            around.append(element)
        parent = element.getparent()
        if parent is not None and (place := _place(element.tail)):
            element.tail = _numbered(element.tail, place, len(around))
            around.append(parent)
    return around


def _place(text: str | None) -> int:
    """Return where the number of a text goes, 0 where it would change what becomes of the text."""
    if not text or text.strip().lower() in ANCHOR_MARKS:
        return 0
    if letter := _LETTER.search(text):
        return letter.end()
    end = len(text.rstrip())
    return end if end and text[end - 1].isdigit() else 0


def _numbered(text: str, place: int, number: int) -> str:
    high, low = divmod(number % (_DIGITS * _DIGITS), _DIGITS)
    return f"{text[:place]}{chr(_FIRST + high)}{chr(_FIRST + _DIGITS + low)}{text[place:]}"


def numbers_in(text: str) -> set[int]:
    """Return the numbers that are written in a text."""
    return {_value(found.group()) for found in _NUMBER.finditer(text)}


def _value(number: str) -> int:
    return (ord(number[0]) - _FIRST) * _DIGITS + ord(number[1]) - _FIRST - _DIGITS


def without_numbers(text: str) -> tuple[str, tuple[Place, ...]]:
    """Return a text free of numbers, and the places of those that were in it, in order."""
    parts: list[str] = []
    found: list[tuple[int, int]] = []
    here = length = 0
    for number in _NUMBER.finditer(text):
        parts.append(text[here : number.start()])
        length += number.start() - here
        found.append((_value(number.group()), length))
        here = number.end()
    parts.append(text[here:])
    clean = "".join(parts)
    return _OURS.sub("", clean), tuple(_places(clean, found))


def _places(text: str, found: list[tuple[int, int]]) -> Iterator[Place]:
    starts = [_begin(text, at) for _, at in found]
    for (number, _), start, end in zip(found, starts, [*starts[1:], len(text)], strict=False):
        yield Place(number, start, max(start, end))


def _begin(text: str, at: int) -> int:
    """Return where a text begins whose first letter ends here: before the marks of Markdown that open it."""
    line = text.rfind("\n", 0, at) + 1
    before = text[max(line, at - _LONGEST_OPENING) : max(line, at - 1)]
    if _LINE_OPENING.match(before) and len(before) == at - 1 - line:
        return line
    opening = _OPENING.search(before)
    return max(line, at - 1) - (len(opening.group()) if opening else 0)


def runs(places: Iterable[Place], chosen: Iterable[bool]) -> Iterator[list[Place]]:
    """Give the runs of neighbours that are chosen."""
    run: list[Place] = []
    for place, is_chosen in zip(places, chosen, strict=True):
        if is_chosen:
            run.append(place)
        elif run:
            yield run
            run = []
    if run:
        yield run
