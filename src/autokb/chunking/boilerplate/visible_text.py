"""Blocks as a reader sees them: their words, and which share of them is links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autokb.text.markdown import Block
from autokb.text.plain_text import plain_text

LONGEST_HEADING = 40  # words; what is longer is a text somebody marked as a heading
_WORD = re.compile(r"\w+")
_PICTURE = re.compile(r"!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
# Each text can be read in one way only: pictures behind a bracket that is never closed would else be tried in all.
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?: \"[^\"]*\")?\)"
)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """What a reader sees of a block; ``linked`` is the share of its characters that is links."""

    words: str
    count: int
    linked: float
    is_heading: bool


def visible_text(text: str, block: Block) -> VisibleText:
    """Return a block as a reader sees it; nobody sees front matter."""
    if block.kind == "front matter":
        return VisibleText("", 0, 0.0, is_heading=False)
    written = text[block.start : block.end]
    words = visible_words(written)
    count = len(_WORD.findall(words))
    in_links = sum(_length(link.group(1)) for link in _LINK.finditer(written)) if "](" in written else 0
    is_heading = block.kind == "heading" and count <= LONGEST_HEADING
    return VisibleText(words, count, min(1.0, in_links / max(1, len(words))), is_heading)


def visible_texts(text: str, blocks: Sequence[Block]) -> list[VisibleText]:
    """Return the blocks as a reader sees them."""
    return [visible_text(text, block) for block in blocks]


def visible_words(written: str) -> str:
    """Return what a reader sees of a piece of Markdown, pictures left out whatever is in their addresses."""
    return plain_text(_PICTURE.sub("", written) if "![" in written else written, images=False)


def _length(label: str) -> int:
    """Return the length of a link's words; most have no marks inside, and need no reading of Markdown."""
    return len(visible_words(label)) if "[" in label else len(label.strip("*_` \n"))
