"""Recall, precision and IoU of retrieved text by its place in the document, character by character.

The definitions are those of Chroma's evaluation of chunking (Smith and Troynikov 2024, "Evaluating Chunking Strategies
for Retrieval"): what a question needs is a set of excerpts, what it got is a list of chunks. An excerpt's character
counts once as found, however often it was retrieved; what was retrieved twice counts twice as retrieved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autokb.core.nouns import Span


@dataclass(frozen=True, slots=True)
class DocumentSpans:
    """Spans of one document: an excerpt that answers a question, or a chunk."""

    document: str
    spans: tuple[Span, ...]

    @property
    def length(self) -> int:
        """Characters of all its spans."""
        return sum(end - start for start, end in self.spans)


@dataclass(frozen=True, slots=True)
class TokenScores:
    """What of the excerpts was found, what of the retrieved text they are, and both in one number."""

    recall: float
    precision: float
    iou: float


def token_scores(retrieved: Sequence[DocumentSpans], excerpts: Sequence[DocumentSpans]) -> TokenScores:
    """Score what was retrieved for one question that needs the excerpts (at least one character of them)."""
    needed = _join_by_document(excerpts)
    total = sum(end - start for spans in needed.values() for start, end in spans)
    if not total:
        raise ValueError("a question needs at least one character of an excerpt")
    found = _count_shared(_join_by_document(retrieved), needed)
    got = sum(place.length for place in retrieved)
    return TokenScores(found / total, found / got if got else 0.0, found / (got + total - found))


def precision_omega(chunks: Iterable[DocumentSpans], excerpts: Sequence[DocumentSpans]) -> float:
    """Return the precision if exactly the chunks with a part of an excerpt were retrieved: the best the cuts allow."""
    needed = _join_by_document(excerpts)
    holding = [chunk for chunk in chunks if _count_shared(_join_by_document([chunk]), needed)]
    return token_scores(holding, excerpts).precision


def _join_by_document(places: Iterable[DocumentSpans]) -> dict[str, list[Span]]:
    """Return the spans of each document in order, joined where they overlap."""
    by_document: dict[str, list[Span]] = {}
    for place in places:
        by_document.setdefault(place.document, []).extend(place.spans)
    return {document: _join_overlapping(sorted(spans)) for document, spans in by_document.items()}


def _join_overlapping(spans: Iterable[Span]) -> list[Span]:
    found: list[Span] = []
    for start, end in spans:
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _count_shared(one: dict[str, list[Span]], other: dict[str, list[Span]]) -> int:
    return sum(_count_overlap(spans, other[document]) for document, spans in one.items() if document in other)


def _count_overlap(one: Sequence[Span], other: Sequence[Span]) -> int:
    """Return how many characters two sorted lists of spans share; inside a list no two overlap."""
    total = first = second = 0
    while first < len(one) and second < len(other):
        total += max(0, min(one[first][1], other[second][1]) - max(one[first][0], other[second][0]))
        if one[first][1] <= other[second][1]:
            first += 1
        else:
            second += 1
    return total
