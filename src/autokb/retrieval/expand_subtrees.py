"""Context-aware retrieval (section 3.3 of the AutoChunker paper): a hit brings the subtree that it is the root of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autokb.core.forest import Forest
from autokb.core.nouns import Chunk, Hit


def expand_subtrees(hits: Sequence[Hit], chunks: Sequence[Chunk], k: int) -> tuple[Hit, ...]:
    """Return the first ``k`` chunks of the hits' subtrees, each with the score of its subtree.

    ``chunks`` are those that were searched, each document's in its order; a hit that is none of them is a KeyError. A
    hit inside another hit's subtree counts for the one it is in. Subtrees come best hit first, their chunks in
    document order. A subtree that has more chunks than there is room left for keeps its hits before what they
    brought. Chunks without text (headings of the tree) take no room.
    """
    scores: dict[str, float] = {}
    for hit in hits:
        scores[hit.id] = max(hit.score, scores.get(hit.id, hit.score))
    found: list[Hit] = []
    for score, members in _subtrees(scores, chunks):
        best = set(sorted(members, key=lambda chunk_id: -scores.get(chunk_id, float("-inf")))[: max(0, k - len(found))])
        found += [Hit(chunk_id, score) for chunk_id in members if chunk_id in best]
    return tuple(found)


# Complex: what is below a hit is ordered, scored and cut down in one look at it.
def _subtrees(scores: Mapping[str, float], chunks: Sequence[Chunk]) -> list[tuple[float, list[str]]]:
    """Return the score and the chunks with text of each subtree that a hit is the root of, the best first."""
    place = {chunk.id: n for n, chunk in enumerate(chunks)}
    documents = {chunks[place[hit_id]].document for hit_id in scores}
    forest = Forest(chunk for chunk in chunks if chunk.document in documents)
    below_no_hit = (hit_id for hit_id in scores if not any(a.id in scores for a in forest.ancestors(hit_id)))
    subtrees = []
    for top in below_no_hit:
        below = sorted(forest.subtree(top), key=lambda chunk: place[chunk.id])
        score = max(scores[chunk.id] for chunk in below if chunk.id in scores)
        subtrees.append((score, [chunk.id for chunk in below if chunk.text.strip()]))
    return sorted(subtrees, key=lambda tree: (-tree[0], [place[chunk_id] for chunk_id in tree[1]]))
