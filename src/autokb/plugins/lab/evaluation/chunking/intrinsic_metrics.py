"""Intrinsic metrics of chunks: what can be counted without any judge. None of these figures says that a chunk is good.

They accompany the judged tenets and are never mixed with them: an opening that dangles, a list that is cut and a chunk
full of links hint at a bad cut, no more. All of them follow from the document and the spans of the chunks, by rules
that no chunker uses, so that none is measured with its own yardstick.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from autokb.chunking.chunk_result import ChunkResult
from autokb.core.domain import ENGLISH
from autokb.core.nouns import Chunk, Document, Span
from autokb.plugins.lab.evaluation.chunking.results import ChunkShare, IntrinsicMetrics, MethodOutput
from autokb.stats.bootstrap import Ratio, ratio_interval
from autokb.text.lexicons import language_data
from autokb.text.markdown import Block, inner_blocks, parse_blocks
from autokb.text.plain_text import plain_text

REPEATED_ON = 3  # documents: a paragraph that is on so many, or so often on one, is boilerplate of the site
LONGEST_QUESTION = 200  # characters; a longer paragraph that ends in a question mark is no title of an answer
OPENING = 60  # characters of a chunk in which its first word is looked for
CLOSING = 20  # characters before a chunk in which the end of a sentence is looked for
_ITEM_MARK = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+")
_LEADING = re.compile(r"[\s>*_\"'“”‘’(\[`|~]+")
_TERM = re.compile(r"(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\*\*|__|`)\S")  # a name in bold or code, however it is written
_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’)\]*_`]*\s*\Z")
_LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|!\[[^\[\]]*\]\([^()]*\))*)\]\([^()\s]*(?:\s[^()]*)?\)|<https?://[^<>\s]+>")
_LINE = re.compile(r"[^\n]+")
_WORD = re.compile(r"\w+")
STRUCTURES = ("lists", "bullets", "tables", "code", "questions")


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """What was counted in one document: for each metric the ratio of each of its chunks or structures."""

    ratios: Mapping[str, tuple[Ratio, ...]]
    over_limit: int  # lists, tables and code that no chunk can hold; they are in no ratio


def intrinsic_metrics(
    output: MethodOutput,
    documents: Sequence[Document],
    max_size: int,
    boilerplate: frozenset[str] = frozenset(),
    gold: Mapping[str, str] | None = None,
) -> IntrinsicMetrics:
    """Count the chunks of a method and compare them with ``gold``: by document id, the text that should be kept of it.

    Documents that the method could not cut are left out. ``max_size`` is the limit of a chunk in characters,
    ``boilerplate`` what ``site_boilerplate`` says of the documents.
    """
    counts = [count_document(d, output.cuts[d.id], max_size, boilerplate) for d in documents if d.id in output.cuts]
    names = counts[0].ratios if counts else ()
    return IntrinsicMetrics(
        {name: _measure_share([one.ratios[name] for one in counts]) for name in names},
        sum(one.over_limit for one in counts),
        _measure_against_gold(output, gold) if gold else {},
    )


def _measure_against_gold(output: MethodOutput, gold: Mapping[str, str]) -> dict[str, ChunkShare]:
    """Return precision and recall of the words in the chunks against the gold texts, and the mean F1 of documents."""
    overlaps = []
    for document, text in gold.items():
        if document in output.cuts:
            kept = "\n".join(chunk.text for chunk in output.cuts[document].chunks if chunk.spans)
            overlaps.append(gold_overlap(kept, text))
    f1 = [[(2 * p[0] / (p[1] + r[1]) if p[1] + r[1] else 0.0, 1.0)] for p, r in overlaps]
    return {
        "gold_precision": _measure_share([[precision] for precision, _ in overlaps]),
        "gold_recall": _measure_share([[recall] for _, recall in overlaps]),
        "gold_f1": _measure_share(f1),
    }


def _measure_share(documents: Sequence[Sequence[Ratio]]) -> ChunkShare:
    """Return the share over all documents; ``n`` is 0 where nothing can be measured."""
    interval = ratio_interval(documents)
    return ChunkShare(interval, 0 if interval.value is None else sum(map(len, documents)))


# Complex: one line for each figure, over the same chunks.
def count_document(
    document: Document, cut: ChunkResult, max_size: int, boilerplate: frozenset[str] = frozenset()
) -> DocumentCounts:
    """Count everything in a document that was cut; ``boilerplate`` are the paragraphs that are on many documents.

    ``max_size`` is the limit of a chunk in characters.
    """
    chunks = [chunk for chunk in cut.chunks if chunk.spans]
    blocks = parse_blocks(document.text)
    ratios, over_limit = _count_cuts(structures(document.text, blocks), ChunkLocator(chunks), max_size)
    ratios["dangling"] = [(float(dangles(document.text, blocks, chunk)), 1.0) for chunk in chunks]
    ratios["link_density"] = [link_density(chunk.text) for chunk in chunks]
    repeated = [(b.start, b.end) for b, words in _find_paragraphs(document.text) if words in boilerplate]
    ratios["repeated"] = [_measure_overlap(chunk.spans, repeated) for chunk in chunks] if boilerplate else []
    left_out = sum(_count_without_space(document.text[s:e]) for noise in cut.noise for s, e in noise.spans)
    ratios["left_out"] = [(float(left_out), float(_count_without_space(document.text)))]
    return DocumentCounts({name: tuple(of_metric) for name, of_metric in ratios.items()}, over_limit)


def _count_cuts(
    found: Iterable[tuple[str, list[Span]]], locator: ChunkLocator, max_size: int
) -> tuple[dict[str, list[Ratio]], int]:
    """Return by kind of structure which ones are cut, and how many are longer than a chunk may be."""
    ratios: dict[str, list[Ratio]] = {f"cut_{kind}": [] for kind in STRUCTURES}
    over_limit = 0
    for kind, spans in found:
        if kind != "questions" and spans[-1][1] - spans[0][0] > max_size:
            over_limit += 1
            continue
        holders = [held for span in spans if (held := locator.chunks_with(span))]
        if len(holders) > 1:  # what the chunker left out as noise is not cut
            ratios[f"cut_{kind}"].append((float(len(set().union(*holders)) > 1), 1.0))
    return ratios, over_limit


# -- what belongs together --------------------------------------------------------------------------------------------


# Complex: lists are gathered from the blocks among which tables and code are found, in one pass.
def structures(text: str, blocks: Sequence[Block]) -> Iterator[tuple[str, list[Span]]]:
    """Yield what should stay together, by kind and with its parts, each of which may be in another chunk.

    The parts are the items of a list, the lines of a table or code block, a question and its answer. Of the lists
    inside items only the ordered ones count: they are steps.
    """
    lists: dict[int, list[Block]] = {}
    for block in (*blocks, *inner_blocks(text)):
        if block.kind == "item" and (block.level == 1 or block.ordered):
            lists.setdefault(block.list_id, []).append(block)
        elif block.kind in ("table", "code"):
            lines = [line.span() for line in _LINE.finditer(text, block.start, block.end) if line.group().strip()]
            if len(lines) > 1:
                yield {"table": "tables", "code": "code"}[block.kind], lines
    for items in lists.values():
        if len(items) > 1:
            yield "lists" if items[0].ordered else "bullets", [(item.start, item.end) for item in items]
    for question, answer in _find_questions(text, blocks):
        yield "questions", [(question.start, question.end), (answer.start, answer.end)]


# Complex: a question is told by its block, by how often it is there and by its links, one after the other.
def _find_questions(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, Block]]:
    """Yield pairs of a question (a heading, or a paragraph of at most ``LONGEST_QUESTION`` characters) and its answer.

    The answer is the block that follows, unless that is a heading.

    A question that is three times in one document ("Was this helpful?") is boilerplate, and one that is a link has its
    answer elsewhere.
    """
    top = [b for b in blocks if b.kind != "item" or b.level == 1]
    titles = [
        (block, following, text[block.start : block.end])
        for block, following in pairwise(top)
        if following.kind != "heading"
        and (block.kind == "heading" or (block.kind == "paragraph" and block.end - block.start <= LONGEST_QUESTION))
    ]
    times = Counter(" ".join(words.split()) for _, _, words in titles)
    for block, following, words in titles:
        asks = plain_text(words).rstrip(" *_:").endswith(("?", "？", "؟"))
        if asks and times[" ".join(words.split())] < REPEATED_ON:
            linked, visible = link_density(words)
            if linked <= visible / 2:
                yield block, following


class ChunkLocator:
    """Finds the chunks that hold a place of a document."""

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._spans = sorted((start, end, n) for n, chunk in enumerate(chunks) for start, end in chunk.spans)
        self._starts = [start for start, _, _ in self._spans]

    def chunks_with(self, span: Span) -> set[int]:
        """Return the numbers of the chunks that hold a part of a span; spans of chunks do not overlap."""
        found = set()
        for place in range(max(0, bisect_right(self._starts, span[0]) - 1), len(self._spans)):
            start, end, chunk = self._spans[place]
            if start >= span[1]:
                break
            if end > span[0]:
                found.add(chunk)
        return found


# -- how chunks begin and what they hold ------------------------------------------------------------------------------


# Complex: each test takes away one way to begin well or badly, and those after it rely on that.
def dangles(text: str, blocks: Sequence[Block], chunk: Chunk, language: str = ENGLISH) -> bool:
    """Return whether a chunk begins in the middle of a sentence, in lower case, or with a word that points back.

    Headings that are repeated in front do not count. Inside a table or code it is the cut that is counted.
    """
    start = chunk.spans[0][0]
    around = [b for b in blocks if b.start <= start < b.end]
    if any(b.kind in ("heading", "table", "code", "html") for b in around):
        return False
    begins_block = any(b.start == start for b in around)
    if around and not begins_block:
        before = text[max(b.start for b in around) : start]
        if not _SENTENCE_END.search(before[-CLOSING:]):
            return True
    if _TERM.match(text, start):
        return False
    words = text[start : start + OPENING]
    for mark in (_ITEM_MARK, _LEADING):  # the mark of an item, quotation marks and emphasis are no words
        words = words[found.end() :] if (found := mark.match(words)) else words
    return (words[:1].islower() and not words[1:2].isupper()) or bool(_backward_reference(language).match(words))


@cache
def _backward_reference(language: str) -> re.Pattern[str]:
    """Return what matches a word or phrase that refers to something before it."""
    data = language_data(language)
    phrases = "|".join(map(re.escape, (*data.connectives, *data.anaphors)))
    return re.compile(rf"(?:{phrases or '(?!)'})\b", re.IGNORECASE)


def link_density(markdown: str) -> Ratio:
    """Return the characters of the labels of links in a Markdown text, and of all that a reader sees."""
    visible = len(plain_text(markdown))
    linked = sum(len(plain_text(found.group())) for found in _LINK.finditer(markdown))
    return float(min(linked, visible)), float(visible)


def site_boilerplate(documents: Iterable[Document]) -> frozenset[str]:
    """Return the paragraphs that are on three documents or more, as words in small letters without punctuation."""
    pages = Counter(
        words for document in documents for words in {words for _, words in _find_paragraphs(document.text)}
    )
    return frozenset(words for words, count in pages.items() if count >= REPEATED_ON)


def _find_paragraphs(text: str) -> Iterator[tuple[Block, str]]:
    for block in parse_blocks(text):
        words = " ".join(_WORD.findall(plain_text(text[block.start : block.end]).casefold()))
        if words and (block.kind != "item" or block.level == 1):
            yield block, words


def _measure_overlap(spans: Sequence[Span], others: Sequence[Span]) -> Ratio:
    """Return the characters of some spans that are in other spans too, and all of their characters."""
    shared = sum(max(0, min(end, e) - max(start, s)) for start, end in spans for s, e in others)
    return float(shared), float(sum(end - start for start, end in spans))


def _count_without_space(text: str) -> int:
    return len("".join(text.split()))


# -- against a gold text ----------------------------------------------------------------------------------------------


def gold_overlap(text: str, gold: str) -> tuple[Ratio, Ratio]:
    """Return precision and recall of the words of a text against those of a gold text, as bags in any order."""
    words, gold_words = (Counter(_WORD.findall(plain_text(t).casefold())) for t in (text, gold))
    shared = float((words & gold_words).total())
    return (shared, float(words.total())), (shared, float(gold_words.total()))
