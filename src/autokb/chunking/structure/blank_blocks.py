"""Blank blocks: rules between paragraphs, lone marks, targets of links; a reader sees no word in them."""

from __future__ import annotations

import re

from autokb.chunking.structure.blocks import NumberedBlock
from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.plain_text import plain_text

_WORD = re.compile(r"[^\W_]")
_MEDIA_TAG = re.compile(r"<(?:img|svg|video|audio|iframe|object|embed)\b", re.IGNORECASE)


def has_words(text: str, start: int, end: int) -> bool:
    """Return whether a letter or digit is between two places, conditional markup aside."""
    found = _WORD.search(text, start, end)
    if not found or "{" not in text[start:end]:
        return found is not None
    return _WORD.search(CONDITIONAL_MARK.sub("", text[start:end])) is not None


def is_blank(text: str, block: NumberedBlock) -> bool:
    """Return whether a reader sees neither words nor a picture in a block."""
    if not has_words(text, block.start, block.end):
        return True
    # Only these two can hold words that nobody sees: tags and remarks, and targets of links.
    if block.kind == "html" or (block.kind == "paragraph" and "]:" in text[block.start : block.end]):
        written = text[block.start : block.end]
        return not (_WORD.search(plain_text(written)) or _MEDIA_TAG.search(written))
    return False
