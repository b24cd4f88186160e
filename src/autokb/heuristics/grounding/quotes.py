"""Where a quote occurs in a passage: white space, marks of emphasis and typographic spelling aside."""

from __future__ import annotations

import re
from functools import lru_cache

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.heuristics.grounding.support import negations_and_conditions
from autokb.heuristics.grounding.visible import HTML_COMMENT, INVISIBLE_CHARACTER
from autokb.text.sentences import sentences

_PLAIN_SPELLING = str.maketrans("‘’‚“”„‐‑–—\u00a0", "'''\"\"\"---- ")
_UNCOMPARED = frozenset("*`\\\u200c\u200d")  # marks of emphasis and joiners
_LIST_MARKER = re.compile(r"(?:^|(?<=\n))[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\Z")
_FIRST_CJK = 0x2E80  # from this code point on scripts put no spaces between words
FEWEST_CHARACTERS = 2  # letters and digits of a quote; less occurs everywhere


@lru_cache(maxsize=1024)
def _comparable(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text as it is compared and the place of each of its characters; what nobody can see is not in it."""
    hidden = {n for found in HTML_COMMENT.finditer(text) for n in range(*found.span())} if "<!--" in text else set()
    places = [
        n
        for n, c in enumerate(text)
        if not c.isspace() and c not in _UNCOMPARED and n not in hidden and not INVISIBLE_CHARACTER.match(c)
    ]
    return "".join(text[n] for n in places).translate(_PLAIN_SPELLING), tuple(places)


def find_quote(quote: str, text: str) -> Span | None:
    """Return where a quote occurs in a text, with the list marker before it; None where it does not."""
    characters, places = _comparable(text)
    sought = _comparable(quote)[0]
    if sum(c.isalnum() for c in sought) < FEWEST_CHARACTERS:
        return None
    at = characters.find(sought)
    while at >= 0:
        start, end = places[at], places[at + len(sought) - 1] + 1
        if not _cuts_word(text, start) and not _cuts_word(text, end):
            return _with_marks(text, start, end)
        at = characters.find(sought, at + 1)
    return None


def _cuts_word(text: str, place: int) -> bool:
    """Return whether a place lies inside a word; languages without spaces have no words to cut."""
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and all(c.isalnum() and ord(c) < _FIRST_CJK for c in around)


def _with_marks(text: str, start: int, end: int) -> Span:
    """Return a span with the marks of emphasis around it and the list marker before it."""
    while end < len(text) and text[end] in "*`":
        end += 1
    while start > 0 and text[start - 1] in "*`":
        start -= 1
    line = text.rfind("\n", 0, start) + 1
    marker = _LIST_MARKER.match(text[line:start])
    return (line + len(marker.group()) - len(marker.group().lstrip()) if marker else start), end


def widen_to_condition(text: str, span: Span, language: str = ENGLISH) -> Span:
    """Return the span, or its whole sentence where the rest of that negates or limits it: ``Do not``, ``unless``."""
    start, end = span
    around = [s for s in sentences(text, language=language) if s[0] < end and s[1] > start]
    if not around:
        return span
    first, last = min(start, around[0][0]), max(end, around[-1][1])
    rest = negations_and_conditions(text[first:last]) - negations_and_conditions(text[start:end])
    return (first, last) if rest else span
