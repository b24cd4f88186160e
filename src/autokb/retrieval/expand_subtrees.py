"""Context-aware retrieval (section 3.3 of the AutoChunker paper): a hit brings the subtree that it is the root of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.nouns import Chunk, Hit


@dataclass(frozen=True, slots=True)
class _Subtree:
    """The places of a hit and of all chunks below it, in document order; ``score`` is that of the best hit inside."""

    members: tuple[int, ...]
    score: float


def expand_subtrees(hits: Sequence[Hit], chunks: Sequence[Chunk], k: int) -> tuple[Hit, ...]:
    """Return the first ``k`` chunks of the hits' subtrees, each with the score of its subtree.

    ``chunks`` are those that were searched, each document's in its order; a hit that is none of them is a KeyError. A
    hit inside another hit's subtree counts for the one it is in. Subtrees come best hit first, their chunks in
    document order. A subtree that has more chunks than there is room left for keeps its hits before what they
    brought. Chunks without text (headings of the tree) take no room.
    """
    place = {chunk.id: n for n, chunk in enumerate(chunks)}
    scored: dict[int, float] = {}
    for hit in hits:
        scored[place[hit.id]] = max(hit.score, scored.get(place[hit.id], hit.score))
    ranked = sorted(_subtrees(scored, chunks, place), key=lambda tree: (-tree.score, tree.members))
    found = (Hit(chunks[n].id, tree.score) for tree in _cut(ranked, scored, k) for n in tree.members)
    return tuple(found)


def _subtrees(scored: Mapping[int, float], chunks: Sequence[Chunk], place: Mapping[str, int]) -> Iterator[_Subtree]:
    """Give one subtree for each hit that stands below no other hit."""
    documents = {chunks[n].document for n in scored}
    below: dict[int, list[int]] = {}
    for number, chunk in enumerate(chunks):
        if chunk.document in documents:
            hits = [n for n in _upwards(number, chunks, place) if n in scored]
            for top in hits[-1:]:
                below.setdefault(top, []).append(number)
    for members in below.values():
        score = max(scored[n] for n in members if n in scored)
        yield _Subtree(tuple(n for n in members if chunks[n].text.strip()), score)


def _upwards(number: int, chunks: Sequence[Chunk], place: Mapping[str, int]) -> Iterator[int]:
    """Give a chunk, its parent, and so on; a circle, which no tree has, is gone round once."""
    seen: set[int] = set()
    here: int | None = number
    while here is not None and here not in seen:
        seen.add(here)
        yield here
        here = place.get(chunks[here].parent_id or "")


def _cut(ranked: Sequence[_Subtree], scored: Mapping[int, float], k: int) -> Iterator[_Subtree]:
    room = k
    for tree in ranked:
        by_worth = sorted(tree.members, key=lambda n: (-scored.get(n, float("-inf")), n))
        yield _Subtree(tuple(sorted(by_worth[:room])), tree.score)
        room -= len(tree.members)
        if room <= 0:
            return
