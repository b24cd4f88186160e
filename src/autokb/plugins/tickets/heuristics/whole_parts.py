"""The beginning of a long text that can be read by itself: whole paragraphs, else whole sentences or lines."""

from __future__ import annotations

from autokb.core.domain import ENGLISH
from autokb.core.nouns import Span
from autokb.text.markdown import parse_blocks
from autokb.text.sentences import sentences, trimmed

SOME_CODE = 300  # characters of a block of code that are worth showing without the rest


def opening(text: str, start: int, end: int, most: int, language: str = ENGLISH) -> Span:
    """Return the place of the longest beginning of ``text[start:end]`` with at most ``most`` characters, trimmed.

    It ends with a paragraph, item, table or block of code. Only a first one that is too long is cut, after a sentence,
    and one of code after a line where there is room for some of it: what stands before it speaks of it. A single
    sentence that is too long is kept whole.
    """
    start, end = trimmed(text, start, end)
    if end - start <= most:
        return start, end
    part = text[start:end]
    stop = 0
    for block in parse_blocks(part):
        if block.start < stop:
            continue  # inside of the one before
        if block.end <= most:
            stop = block.end
            continue
        if not part[:stop].strip() or (block.kind == "code" and most - block.start >= SOME_CODE):
            stop = _cut_block(part, block.kind in ("code", "table"), block.start, block.end, most, language)
        break
    return trimmed(text, start, start + stop) if stop else (start, end)


def _cut_block(text: str, by_lines: bool, start: int, end: int, most: int, language: str) -> int:
    if by_lines:
        return text.rfind("\n", start, most) + 1 or end
    stop = 0
    for _, last in sentences(text, start, end, language=language):
        if stop and last > most:
            break
        stop = last
    return stop or end
