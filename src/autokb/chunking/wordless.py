"""What stands in a text without saying anything: rules between paragraphs, lone marks, targets of links."""

from __future__ import annotations

import re

from autokb.chunking.blocks import NumberedBlock
from autokb.text.conditional_markup import MARK
from autokb.text.plain_text import plain_text

_WORD = re.compile(r"[^\W_]")
_PICTURE = re.compile(r"<(?:img|svg|video|audio|iframe|object|embed)\b", re.IGNORECASE)


def has_words(text: str, start: int, end: int) -> bool:
    """Return whether a letter or digit stands between two places, marks of switches aside."""
    found = _WORD.search(text, start, end)
    if not found or "{" not in text[start:end]:
        return found is not None
    return _WORD.search(MARK.sub("", text[start:end])) is not None


def says_something(text: str, block: NumberedBlock) -> bool:
    """Return whether a reader sees words or a picture in a paragraph."""
    if not has_words(text, block.start, block.end):
        return False
    # Only these two can hold words that nobody sees: tags and remarks, and targets of links.
    if block.kind == "html" or (block.kind == "paragraph" and "]:" in text[block.start : block.end]):
        written = text[block.start : block.end]
        return _WORD.search(plain_text(written)) is not None or _PICTURE.search(written) is not None
    return True
