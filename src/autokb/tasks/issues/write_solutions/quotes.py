"""Where a quote stands in a passage: white space, marks of emphasis and typographic spelling aside."""

from __future__ import annotations

import re
from functools import lru_cache

from autokb.core.nouns import Span
from autokb.tasks.grounded import COMMENT, INVISIBLE, turning_words
from autokb.tasks.prompts import unescaped
from autokb.text.plain_text import sentences

_SPELLING = str.maketrans("‘’‚“”„‐‑–—\u00a0", "'''\"\"\"---- ")
_MARKS = frozenset("*`\\\u200c\u200d")
_MARKER = re.compile(r"(?:^|(?<=\n))[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\Z")
FEWEST = 2  # letters and figures of a quote


@lru_cache(maxsize=1024)
def _squeezed(text: str) -> tuple[str, tuple[int, ...]]:
    """Return a text as it is compared and the place of each of its characters; what nobody can see is not in it."""
    hidden = {n for found in COMMENT.finditer(text) for n in range(*found.span())} if "<!--" in text else set()
    kept = [
        n
        for n, c in enumerate(text)
        if not c.isspace() and c not in _MARKS and n not in hidden and not INVISIBLE.match(c)
    ]
    return "".join(text[n] for n in kept).translate(_SPELLING), tuple(kept)


def find(quote: str, text: str) -> Span | None:
    """Return where a quote stands in a text, with the list marker before it; None where it does not."""
    chars, places = _squeezed(text)
    for spelling in dict.fromkeys((quote, unescaped(quote))):
        sought = _squeezed(spelling)[0]
        if sum(c.isalnum() for c in sought) < FEWEST:
            continue
        at = chars.find(sought)
        while at >= 0:
            start, end = places[at], places[at + len(sought) - 1] + 1
            if _whole_words(text, start, end):
                return _with_marks(text, start, end)
            at = chars.find(sought, at + 1)
    return None


def _whole_words(text: str, start: int, end: int) -> bool:
    """Return whether no word is cut; languages without spaces have no words to cut."""
    before = start > 0 and _spaced(text[start - 1]) and _spaced(text[start])
    after = end < len(text) and _spaced(text[end - 1]) and _spaced(text[end])
    return not before and not after


def _spaced(char: str) -> bool:
    return char.isalnum() and ord(char) < 0x2E80


def _with_marks(text: str, start: int, end: int) -> Span:
    while end < len(text) and text[end] in "*`":
        end += 1
    while start > 0 and text[start - 1] in "*`":
        start -= 1
    line = text.rfind("\n", 0, start) + 1
    marker = _MARKER.match(text[line:start])
    return (line + len(marker.group()) - len(marker.group().lstrip()) if marker else start), end


def widened(text: str, span: Span) -> Span:
    """Return the span, or its whole sentence where the rest of that turns it round: ``Do not ...``, ``... unless``."""
    start, end = span
    around = [s for s in sentences(text) if s[0] < end and s[1] > start]
    if not around:
        return span
    first, last = min(start, around[0][0]), max(end, around[-1][1])
    return (first, last) if turning_words(text[first:last]) - turning_words(text[start:end]) else span
