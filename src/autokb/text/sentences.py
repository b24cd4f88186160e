"""Where the sentences of a text begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.text.lexicons import language_data

_STOP = re.compile(
    r"(?P<stop>(?<![.!?…])[.!?…]++[\"'”’)\]*_]*(?:\{/for\})*)(?=\s)|(?P<wide>[。！？]+[」』”’）]*)"
    r"|(?P<blank>\n[ \t>]*\n)|(?P<line>\n)(?=[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]|#{1,6}[ \t]|\||```|~~~))"
    r"|(?P<hard><br\s*/?>)"
)
_STOP_OR_LINE = re.compile(rf"{_STOP.pattern}|\n")
_AFTER = re.compile(r"[\s*_]{0,8}(\S?)")  # what a sentence after a full stop would begin with, emphasis aside
_LIST_MARKS = " \t\n>*_#-"


def sentences(
    text: str, start: int = 0, end: int | None = None, *, language: str = ENGLISH, informal: bool = False
) -> tuple[Span, ...]:
    """Return the spans of the sentences between two places, without the white space around them.

    A sentence of Markdown ends at its full stop, question or exclamation mark, and where its block or list item ends; a
    line break inside a paragraph ends none. In an ``informal`` text, such as a customer's message, each line ends one,
    and one may begin with a small letter.
    """
    end = len(text) if end is None else min(end, len(text))
    found: list[Span] = []
    here = start
    for stop in (*_sentence_ends(text, start, end, language, informal), end):
        while here < stop and text[here].isspace():
            here += 1
        last = stop
        while last > here and text[last - 1].isspace():
            last -= 1
        if here < last:
            found.append((here, last))
        here = stop
    return tuple(found)


def trimmed(text: str, start: int, end: int) -> Span:
    """Return a place without the white space at its ends."""
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip()))


def _sentence_ends(text: str, start: int, end: int, language: str, informal: bool) -> Iterator[int]:
    begin = start
    for stop in (_STOP_OR_LINE if informal else _STOP).finditer(text, start, end):
        if stop.lastgroup != "stop" or not _goes_on(text, begin, stop, language, informal):
            begin = stop.end()
            yield begin


# Complex: one case for each kind of abbreviation or number before a full stop.
def _goes_on(text: str, begin: int, stop: re.Match[str], language: str, informal: bool) -> bool:
    """Return whether a sentence that began at ``begin`` goes on: after an abbreviation, a number, a remark (why?)."""
    following = _AFTER.match(text, stop.end())
    next_letter = following.group(1) if following else ""
    dotted = stop.group().startswith(".")
    if next_letter.islower() and (")" in stop.group() or (dotted and not informal)):
        return True
    abbreviation, longest = _compile_abbreviations(language)
    dot = stop.start()
    found = abbreviation.search(text, max(begin, dot - longest - 1), dot) if dotted else None
    if found is None:
        return False
    match found.lastgroup:
        case "numbering":
            return next_letter.isdigit()
        case "closing":
            return not next_letter.isupper()
        case "number":
            before = text[begin : found.start()].rstrip(_LIST_MARKS)
            numbers_an_item = not before.strip(_LIST_MARKS) or before.endswith(":")  # Do this: 1. Click
            return numbers_an_item or language_data(language).ordinals_end_with_full_stop
        case _:
            return True


@cache
def _compile_abbreviations(language: str) -> tuple[re.Pattern[str], int]:
    """Return what matches an abbreviation, short number or letter at the end of a text, and its greatest length."""
    data = language_data(language)
    kinds = {
        "always": data.abbreviations,
        "numbering": data.numbering_abbreviations,
        "closing": data.closing_abbreviations,
    }
    listed = "".join(
        f"(?P<{kind}>{'|'.join(re.escape(word) for word in sorted(words))})|" for kind, words in kinds.items() if words
    )
    pattern = re.compile(rf"(?<![^\s(\[])(?:{listed}(?P<number>\d{{1,3}})|(?P<letter>[A-Za-z]))\Z", re.IGNORECASE)
    return pattern, max((len(word) for words in kinds.values() for word in words), default=3)
