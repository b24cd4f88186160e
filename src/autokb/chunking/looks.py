"""What can be seen of a paragraph alone: a picture, a caption, a bold title, a sentence that introduces or goes on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autokb.chunking.blocks import NumberedBlock
from autokb.text.conditional_markup import MARK

TITLE = 150  # characters; a bold paragraph that is longer is emphasis
QUESTION = 250
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
class Look:
    """How a paragraph looks: ``introduces`` leads to what follows it, ``goes_on`` cannot be read without what precedes.

    ``shape`` is the block's kind or, of a paragraph, what it is: a title (bold, in capitals, or a question marked as
    one), a picture, a caption, a label ("Note"), a mark (no words, or a switch).
    """

    shape: str
    introduces: bool = False
    goes_on: bool = False


def look(text: str, block: NumberedBlock) -> Look:
    """Return how a paragraph looks."""
    written = text[block.start : block.end]
    if block.kind != "paragraph":
        return Look(block.kind, block.kind == "heading", block.kind == "html" and not _WORD.search(written))
    shape = _shape(written)
    if shape != "paragraph":
        return Look(shape, shape in ("title", "label") or written.startswith("{for "))
    bare = written.strip(_MARKS)
    asks = bare.endswith(("?", "？", "؟")) and len(written) <= QUESTION and "\n" not in written
    return Look(shape, asks or bare.endswith((":", "：")), _is_dangling(bare))


def _shape(written: str) -> str:
    if not _WORD.search(MARK.sub("", written)):
        return "mark"
    if "](" in written and _PICTURES.fullmatch(written):
        return "picture"
    if len(written) <= 2 * TITLE and _CAPTION.match(written):
        return "caption"
    if _LABEL.fullmatch(written):
        return "label"
    titled = len(written) <= TITLE and (_TITLE.fullmatch(written) or _is_shouted(written))
    return "title" if titled else "paragraph"


def _is_shouted(written: str) -> bool:
    """Return whether all letters are capitals, as in a heading that is no heading in the Markdown."""
    return written.isupper() and len(written) > 3 and written[-1].isalnum() and "\n" not in written


def _is_dangling(bare: str) -> bool:
    small = bare[:1].islower() and not bare[1:2].isupper()  # an iPhone begins a sentence
    return small or bool(_GOES_ON.match(bare))
