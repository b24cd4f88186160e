"""Front matter: the data about a Markdown text that some tools write in front of it."""

from __future__ import annotations

import re

_END_OF_LINE = r"[ \t]*(?:\r\n?|\n)"
_OPENING = re.compile(rf"---{_END_OF_LINE}(?=[^\W\d][\w.-]*:(?:[ \t]|\r|\n))")
_CLOSING = re.compile(r"(?:---|\.\.\.)(?=[ \t]*(?:\r|\n|\Z))")
# A name with its value, an entry of a list, what goes on over several lines, a remark: prose between two rules is none.
_LINE = re.compile(r"(?:[^\W\d][\w.-]*:(?:[ \t][^\r\n]*)?|-(?: [^\r\n]*)?|[ \t\]}#][^\r\n]*)?(?:\r\n?|\n)")


def front_matter_end(text: str) -> int:
    """Return where the front matter at the very start of a text ends, 0 where there is none."""
    line = _OPENING.match(text)
    while line:
        if closing := _CLOSING.match(text, line.end()):
            return closing.end()
        line = _LINE.match(text, line.end())
    return 0
