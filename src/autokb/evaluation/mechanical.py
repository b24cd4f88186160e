"""What can be counted of chunks without any judge. None of these figures says that a chunk is good.

They stand in for the judged tenets and are never mixed with them: an opening that dangles, a list that is cut and a
chunk full of links are signs of a bad cut, no more. All of them are told from the document and the spans of the chunks,
by rules of their own, so that no chunker is measured with its own yardstick.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autokb.chunking.cutting import Cut
from autokb.core.nouns import Chunk, Document, Span
from autokb.evaluation.clustered import Part
from autokb.text.markdown import Block, inner_blocks, parse_blocks
from autokb.text.plain_text import plain_text

PAGES = 3  # a paragraph that stands on so many documents is furniture
QUESTION = 200  # characters; a longer paragraph that ends in a question mark is no title of an answer
_CONNECTIVE = re.compile(
    r"(?:and|but|or|nor|so|then|thus|hence|also|however|therefore|otherwise|instead|moreover|furthermore|besides|still|"
    r"similarly|consequently|accordingly|nevertheless|it|its|they|them|their|he|she|his|her|this|that|these|those|"
    r"such|both|as a result|in addition|for example|for instance|in this case|after that|on the other hand)\b",
    re.IGNORECASE,
)
_ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LEADING = re.compile(r"[\s>*_\"'“”‘’(\[`|~]+")
_TERM = re.compile(r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\*\*|__|`)\S")  # a name in bold or code, however it is written
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’)\]*_`]*\s*\Z")
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|!\[[^\[\]]*\]\([^()]*\))*)\]\([^()\s]*(?:\s[^()]*)?\)|<https?://[^<>\s]+>")
_WORD = re.compile(r"\w+")
KINDS = ("lists", "bullets", "tables", "code", "questions")


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted in one document: for each measure, how much of one chunk or structure and of how much."""

    parts: Mapping[str, tuple[Part, ...]]
    over_limit: int  # lists, tables and code that no chunk can hold; they are left out of the others


def counted(document: Document, cut: Cut, max_size: int, furniture: frozenset[str] = frozenset()) -> Counted:
    """Count everything in a document that was cut; ``furniture`` are the paragraphs that stand on many documents."""
    chunks = [chunk for chunk in cut.chunks if chunk.spans]
    holders = Holders(chunks)
    blocks = parse_blocks(document.text)
    found: dict[str, list[Part]] = {f"cut_{kind}": [] for kind in KINDS}
    over = 0
    for kind, spans in structures(document.text, blocks):
        if kind != "questions" and spans[-1][1] - spans[0][0] > max_size:
            over += 1
        elif (torn := holders.torn(document.text, spans)) is not None:
            found[f"cut_{kind}"].append((float(torn), 1.0))
    found["dangling"] = [(float(dangles(document.text, blocks, chunk)), 1.0) for chunk in chunks]
    found["link_density"] = [link_share(chunk.text) for chunk in chunks]
    found["repeated"] = _repeated(document.text, blocks, chunks, furniture) if furniture else []
    left_out = sum(_said(document.text, span) for noise in cut.noise for span in noise.spans)
    found["left_out"] = [(float(left_out), float(_said(document.text, (0, len(document.text)))))]
    return Counted({name: tuple(parts) for name, parts in found.items()}, over)


# -- what belongs together --------------------------------------------------------------------------------------------


def structures(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, list[Span]]]:
    """Give what should stay together: the items of each list, each table and code block, each question and answer.

    Of the lists inside items only the ordered ones: they are steps of their own.
    """
    lists: dict[int, list[Block]] = {}
    for block in (*blocks, *inner_blocks(text)):
        if block.kind == "item" and (block.level == 1 or block.ordered):
            lists.setdefault(block.list_id, []).append(block)
        elif block.kind in ("table", "code"):
            lines = _lines(text, block)
            if len(lines) > 1:
                yield {"table": "tables", "code": "code"}[block.kind], lines
    for items in lists.values():
        if len(items) > 1:
            yield "lists" if items[0].ordered else "bullets", [(item.start, item.end) for item in items]
    yield from (("questions", spans) for spans in _questions(text, blocks))


def _lines(text: str, block: Block) -> list[Span]:
    found: list[Span] = []
    start = block.start
    for line in text[block.start : block.end].split("\n"):
        if line.strip():
            found.append((start, start + len(line)))
        start += len(line) + 1
    return found


def _questions(text: str, blocks: Sequence[Block]) -> Iterator[list[Span]]:
    """Give each heading, or short paragraph of its own, that asks, with the block that follows it.

    A question that stands three times in one document ("Was this helpful?") is the page's own, and one that is a link
    has its answer elsewhere.
    """
    top = [b for b in blocks if b.kind != "item" or b.level == 1]
    asked = [(b, following) for b, following in pairwise(top) if following.kind != "heading" and _may_ask(b)]
    written = {b: text[b.start : b.end] for b, _ in asked}
    times = Counter(" ".join(words.split()) for words in written.values())
    for block, following in asked:
        words = written[block]
        if _asks(words) and times[" ".join(words.split())] < PAGES and not _is_link(words):
            yield [(block.start, block.end), (following.start, following.end)]


