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
from autokb.sources.html_tree import Node

_FIRST = 0x100000  # the last private plane: no font puts its pictures there
_DIGITS = 4096
_NUMBER = re.compile(
    f"[{chr(_FIRST)}-{chr(_FIRST + _DIGITS - 1)}][{chr(_FIRST + _DIGITS)}-{chr(_FIRST + 2 * _DIGITS - 1)}]"
)
_OURS = re.compile(f"[{chr(_FIRST)}-{chr(_FIRST + 2 * _DIGITS - 1)}]+")
# The same in UTF-8, where all of them begin with a byte that other characters hardly ever need.
_NUMBER_BYTES = re.compile(rb"\xf4\x80[\x80-\xbf]{2}\xf4\x81[\x80-\xbf]{2}")
_OUR_BYTES = re.compile(rb"\xf4[\x80\x81][\x80-\xbf]{2}")
_LETTER = re.compile(r"[^\W\d_]")
# Marks of Markdown that may stand before the first letter of a line and belong to it.
_LINE_OPENING = re.compile(r"[\s\d.)*+>#|~`\[!\\-]*")
_LONGEST_OPENING = 60
_LONGEST_ANCHOR = max(map(len, ANCHOR_MARKS))
_NOT_SEEN = frozenset({"script", "style", "title", "head", "template", "noscript"})


@dataclass(frozen=True, slots=True)
class TextPlace:
    """Where a numbered text stands in the Markdown: from its first letter to where the next one begins."""

    number: int
    start: int
    end: int


def free_of_numbers(text: str) -> str:
    """Return a text without characters that would read as a number of ours."""
    return _OURS.sub("", text) if b"\xf4" in text.encode("utf-8", "replace") else text


def bytes_free_of_numbers(data: bytes) -> bytes:
    """Return a page in UTF-8 without characters that would read as a number of ours."""
    return _OUR_BYTES.sub(b"", data) if b"\xf4" in data else data


@dataclass(frozen=True, slots=True)
class NumberedText:
    """A text of the page: the element around it, its length, and whether it is in a link."""

    element: Any
    length: int
    is_linked: bool


def number_texts(nodes: Iterable[Node]) -> list[NumberedText]:
    """Write a number into every text that can be seen; return the texts by their numbers.

    It stands behind the first letter, where it neither hides nor makes a mark of Markdown.
    A text of signs alone gets none.
    """
    found: list[NumberedText] = []
    links: set[Any] = set()
    for element, parent, text, tail in nodes:
        tag = element.tag
        above = parent in links
        if above or tag == "a":
            links.add(element)
        if text and tag not in _NOT_SEEN and (place := _place(text)):
            element.text = _numbered(text, place, len(found))
            found.append(NumberedText(element, len(text), above or tag == "a"))
        if tail and parent is not None and (place := _place(tail)):
            element.tail = _numbered(tail, place, len(found))
            found.append(NumberedText(parent, len(tail), above))
    return found


def _place(text: str) -> int:
    """Return where the number of a text goes, 0 where it would change what becomes of the text."""
    bare = text.strip()
    if not bare or (len(bare) <= _LONGEST_ANCHOR and bare.lower() in ANCHOR_MARKS):
        return 0
    if letter := _LETTER.search(text):
        return letter.end()
    end = len(text.rstrip())
    return end if text[end - 1].isdigit() else 0


def _numbered(text: str, place: int, number: int) -> str:
    high, low = divmod(number % (_DIGITS * _DIGITS), _DIGITS)
    return f"{text[:place]}{chr(_FIRST + high)}{chr(_FIRST + _DIGITS + low)}{text[place:]}"


def numbers_in(data: bytes) -> set[int]:
    """Return the numbers that are written in a text in UTF-8."""
    digits = b"".join(_NUMBER_BYTES.findall(data)).decode()
    return set(map(_value, digits[::2], digits[1::2]))


def _value(high: str, low: str) -> int:
    return (ord(high) - _FIRST) * _DIGITS + ord(low) - _FIRST - _DIGITS


def without_numbers(text: str) -> tuple[str, tuple[TextPlace, ...]]:
    """Return a text free of numbers, and the places of those that were in it, in order."""
    parts: list[str] = []
    found: list[tuple[int, int]] = []
    here = length = 0
    for number in _NUMBER.finditer(text):
        start = number.start()
        parts.append(text[here:start])
        length += start - here
        found.append((_value(text[start], text[start + 1]), length))
        here = start + 2
    parts.append(text[here:])
    clean = "".join(parts)
    return free_of_numbers(clean), tuple(_places(clean, found))


def _places(text: str, found: list[tuple[int, int]]) -> Iterator[TextPlace]:
    starts = [_begin(text, at) for _, at in found]
    for (number, _), start, end in zip(found, starts, [*starts[1:], len(text)], strict=False):
        yield TextPlace(number, start, max(start, end))


def _begin(text: str, at: int) -> int:
    """Return where a text begins whose first letter ends here: before the marks of Markdown that open it."""
    low = max(0, at - _LONGEST_OPENING)
    line = text.rfind("\n", max(0, low - 1), at) + 1  # 0 where the line begins further away, or with the text
    low, begin = max(line, low), max(line, at - 1)
    if low == line and _LINE_OPENING.fullmatch(text, line, begin):
        return line
    while begin > low and not _ends_opening(text[begin - 1]):
        begin -= 1
    return begin


def _ends_opening(sign: str) -> bool:
    """Return whether the marks of Markdown that open a text cannot go on before this sign."""
    return sign.isspace() or sign.isalnum() or sign in "_)]"


def runs(places: Iterable[TextPlace], chosen: Iterable[bool]) -> Iterator[list[TextPlace]]:
    """Give the runs of neighbours that are chosen."""
    run: list[TextPlace] = []
    for place, is_chosen in zip(places, chosen, strict=True):
        if is_chosen:
            run.append(place)
        elif run:
            yield run
            run = []
    if run:
        yield run
