"""Which sections of the documents a model is shown for a tree: whole ones, the nearest to its nodes first."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from autokb.core.nouns import Document
from autokb.issues.excerpts import EXCERPT, excerpt_span

# Characters; chosen on Thunderbird's tuning part by what share of the needed sections they bring for their tokens.
FURTHER = 2_500  # of a section after the nearest one, which is shown up to EXCERPT
MOST_CHARACTERS = 11_000  # of all sections for one node
MOST_OF_TREE = 40_000  # of all sections for the nodes of a tree; one with nine nodes has 26,000 on average
BEHIND = 0.25  # how much less similar than the nearest a section may be, in cosine
LOOKED_AT = 80  # windows a node; what is farther back fits nowhere any more


@dataclass(frozen=True, slots=True)
class DocumentSpan:
    """Part of a document."""

    document: str
    start: int
    end: int

    def meets(self, other: DocumentSpan) -> bool:
        """Return whether the two overlap or touch."""
        return self.document == other.document and self.start <= other.end and other.start <= self.end


def choose_sections(
    windows: Iterable[tuple[DocumentSpan, float]], documents: Mapping[str, Document]
) -> list[DocumentSpan]:
    """Return the sections around windows, which come nearest first with their similarity to a node.

    The section of the nearest window is read as the offline path reads it, up to 8,000 characters; of the others parts
    that do not hang on the window, so that the nodes of a tree share them. One that does not fit any more gives way to
    a shorter one that is less near.
    """
    found: list[DocumentSpan] = []
    characters, nearest = 0, 0.0
    for window, similarity in windows:
        if found and similarity < nearest - BEHIND:
            break
        middle = (window.start + window.end) // 2
        if any(one.document == window.document and one.start <= middle < one.end for one in found):
            continue
        most = FURTHER if found else EXCERPT
        span = excerpt_span(documents[window.document].text, window.start, window.end, most)
        length = span[1] - span[0]
        if found and characters + length > MOST_CHARACTERS:
            continue
        if not found:
            nearest = similarity
        characters += length
        found.append(DocumentSpan(window.document, *span))
    return found


def merge_sections(of_nodes: Iterable[Sequence[DocumentSpan]], most: int = MOST_OF_TREE) -> list[DocumentSpan]:
    """Return the sections that the nodes of a tree have together, each place once: first what is nearest to each node.

    What ``most`` characters have no room for is left out.
    """
    merged: list[DocumentSpan] = []
    by_rank = zip_longest(*of_nodes)
    for span in (span for rank in by_rank for span in rank if span is not None):
        wider = _with_span(merged, span)
        if not merged or sum(one.end - one.start for one in wider) <= most:
            merged = wider
    return merged


def _with_span(apart: Sequence[DocumentSpan], span: DocumentSpan) -> list[DocumentSpan]:
    """Return spans that are apart with one more, joined with those that it meets in the place of the first of these."""
    met = [other for other in apart if other.meets(span)]
    if not met:
        return [*apart, span]
    joined = DocumentSpan(
        span.document, min(span.start, *(one.start for one in met)), max(span.end, *(one.end for one in met))
    )
    return [joined if one is met[0] else one for one in apart if one is met[0] or one not in met]
