"""Lists that somebody typed line by line: in a page that became Markdown their marks become marks of Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

# Code; a heading; or what stands before a step (1. 1) (1) **1.**, in an item of a list, alone above its words) or a
# point, and the bold line above it. The private signs number the texts of a page (html_marks.py).
_MARKS = re.compile(
    r"^ *(?P<code>```|~~~)(?s:.*?)(?:^ *(?P=code)|\Z)|^(?P<level>#{1,6}) "
    r"|(?:^\*\*(?P<bold>[^*\n]{0,120}[^*\n:])\*\* *\n\n?)?^(?P<indent>[> ]*)"
    r"(?:(?:\d{1,3}[.)] )?(?P<step>(?P<stars>\*\*)?\(?(?P<number>[1-9]\d?)[\U00100000-\U00101fff]*"
    r"(?:\\?[.)](?(stars)\*\*) +|\\?[.)]?(?(stars)\*\*)\n\n))"
    r"|(?:- )?(?P<point>[•·▪◦‣●■–]|\\[-*+]) +)(?=[^\s#|])",
    re.MULTILINE,
)


# Complex: one loop puts each mark into the list that it goes on with, another writes the marks of each list.
def mark_typed_lists(text: str) -> str:
    """Return Markdown in which typed steps or points, two or more, are a list, and a bold line above them a heading."""
    runs: list[list[re.Match[str]]] = [[]]
    levels = [1]  # of the last heading above each run
    for mark in _MARKS.finditer(text):
        if mark["level"]:
            runs.append([])
            levels.append(len(mark["level"]))
        elif runs[-1] and _goes_on(runs[-1][-1], mark, text):
            runs[-1].append(mark)
        elif mark["number"] == "1" or mark["point"]:
            runs.append([mark])
            levels.append(levels[-1])
    parts, here = [""], 0
    for run, level in zip(runs, levels, strict=True):
        for mark in run if _is_typed(run) else ():
            is_headed = mark["bold"] and mark is run[0]
            before = text[here : mark.start() if is_headed else mark.start("indent")]
            before = f"{before[:-3]}\n" if before.endswith("  \n") else before
            if is_headed:
                before = f"{before.rstrip()}\n\n{'#' * min(6, level + 1)} {mark['bold']}\n\n"
            parts.append(before + mark["indent"] + (f"{mark['number']}. " if mark["number"] else "- "))
            here = mark.end()
    return "".join(parts) + text[here:]


def _goes_on(last: re.Match[str], mark: re.Match[str], text: str) -> bool:
    """Return whether a mark is of the list of the last one: the next number, or a point in the next line."""
    if mark["number"] and last["number"]:
        return int(mark["number"]) == int(last["number"]) + 1
    return bool(mark["point"] and last["point"]) and "\n" not in text[last.end() : mark.start()].strip()


def _is_typed(run: Sequence[re.Match[str]]) -> bool:
    """Return whether marks make a list that Markdown does not know yet."""
    known = [mark["number"] and mark["step"] in (f"{mark['number']}. ", f"{mark['number']}) ") for mark in run]
    return len(run) > 1 and not all(known)