def _may_ask(block: Block) -> bool:
    return block.kind == "heading" or (block.kind == "paragraph" and block.end - block.start <= QUESTION)


def _is_link(written: str) -> bool:
    linked, seen = link_share(written)
    return linked > seen / 2


def _asks(written: str) -> bool:
    return plain_text(written).rstrip(" *_:").endswith(("?", "？", "؟"))


class Holders:
    """Finds the chunks that hold a place of a document."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        placed = sorted((start, end, n) for n, chunk in enumerate(chunks) for start, end in chunk.spans)
        self._starts = [start for start, _, _ in placed]
        self._placed = placed

    def of(self, span: Span) -> set[int]:
        """Return the numbers of the chunks that hold a part of a span; spans of chunks do not overlap."""
        found = set()
        place = max(0, bisect_right(self._starts, span[0]) - 1)
        while place < len(self._placed) and self._placed[place][0] < span[1]:
            start, end, chunk = self._placed[place]
            if end > span[0] and start < span[1]:
                found.add(chunk)
            place += 1
        return found

    def torn(self, text: str, spans: Sequence[Span]) -> bool | None:
        """Return whether spans that belong together are held by several chunks; None where fewer than two are held."""
        held = [found for start, end in spans if (found := self.of((start, end)))]
        return None if len(held) < 2 else len(set().union(*held)) > 1


# -- how chunks begin and what they hold ------------------------------------------------------------------------------


def dangles(text: str, blocks: Sequence[Block], chunk: Chunk) -> bool:
    """Return whether a chunk begins in the middle of a sentence, in lower case, or with a word that points back.

    Only its own text counts, not headings that are repeated in front. Inside a table or code the cut itself is counted.
    """
    start = chunk.spans[0][0]
    around = [b for b in blocks if b.start <= start < b.end]
    if any(b.kind in ("heading", "table", "code", "html") for b in around):
        return False
    begins = any(b.start == start for b in around)
    if not begins and around and not _SENTENCE_END.search(text[max(b.start for b in around) : start][-20:]):
        return True
    if _TERM.match(text, start):
        return False
    words = _first_words(text, start)
    return (words[:1].islower() and not words[1:2].isupper()) or bool(_CONNECTIVE.match(words))


def _first_words(text: str, start: int) -> str:
    """Return the beginning of a text without the mark of an item, quotation marks and emphasis."""
    opening = text[start : start + 60]
    mark = _ITEM_MARK.match(opening)
    opening = opening[mark.end() :] if mark else opening
    leading = _LEADING.match(opening)
    return opening[leading.end() :] if leading else opening


def link_share(markdown: str) -> Part:
    """Return the characters of the labels of links in a Markdown text, and of all that a reader sees."""
    seen = len(plain_text(markdown))
    linked = sum(len(plain_text(found.group())) for found in _LINK.finditer(markdown))
    return float(min(linked, seen)), float(seen)


def furniture_of(documents: Iterable[Document]) -> frozenset[str]:
    """Return the paragraphs that stand on three documents or more, as a reader sees them, small and large alike."""
    pages = Counter(words for document in documents for words in {words for _, words in _paragraphs(document.text)})
    return frozenset(words for words, many in pages.items() if many >= PAGES)


def _paragraphs(text: str) -> Iterator[tuple[Block, str]]:
    for block in parse_blocks(text):
        words = " ".join(_WORD.findall(plain_text(text[block.start : block.end]).casefold()))
        if words and (block.kind != "item" or block.level == 1):
            yield block, words


def _repeated(text: str, blocks: Sequence[Block], chunks: Sequence[Chunk], furniture: frozenset[str]) -> list[Part]:
    """Return for each chunk the characters of its spans that are furniture, and all of them."""
    spans = [(block.start, block.end) for block, words in _paragraphs(text) if words in furniture]
    found: list[Part] = []
    for chunk in chunks:
        held = sum(
            max(0, min(end, e) - max(start, s)) for start, end in chunk.spans for s, e in spans if s < end and e > start
        )
        found.append((float(held), float(sum(end - start for start, end in chunk.spans))))
    return found


def _said(text: str, span: Span) -> int:
    return len("".join(text[span[0] : span[1]].split()))


# -- against a gold text ----------------------------------------------------------------------------------------------


def gold_overlap(kept: str, gold: str) -> tuple[Part, Part]:
    """Return the words of the kept text that the gold one has too, of all kept ones; and of all gold ones.

    Words are compared as bags, whatever their order: the first part is precision, the second recall.
    """
    one, other = (Counter(_WORD.findall(plain_text(text).casefold())) for text in (kept, gold))
    shared = float((one & other).total())
    return (shared, float(one.total())), (shared, float(other.total()))
