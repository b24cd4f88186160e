"""The edges of the graph: those that the source states, and those between tickets whose titles are alike."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.tickets import SIMILAR_TO, Edge, Ticket, in_order
from autokb.core.vectors import Vectors

MOST_SIMILAR = 5  # edges of a ticket to those whose titles are nearest
FEWEST_LINKS = 30  # linked pairs; fewer cannot choose a threshold
KEPT = 0.9  # of the linked pairs among each other's nearest must stay above the threshold
CHANCE = 0.995  # of unrelated pairs must lie below it
# Cosine below which no titles are similar, for a handful of tickets cannot tell chance; of the 3,197 Titanium tickets
# one pair in two hundred reaches .51 by chance.
LEAST = 0.3
SAMPLE = 1_500  # titles whose pairs say how alike titles are by chance
COMPARED_AT_ONCE = 2_000  # rows: the table of all pairs of many tickets would not fit into memory


@dataclass(frozen=True, slots=True)
class SimilarityThreshold:
    """From which cosine of their titles two tickets are similar, and what it was chosen from."""

    value: float
    reason: str


def explicit_edges(tickets: Iterable[Ticket]) -> list[Edge]:
    """Return what the tickets say of each other, once a pair and type, in order.

    An inward link of one ticket is the outward link of the other. A target that is not among the tickets dangles.
    """
    tickets = list(tickets)
    known = {ticket.id for ticket in tickets}
    found = set()
    for ticket in tickets:
        for link in ticket.links:
            source, target = (link.target, ticket.id) if link.inward else (ticket.id, link.target)
            found.add(Edge(source, link.type, target, dangling=not {source, target} <= known))
    return in_order(found)


def linked_pairs(edges: Iterable[Edge]) -> set[tuple[str, str]]:
    """Return the pairs of tickets that the source links, each in the order of their ids."""
    pairs = ((e.source, e.target) for e in edges if e.origin == "source" and not e.dangling and e.source != e.target)
    return {(min(pair), max(pair)) for pair in pairs}


# Complex: each way to end with less evidence has its own sentence.
def choose_threshold(ids: Sequence[str], titles: Vectors, edges: Iterable[Edge]) -> SimilarityThreshold:
    """Choose from which cosine two titles are similar; row n of ``titles`` is that of ticket n.

    Of the pairs that the source links and that are among each other's nearest titles, nine in ten stay above it; and it
    is never below what one in two hundred unrelated pairs reach by chance. With fewer than 30 such pairs chance alone
    decides.
    """
    chance = _similarity_by_chance(titles)
    row = {ticket: n for n, ticket in enumerate(ids)}
    pairs = [(row[a], row[b]) for a, b in sorted(linked_pairs(edges)) if a in row and b in row]
    if not pairs:
        return SimilarityThreshold(round(chance, 4), "no ticket links to another: chosen by chance pairs alone")
    near = _nearest(titles, MOST_SIMILAR, rows=sorted({n for pair in pairs for n in pair}))
    cosines = [float(titles[a] @ titles[b]) for a, b in pairs if b in near[a] or a in near[b]]
    if len(cosines) < FEWEST_LINKS:
        reason = f"only {len(cosines)} linked pairs have near titles, fewer than {FEWEST_LINKS}: chosen by chance pairs"
        return SimilarityThreshold(round(chance, 4), reason)
    value = max(chance, float(np.quantile(cosines, 1 - KEPT)))
    reason = f"chosen on {len(cosines)} linked pairs of {len(pairs)} whose titles are near each other"
    return SimilarityThreshold(round(value, 4), reason)


def similar_edges(
    ids: Sequence[str], titles: Vectors, threshold: float, rows: Sequence[int] | None = None
) -> list[Edge]:
    """Return edges to the nearest others whose titles reach the threshold, in order: of each ticket or of some rows."""
    found = []
    for row, nearest in _nearest(titles, MOST_SIMILAR, range(len(ids)) if rows is None else rows).items():
        for other, cosine in nearest.items():
            if cosine >= threshold:
                found.append(Edge(ids[row], SIMILAR_TO, ids[other], "similarity", score=cosine))
    return in_order(found)


# Complex: which tickets are compared again follows from three sets that depend on each other.
def update_similar(
    before: Iterable[Edge], ids: Sequence[str], titles: Vectors, changed: Collection[str], threshold: float
) -> list[Edge]:
    """Return what ``similar_edges`` gives after some tickets changed, came or went; only their neighbours are compared.

    ``before`` are the edges between the tickets as they were; ``changed`` are those that are new or have another title.
    """
    row = {ticket: n for n, ticket in enumerate(ids)}
    kept: dict[str, list[Edge]] = {}
    for edge in before:
        kept.setdefault(edge.source, []).append(edge)
    # Whoever lost a neighbour looks for another; whom a changed ticket is nearer to than the last of its own takes it.
    stale = {t for t, edges in kept.items() if any(e.target not in row or e.target in changed for e in edges)}
    stale |= _tickets_gaining_a_neighbour(changed, kept, ids, titles, threshold)
    again = sorted({row[t] for t in stale | set(changed) if t in row})
    compared = set(again)
    others = [e for t, edges in kept.items() if t in row and row[t] not in compared for e in edges]
    return in_order([*others, *similar_edges(ids, titles, threshold, again)])


def _tickets_gaining_a_neighbour(
    changed: Collection[str], kept: Mapping[str, list[Edge]], ids: Sequence[str], titles: Vectors, threshold: float
) -> set[str]:
    """Return the tickets to which a changed one is nearer than the last of the neighbours that they may have."""
    changed_rows = [n for n, ticket in enumerate(ids) if ticket in changed]
    if not changed_rows:
        return set()
    nearest = (titles @ titles[changed_rows].T).max(axis=1)
    lowest_kept = {t: min(e.score for e in edges) for t, edges in kept.items() if len(edges) >= MOST_SIMILAR}
    cutoff = np.array([lowest_kept.get(ticket, threshold) for ticket in ids])
    return {ids[n] for n in np.flatnonzero(np.round(nearest, 6) >= cutoff).tolist()}  # rounded as the kept scores are


def _nearest(titles: Vectors, most: int, rows: Sequence[int]) -> dict[int, dict[int, float]]:
    """Return for each of the rows its nearest other rows with their cosines, nearest first; the first of equals."""
    found: dict[int, dict[int, float]] = {}
    rows = list(rows)
    for start in range(0, len(rows), COMPARED_AT_ONCE):
        part = rows[start : start + COMPARED_AT_ONCE]
        cosines = np.round(titles[part] @ titles.T, 6)
        cosines[np.arange(len(part)), part] = -np.inf
        count = min(most, cosines.shape[1] - 1)
        if count <= 0:
            found.update((row, {}) for row in part)
            continue
        # Of equal cosines the first rows count, so that a ticket that comes changes only what it is near to.
        floor = -np.partition(-cosines, count - 1, axis=1)[:, count - 1]
        for row, line, lowest in zip(part, cosines, floor, strict=True):
            near = np.flatnonzero(line >= lowest)
            near = near[np.argsort(-line[near], kind="stable")][:count]
            found[row] = {int(n): float(line[n]) for n in near}
    return found


def _similarity_by_chance(titles: Vectors) -> float:
    if len(titles) < 2:
        return 1.0
    sample = titles[np.unique(np.linspace(0, len(titles) - 1, min(len(titles), SAMPLE)).astype(int))]
    pairs: NDArray[np.float32] = (sample @ sample.T)[np.triu_indices(len(sample), 1)]
    return max(LEAST, float(np.quantile(pairs, CHANCE)))
