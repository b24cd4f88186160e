"""Lists that somebody typed line by line: in a page that became Markdown their marks become marks of Markdown."""

from __future__ import annotations

import re

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


# Complex: whether a mark goes on with a list depends on the mark before it, of steps and of points.
def mark_typed_lists(text: str) -> str:
    """Return Markdown in which typed steps or points, two or more, are a list, and a bold line above them a heading."""
    runs: list[list[re.Match[str]]] = [[]]
    levels = [1]  # of the last heading above each run
    for mark in _MARKS.finditer(text):
        last = runs[-1][-1] if runs[-1] else None
        number = int(mark["number"] or 0)
        if mark["level"]:
            runs.append([])
            levels.append(len(mark["level"]))
        elif last and (
            number == int(last["number"]) + 1
            if number and last["number"]
            else mark["point"] and last["point"] and "\n" not in text[last.end() : mark.start()].strip()
        ):
            runs[-1].append(mark)
        elif number == 1 or mark["point"]:
            runs.append([mark])
            levels.append(levels[-1])
    parts, here = [""], 0
    for run, level in zip(runs, levels, strict=True):
        if len(run) > 1 and any(mark["step"] not in (f"{mark['number']}. ", f"{mark['number']}) ") for mark in run):
            for mark in run:
                is_headed = mark["bold"] and mark is run[0]
                before = text[here : mark.start() if is_headed else mark.start("indent")]
                before = f"{before[:-3]}\n" if before.endswith("  \n") else before
                if is_headed:
                    before = f"{before.rstrip()}\n\n{'#' * min(6, level + 1)} {mark['bold']}\n\n"
                parts.append(before + mark["indent"] + (f"{mark['number']}. " if mark["number"] else "- "))
                here = mark.end()
    return "".join(parts) + text[here:]
