"""Which blocks must stay together, however small a unit or a part of one is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from autokb.chunking.structure.outline import Outline, Unit
from autokb.text.conditional_markup import CONDITIONAL_MARK
from autokb.text.markdown import Block
from autokb.text.plain_text import plain_text

LONGEST_TITLE = 150  # characters; a bold paragraph that is longer is emphasis
LONGEST_QUESTION = 250  # characters; a longer paragraph that ends in a question mark is more than a question
_WORD = re.compile(r"\w")
_PICTURES = re.compile(r"(?:\[?!\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*)?\]\([^()\s]*(?: [^()]*)?\)(?:\]\([^()]*\))?\s*)+")
_CAPTION = re.compile(
    r"[*_]*(?:table|figure|fig\.?|listing|tabelle|abbildung|abb\.?|tableau|tabla)\s*\d", re.IGNORECASE
)
_LABEL = re.compile(
    r"[*_]*(?:note|notes|tip|hint|warning|caution|important|attention|example|hinweis|tipp|achtung|vorsicht|remarque|nota)"
    r"[*_]*[:.!]?[*_]*",
    re.IGNORECASE,
)
_TITLE = re.compile(r"(?:\d+[.)]\s+)?(\*\*|__)(?=\S)(?:(?!\1).)+\1\s*[:?]?|Q(?:uestion)?\s*\d*\s*[:.)].*")
_GOES_ON = re.compile(
    r"(?:\(|(?:however|otherwise|therefore|then|thus|hence|but|also|and|or|this|these|those|it|they|such|instead|so|"
    r"similarly|likewise|in addition|as a result|for example|for instance|in this case|if not|note that|answer)\b"
    r"|a\s*:|(?:note|tip|hint|warning|caution|important|attention|hinweis|tipp|achtung)s?\s*[*_:])",
    re.IGNORECASE,
)
_MARKS = "*_ \t\n>\"'“”"


@dataclass(frozen=True, slots=True)
class BlockFeatures:
    """What a block is: ``introduces`` leads to what follows, ``goes_on`` cannot be read without what precedes it.

    ``shape`` is the block's kind or, of a paragraph, what it is: a title (bold, in capitals, or a question marked as
    one), a picture, a caption, a label ("Note"), a mark (no words, or conditional markup).
    """

    shape: str
    introduces: bool = False
    goes_on: bool = False


def block_features(text: str, block: Block) -> BlockFeatures:
    """Return what can be seen of a block alone."""
    written = text[block.start : block.end]
    if block.kind != "paragraph":
        return BlockFeatures(block.kind, block.kind == "heading", block.kind == "html" and not _WORD.search(written))
    shape = _paragraph_shape(written)
    if shape != "paragraph":
        return BlockFeatures(shape, shape in ("title", "label") or written.startswith("{for "))
    bare = written.strip(_MARKS)
    asks = bare.endswith(("?", "？", "؟")) and len(written) <= LONGEST_QUESTION and "\n" not in written
    continues = bare[:1].islower() and not bare[1:2].isupper()  # an iPhone begins a sentence
    return BlockFeatures(shape, asks or bare.endswith((":", "：")), continues or bool(_GOES_ON.match(bare)))


# Complex: the first shape that fits counts, and a title is only what is no mark, picture, caption or label.
def _paragraph_shape(written: str) -> str:
    if not _WORD.search(CONDITIONAL_MARK.sub("", written)):
        return "mark"
    if "](" in written and _PICTURES.fullmatch(written):
        return "picture"
    if len(written) <= 2 * LONGEST_TITLE and _CAPTION.match(written):
        return "caption"
    if _LABEL.fullmatch(written):
        return "label"
    # In capitals, as a heading that is no heading in the Markdown.
    capitals = written.isupper() and len(written) > 3 and written[-1].isalnum() and "\n" not in written
    is_title = len(written) <= LONGEST_TITLE and (_TITLE.fullmatch(written) or capitals)
    return "title" if is_title else "paragraph"


_LETTER = re.compile(r"[^\W_]")
_MEDIA_TAG = re.compile(r"<(?:img|svg|video|audio|iframe|object|embed)\b", re.IGNORECASE)


def has_words(text: str, start: int, end: int) -> bool:
    """Return whether a letter or digit is between two places, conditional markup aside."""
    found = _LETTER.search(text, start, end)
    if not found or "{" not in text[start:end]:
        return found is not None
    return _LETTER.search(CONDITIONAL_MARK.sub("", text[start:end])) is not None


def is_blank(text: str, block: Block) -> bool:
    """Return whether a reader sees neither words nor a picture in a block."""
    if not has_words(text, block.start, block.end):
        return True
    # Only these two can hold words that nobody sees: tags and remarks, and targets of links.
    if block.kind == "html" or (block.kind == "paragraph" and "]:" in text[block.start : block.end]):
        written = text[block.start : block.end]
        return not (_LETTER.search(plain_text(written)) or _MEDIA_TAG.search(written))
    return False


TOGETHER = 1_200  # characters up to which a paragraph that goes on from the one before stays with it
_INTRODUCED = frozenset({"item", "table", "code", "picture"})
_CAPTIONED = frozenset({"table", "picture", "code", "html"})


def group_blocks(outline: Outline, positions: Sequence[int]) -> list[Unit]:
    """Return what of some blocks must stay together.

    A heading, label or question with what follows it; a list, table, code or picture with the paragraph before it;
    a list with the notes between its steps; a caption with what it names; a paragraph that goes on with what it goes
    on from; a blank block with what is before it, else after it.
    """
    blocks = [outline.blocks[p] for p in positions]
    features = [block_features(outline.text, block) for block in blocks]
    between_steps = _between_steps(blocks)
    groups: list[list[int]] = []
    size = 0
    has_text = False
    for n, block in enumerate(blocks):
        length = block.end - block.start
        blank = is_blank(outline.text, block)
        joins_blank = block.kind != "heading" and (blank or not has_text)
        if not n or not (between_steps[n] or joins_blank or _stays(blocks, features, n, size + length)):
            groups.append([])
            size, has_text = 0, False
        has_text |= not blank
        groups[-1].append(positions[n])
        size += length
    return [tuple(group) for group in groups]


def _between_steps(blocks: Sequence[Block]) -> list[bool]:
    """Return which blocks come after the first and not after the last item of one ordered list."""
    last = {b.list_id: n for n, b in enumerate(blocks) if b.ordered}
    found = []
    until = -1
    for n, block in enumerate(blocks):
        found.append(n <= until)
        if block.ordered:
            until = max(until, last[block.list_id])
    return found


# Complex: one rule for each shape of the block, which group_blocks describes; the first that applies decides.
def _stays(blocks: Sequence[Block], features: Sequence[BlockFeatures], n: int, size: int) -> bool:
    """Return whether a block stays with the one before it; ``size`` is what both would have with all before them."""
    before, here = features[n - 1], features[n]
    if here.shape == "heading":
        return before.shape == "heading" and blocks[n].level > blocks[n - 1].level
    if before.introduces or here.shape in ("mark", "picture") or (before.shape == "mark" and n == 1):
        return True
    if here.shape == "item":
        return before.shape in ("item", "paragraph", "picture")
    if "caption" in (before.shape, here.shape):
        return before.shape != here.shape and {before.shape, here.shape} <= {"caption", *_CAPTIONED}
    if here.shape in _INTRODUCED:
        return before.shape in ("paragraph", "item", "picture", here.shape)
    return here.shape == "label" or (here.goes_on and size <= TOGETHER)
