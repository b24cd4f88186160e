"""Replacing what stands between an opening and its closing mark, in linear time whatever the text is."""

from __future__ import annotations

import re
from collections.abc import Callable


def replace_pairs(
    text: str,
    opening: re.Pattern[str],
    closing: Callable[[re.Match[str]], re.Pattern[str]],
    replacement: Callable[[re.Match[str], str], str],
) -> str:
    """Return the text with each pair replaced; an opening mark that nothing closes stays as it is.

    A lazy regular expression would look through the rest of the text again for every unclosed mark.
    """
    parts: list[str] = []
    unclosed: set[re.Pattern[str]] = set()
    position = 0
    while start := opening.search(text, position):
        end_mark = closing(start)
        end = None if end_mark in unclosed else end_mark.search(text, start.end())
        if end is None:
            unclosed.add(end_mark)
            parts.append(text[position : start.end()])
            position = start.end()
            continue
        parts += [text[position : start.start()], replacement(start, text[start.end() : end.start()])]
        position = end.end()
    return "".join([*parts, text[position:]])
