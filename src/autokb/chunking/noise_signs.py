"""What can be seen of each paragraph of a page that tells text from page furniture, as numbers from 0 to 1."""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import get_args

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.cutting import Mark, MarkKind
from autokb.chunking.furniture_words import furniture_kind, is_credit, names_section
from autokb.core.nouns import Span
from autokb.text.plain_text import plain_text

KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
VOTES: tuple[MarkKind, ...] = ("kept_by_trafilatura", "kept_by_readability")
LONGEST_HEADING = 40  # words; what is longer is a text somebody marked as a heading
_NEAR, _WIDE = 3, 10
_MOST_LINKS = 0.8
_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[.!?:;。！？…\"”’)]\s*\Z")
_PICTURE = re.compile(r"!\[(?:[^\[\]]|\[[^\[\]]*\])*\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
# Each text can be read in one way only: pictures behind a bracket that is never closed would else be tried in all.
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\](?:\([^()]*\))?)*+)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)?(?: \"[^\"]*\")?\)"
)


@dataclass(frozen=True, slots=True)
class Seen:
    """A paragraph as a reader sees it: its words, and which share of them is links."""

    words: str
    count: int
    linked: float
    is_heading: bool
    furniture: str


def seen(text: str, blocks: Sequence[NumberedBlock]) -> list[Seen]:
    """Return the paragraphs as a reader sees them."""
    return [_seen(text[block.start : block.end], block) for block in blocks]


def words_seen(written: str) -> str:
    """Return what a reader sees of a piece of Markdown, pictures left out whatever stands in their addresses."""
    return plain_text(_PICTURE.sub("", written) if "![" in written else written, images=False)


def _seen(written: str, block: NumberedBlock) -> Seen:
    words = words_seen(written)
    count = len(_WORD.findall(words))
    in_links = 0
    if "](" in written:
        in_links = sum(_length(link.group(1)) for link in _LINK.finditer(written))
    is_heading = block.kind == "heading" and count <= LONGEST_HEADING
    return Seen(words, count, min(1.0, in_links / max(1, len(words))), is_heading, furniture_kind(words, count))


def _length(label: str) -> int:
    """Return the length of a link's words; most have no marks inside, and need no reading of Markdown."""
    return len(words_seen(label)) if "[" in label else len(label.strip("*_` \n"))


def signs(blocks: Sequence[NumberedBlock], looks: Sequence[Seen], marks: Sequence[Mark]) -> list[dict[str, float]]:
    """Return the signs of every paragraph."""
    shares = {kind: _shares(blocks, [(m.start, m.end) for m in marks if m.kind == kind]) for kind in KINDS}
    found = [_own_signs(block, look) for block, look in zip(blocks, looks, strict=True)]
    for n, sign in enumerate(found):
        sign.update({kind: shares[kind][n] for kind in KINDS})
        sign["kept_by_both"] = min(sign[vote] for vote in VOTES)
    for vote in VOTES:
        _add_neighbours(found, looks, vote, shares[vote])
    _add_place(found, looks, shares)
    for sign, heading in zip(found, _headings(looks), strict=True):
        sign["under_furniture"] = float(heading is not None and names_section(looks[heading].furniture))
    return found


def _own_signs(block: NumberedBlock, look: Seen) -> dict[str, float]:
    return {
        "links": look.linked,
        "all_links": float(look.linked > _MOST_LINKS),
        "length": min(math.log1p(look.count), 5) / 5,
        "short": float(look.count <= 3),
        "sentence": float(look.count > 5 and _SENTENCE.search(look.words) is not None),
        "item": float(block.kind == "item"),
        "heading": float(look.is_heading),
        "top_heading": float(look.is_heading and block.level == 1),
        "table": float(block.kind == "table"),
        "code": float(block.kind == "code"),
        "furniture_words": float(bool(look.furniture)),
        "credit": float(is_credit(look.words, look.count)),
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


def _add_neighbours(found: list[dict[str, float]], looks: Sequence[Seen], vote: str, shares: Sequence[float]) -> None:
    """Add how much of what stands around each paragraph an extractor keeps, and whether it stands inside of that."""
    mean = _Means(looks, shares)
    voted = [n for n, share in enumerate(shares) if share > 0]
    first, last = (voted[0], voted[-1]) if voted else (len(shares), -1)
    for n, sign in enumerate(found):
        sign[f"{vote}_before"] = mean.of(n - _NEAR, n)
        sign[f"{vote}_after"] = mean.of(n + 1, n + 1 + _NEAR)
        sign[f"inside_{vote}"] = (1 - shares[n]) if first <= n <= last else 0.0


def _add_place(found: list[dict[str, float]], looks: Sequence[Seen], shares: dict[MarkKind, list[float]]) -> None:
    votes = [sum(shares[vote][n] for vote in VOTES) / len(VOTES) for n in range(len(looks))]
    most = [max(shares[vote][n] for vote in VOTES) for n in range(len(looks))]
    links, lengths = _Means(looks, [look.linked for look in looks]), [sign["length"] for sign in found]
    around = _Means(looks, votes)
    kept = [n for n, share in enumerate(most) if share >= 0.5]
    first, last = (kept[0], kept[-1]) if kept else (len(looks), -1)
    for n, sign in enumerate(found):
        sign["kept_around"] = around.of(n - _WIDE, n + _WIDE + 1)
        sign["links_around"] = links.of(n - _NEAR, n + _NEAR + 1)
        near = lengths[max(0, n - 2) : n + 3]
        sign["length_around"] = sum(near) / len(near)
        sign["before_all_kept"] = float(n <= first)
        sign["after_all_kept"] = float(n >= last)


class _Means:
    """Means of a value over neighbours, by their words."""

    def __init__(self, looks: Sequence[Seen], values: Sequence[float]) -> None:
        self.weights = [0.0, *accumulate(look.count + 1.0 for look in looks)]
        self.sums = [0.0, *accumulate(v * (look.count + 1.0) for v, look in zip(values, looks, strict=True))]

    def of(self, low: int, high: int) -> float:
        low, high = max(0, low), min(high, len(self.weights) - 1)
        if high <= low:
            return 0.0
        return (self.sums[high] - self.sums[low]) / (self.weights[high] - self.weights[low])


def _headings(looks: Sequence[Seen]) -> Iterator[int | None]:
    """Give for each paragraph the heading it stands under; for a heading none."""
    last = None
    for n, look in enumerate(looks):
        if look.is_heading:
            last = n
        yield None if look.is_heading else last
