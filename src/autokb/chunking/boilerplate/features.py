"""What can be seen of each block of a page that tells text from boilerplate, as numbers from 0 to 1."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import get_args

from autokb.chunking.boilerplate.phrases import boilerplate_kind, is_credit, names_section
from autokb.chunking.structure.blocks import NumberedBlock
from autokb.core.marks import Mark, MarkKind
from autokb.core.nouns import Span
from autokb.text.plain_text import plain_text

KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
VOTES: tuple[MarkKind, ...] = ("kept_by_trafilatura", "kept_by_readability")
LONGEST_HEADING = 40  # words; what is longer is a text somebody marked as a heading
_NEAR, _WIDE = 3, 10  # blocks on each side
_MOST_LINKS = 0.8  # share of a block's characters
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[.!?:;。！？…\"”’)]\s*\Z")
_PICTURE = re.compile(r"!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
# Each text can be read in one way only: pictures behind a bracket that is never closed would else be tried in all.
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?: \"[^\"]*\")?\)"
)


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A block as a reader sees it: its words, and which share of them is links."""

    words: str
    count: int
    linked: float
    is_heading: bool
    boilerplate: str


def visible_texts(text: str, blocks: Sequence[NumberedBlock]) -> list[VisibleText]:
    """Return the blocks as a reader sees them."""
    return [_visible_text(text[block.start : block.end], block) for block in blocks]


def visible_words(written: str) -> str:
    """Return what a reader sees of a piece of Markdown, pictures left out whatever is in their addresses."""
    return plain_text(_PICTURE.sub("", written) if "![" in written else written, images=False)


def _visible_text(written: str, block: NumberedBlock) -> VisibleText:
    words = visible_words(written)
    count = len(_WORD.findall(words))
    in_links = 0
    if "](" in written:
        in_links = sum(_length(link.group(1)) for link in _LINK.finditer(written))
    is_heading = block.kind == "heading" and count <= LONGEST_HEADING
    return VisibleText(
        words, count, min(1.0, in_links / max(1, len(words))), is_heading, boilerplate_kind(words, count)
    )


def _length(label: str) -> int:
    """Return the length of a link's words; most have no marks inside, and need no reading of Markdown."""
    return len(visible_words(label)) if "[" in label else len(label.strip("*_` \n"))


def boilerplate_features(
    blocks: Sequence[NumberedBlock], texts: Sequence[VisibleText], marks: Sequence[Mark]
) -> list[dict[str, float]]:
    """Return the features of every block."""
    shares = {kind: _shares(blocks, [(m.start, m.end) for m in marks if m.kind == kind]) for kind in KINDS}
    found = [_features_alone(block, text) for block, text in zip(blocks, texts, strict=True)]
    for n, features in enumerate(found):
        features.update({kind: shares[kind][n] for kind in KINDS})
        features["kept_by_both"] = min(features[vote] for vote in VOTES)
    for vote in VOTES:
        _add_neighbour_features(found, texts, vote, shares[vote])
    _add_place_features(found, texts, shares)
    for features, heading in zip(found, _headings(texts), strict=True):
        features["under_boilerplate"] = float(heading is not None and names_section(texts[heading].boilerplate))
    return found


def _features_alone(block: NumberedBlock, text: VisibleText) -> dict[str, float]:
    return {
        "links": text.linked,
        "all_links": float(text.linked > _MOST_LINKS),
        "length": min(math.log1p(text.count), 5) / 5,
        "short": float(text.count <= 3),
        "sentence": float(text.count > 5 and _SENTENCE.search(text.words) is not None),
        "item": float(block.kind == "item"),
        "heading": float(text.is_heading),
        "top_heading": float(text.is_heading and block.level == 1),
        "table": float(block.kind == "table"),
        "code": float(block.kind == "code"),
        "boilerplate_phrase": float(bool(text.boilerplate)),
        "credit": float(is_credit(text.words, text.count)),
    }


def _shares(blocks: Sequence[NumberedBlock], spans: Sequence[Span]) -> list[float]:
    """Return which share of each block the spans cover; the spans are sorted and do not overlap."""
    if not spans:
        return [0.0] * len(blocks)
    starts = [start for start, _ in spans]
    covered = [0, *accumulate(end - start for start, end in spans)]

    def before(place: int) -> int:
        n = bisect_right(starts, place)
        return covered[n] - max(0, spans[n - 1][1] - place) if n else 0

    return [(before(b.end) - before(b.start)) / max(1, b.end - b.start) for b in blocks]


def _add_neighbour_features(
    found: list[dict[str, float]], texts: Sequence[VisibleText], vote: str, shares: Sequence[float]
) -> None:
    """Add how much of what is around each block an extractor keeps, and whether it is inside of that."""
    mean = _Means(texts, shares)
    voted = [n for n, share in enumerate(shares) if share > 0]
    first, last = (voted[0], voted[-1]) if voted else (len(shares), -1)
    for n, features in enumerate(found):
        features[f"{vote}_before"] = mean.of(n - _NEAR, n)
        features[f"{vote}_after"] = mean.of(n + 1, n + 1 + _NEAR)
        features[f"inside_{vote}"] = (1 - shares[n]) if first <= n <= last else 0.0


def _add_place_features(
    found: list[dict[str, float]], texts: Sequence[VisibleText], shares: dict[MarkKind, list[float]]
) -> None:
    votes = [sum(shares[vote][n] for vote in VOTES) / len(VOTES) for n in range(len(texts))]
    most = [max(shares[vote][n] for vote in VOTES) for n in range(len(texts))]
    links, lengths = _Means(texts, [text.linked for text in texts]), [features["length"] for features in found]
    around = _Means(texts, votes)
    kept = [n for n, share in enumerate(most) if share >= 0.5]
    first, last = (kept[0], kept[-1]) if kept else (len(texts), -1)
    for n, features in enumerate(found):
        features["kept_around"] = around.of(n - _WIDE, n + _WIDE + 1)
        features["links_around"] = links.of(n - _NEAR, n + _NEAR + 1)
        near = lengths[max(0, n - 2) : n + 3]
        features["length_around"] = sum(near) / len(near)
        features["before_all_kept"] = float(n <= first)
        features["after_all_kept"] = float(n >= last)


class _Means:
    """Means of a value over neighbours, by their words."""

    def __init__(self, texts: Sequence[VisibleText], values: Sequence[float]) -> None:
        self.weights = [0.0, *accumulate(text.count + 1.0 for text in texts)]
        self.sums = [0.0, *accumulate(v * (text.count + 1.0) for v, text in zip(values, texts, strict=True))]

    def of(self, low: int, high: int) -> float:
        low, high = max(0, low), min(high, len(self.weights) - 1)
        if high <= low:
            return 0.0
        return (self.sums[high] - self.sums[low]) / (self.weights[high] - self.weights[low])


def _headings(texts: Sequence[VisibleText]) -> Iterator[int | None]:
    """Yield for each block the heading above it; for a heading none."""
    last = None
    for n, text in enumerate(texts):
        if text.is_heading:
            last = n
        yield None if text.is_heading else last
