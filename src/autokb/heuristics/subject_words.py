"""The words of a text that say what it is about, and the stem that the forms of such a word have in common."""

from __future__ import annotations

import re

from autokb.heuristics.stop_words import STOP_WORDS

_WORD = re.compile(r"(?<!\w)[^\W\d_][\w'’-]*")
# Endings that are taken off, the longest first; "ers" of "headers" before "s".
_ENDINGS = ("ings", "ing", "ied", "ies", "ers", "ed", "es", "er", "s", "e", "y")
_SHORTEST_STEM = 4  # letters; less is left of no word


def subject_words(text: str) -> list[str]:
    """Return the words of a text that say what it is about, folded, in their order and as often as they occur."""
    words = (word.casefold().replace("’", "'") for word in _WORD.findall(text))
    return [word for word in words if word not in STOP_WORDS and (len(word) > 2 or not word.isascii())]


def stem(word: str) -> str:
    """Return what ``crash``, ``crashes``, ``crashed`` and ``crashing`` have in common; crude, never shown."""
    for ending in _ENDINGS:
        rest = word.removesuffix(ending)
        if rest == word or len(rest) < _SHORTEST_STEM:
            continue
        if ending == "s" and rest.endswith(("s", "u", "i", "o")):
            continue  # status, tennis
        doubled = rest[-1] == rest[-2] and rest[-1] not in "sl" and ending in ("ing", "ed", "er")
        return rest[:-1] if doubled else rest  # stopped: stop
    return word
