"""What can be seen of a block alone: a picture, a caption, a bold title, a sentence that introduces or goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autokb.chunking.structure.blocks import NumberedBlock
from autokb.text.conditional_markup import CONDITIONAL_MARK

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


def block_features(text: str, block: NumberedBlock) -> BlockFeatures:
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
