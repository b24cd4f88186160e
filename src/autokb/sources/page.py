"""A converted page: its Markdown, the title it gives itself, and its own address."""

from __future__ import annotations

import re
from dataclasses import dataclass

_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+([^\n]+?)[ \t]*#*[ \t]*\r?$", re.MULTILINE)
_FENCE = re.compile(r"^(```|~~~)[^\n]*\n.*?^\1", re.MULTILINE | re.DOTALL)
_FRONT_TITLE = re.compile(r"\A---\r?\n(?:[^\n]*\n){0,50}?title:[ \t]*([^\n]+)\n(?:[^\n]*\n){0,50}?---")
_MARKS = re.compile(r"[*_`]{1,3}|!?\[([^\]]*)\]\([^)]*\)")
_LOOKED_AT = 20_000


@dataclass(frozen=True, slots=True)
class Page:
    """One converted file."""

    text: str
    title: str = ""
    url: str = ""


def first_heading(markdown: str) -> str:
    """Return the title that a Markdown text gives itself: its front matter's, else its first heading's words."""
    head = markdown[:_LOOKED_AT]
    if front := _FRONT_TITLE.match(head):
        return front.group(1).strip().strip("\"'")
    if found := _HEADING.search(_FENCE.sub("", head)):
        return _MARKS.sub(lambda m: m.group(1) or "", found.group(1)).strip()
    return ""
