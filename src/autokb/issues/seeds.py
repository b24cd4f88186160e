"""Inside each theme near duplicates become one cluster, and the member nearest to its centre represents it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.ids import short_id
from autokb.core.settings import Reduction
from autokb.heuristics.grouping import group_by_distance, grouped
from autokb.issues.reduction import reduced
from autokb.issues.same_problem import USUAL_NEAR

FEWEST_REDUCED = 15  # below so many issues UMAP to 20 dimensions cannot work: they are compared directly
SMALLEST_CLUSTER = 5  # members of a cluster for HDBSCAN (appendix D of the paper)
COMPARED_AT_ONCE = 4_000  # issues compared with each other at once: the table of their distances must fit into memory
FAR_DEVIATIONS = 3.5  # deviations below the usual similarity to the documents
ALONE_REASON = "outlier: no other issue of its theme is near enough, so it is a seed of its own"
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Clusters:
    """Which raw issue represents which; ``alone`` says why a seed represents only itself."""

    seed_of: Mapping[str, str] = field(default_factory=dict)
    alone: Mapping[str, str] = field(default_factory=dict)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The raw issues that are seeds, in order of their ids."""
        return tuple(sorted(set(self.seed_of.values())))

    def members(self) -> dict[str, tuple[str, ...]]:
        """Return for each seed its raw issues in order of their ids."""
        groups = grouped((seed, raw) for raw, seed in sorted(self.seed_of.items()))
        return {seed: tuple(members) for seed, members in sorted(groups.items())}


def seed_id(raw_issue: str) -> str:
    """Return the id of the seed that this raw issue is."""
    return short_id("seed", raw_issue)


def far_from_documents(cosines: Any) -> NDArray[np.bool_]:
    """Return which raw issues no document is near to, from each one's cosine to the document nearest to it.

    Careful on purpose: what lies far below the usual similarity, measured by the spread around the middle so that a few
    off-topic issues cannot move it. Among fewer than 15 issues nothing is usual and nothing is far.
    """
    similarity = np.asarray(cosines, dtype=np.float64)
    if len(similarity) < FEWEST_REDUCED:
        return np.zeros(len(similarity), dtype=bool)
    low, middle = np.quantile(similarity, [0.16, 0.5])
    far: NDArray[np.bool_] = similarity < middle - FAR_DEVIATIONS * (middle - low)
    return far


def cluster(
    ids: Sequence[str], vectors: Any, texts: Sequence[str], near: float = USUAL_NEAR, reduction: Reduction = "pca"
) -> Clusters:
    """Cluster the raw issues of one theme; every one of them gets a seed, and a reason where it is its own alone."""
    order = sorted(range(len(ids)), key=lambda i: ids[i])
    names = [ids[i] for i in order]
    rows = np.asarray(vectors, dtype=np.float64)[order] if order else np.zeros((0, 0))
    first = _find_first_of_same([texts[i] for i in order])
    kept = np.array(sorted(set(first)), dtype=np.int64)
    seeds = np.full(len(names), -1, dtype=np.int64)
    if len(kept):
        weights = np.bincount(first, minlength=len(names))[kept]
        seeds[kept] = kept[_choose_seeds(rows[kept], weights, near, reduction)]
    seed_of = {name: names[seeds[f]] for name, f in zip(names, first, strict=True)}
    return Clusters(seed_of, _explain_alone(seed_of))


def join(clusters: Clusters, vectors: Mapping[str, Any], new: Iterable[str], near: float = USUAL_NEAR) -> Clusters:
    """Let new raw issues of a theme join the nearest seed's cluster if near enough, else be a seed of their own.

    What is there stays as it is. ``vectors`` holds the seeds' and the new issues' unit vectors by raw issue id.
    """
    seed_of = dict(clusters.seed_of)
    seeds = list(clusters.seeds)
    for raw in sorted(set(new) - set(seed_of)):
        seed_of[raw] = raw
        if seeds:
            similarity = np.array([vectors[seed] for seed in seeds], dtype=np.float64) @ np.asarray(vectors[raw])
            if similarity.max() >= near:
                seed_of[raw] = seeds[int(similarity.argmax())]
        if seed_of[raw] == raw:
            seeds.append(raw)
    return Clusters(seed_of, _explain_alone(seed_of))


def leave(clusters: Clusters, vectors: Mapping[str, Any], gone: Iterable[str]) -> Clusters:
    """Take raw issues out; a cluster that loses its seed is led by the member now nearest to its centre."""
    out = set(gone)
    seed_of: dict[str, str] = {}
    for seed, members in clusters.members().items():
        rest = [member for member in members if member not in out]
        if not rest:
            continue
        leader = seed
        if seed in out:
            rows = np.array([vectors[member] for member in rest], dtype=np.float64)
            leader = rest[_find_central(rows, np.ones(len(rest)))]
        seed_of.update(dict.fromkeys(rest, leader))
    return Clusters(seed_of, _explain_alone(seed_of))


def _explain_alone(seed_of: Mapping[str, str]) -> dict[str, str]:
    return {seed: ALONE_REASON for seed, size in sorted(Counter(seed_of.values()).items()) if size == 1}


def _find_first_of_same(texts: Sequence[str]) -> NDArray[np.int64]:
    """Return for each text the position of the first that says the same but for case, spaces and punctuation."""
    seen: dict[str, int] = {}
    keys = ["".join(c for c in text.casefold() if c.isalnum()) or text for text in texts]
    return np.array([seen.setdefault(key, position) for position, key in enumerate(keys)], dtype=np.int64)


def _choose_seeds(rows: Floats, weights: NDArray[np.int64], near: float, reduction: Reduction) -> NDArray[np.int64]:
    """Return for each row the row of its seed: dense groups first, near ones join, the rest compared directly."""
    seeds = np.full(len(rows), -1, dtype=np.int64)
    labels = _find_dense_groups(rows, reduction)
    for label in range(int(labels.max(initial=-1)) + 1):
        members = np.flatnonzero(labels == label)
        seed = members[_find_central(rows[members], weights[members])]
        # In a forum's long messages a dense region is often a topic, not one problem: who is far from the seed leaves.
        close = members[rows[members] @ rows[seed] >= near]
        if len(close) > 1:
            seeds[close] = seed
    _join_chosen(rows, seeds, near)
    while (left := np.flatnonzero(seeds < 0)).size:
        _join_each_other(rows, seeds, weights, near, left[:COMPARED_AT_ONCE])
        _join_chosen(rows, seeds, near)
    return seeds


def _find_dense_groups(rows: Floats, reduction: Reduction) -> NDArray[np.int64]:
    if len(rows) < FEWEST_REDUCED:
        return np.full(len(rows), -1, dtype=np.int64)
    from sklearn.cluster import HDBSCAN

    points = reduced(rows, reduction)
    labels: NDArray[np.int64] = HDBSCAN(min_cluster_size=SMALLEST_CLUSTER, metric="euclidean", copy=True).fit_predict(
        points
    )
    return labels


def _join_chosen(rows: Floats, seeds: NDArray[np.int64], near: float) -> None:
    chosen = np.unique(seeds[seeds >= 0])
    left = np.flatnonzero(seeds < 0)
    if len(chosen) and len(left):
        similarity = rows[left] @ rows[chosen].T
        near_enough = similarity.max(axis=1) >= near
        seeds[left[near_enough]] = chosen[similarity.argmax(axis=1)[near_enough]]


def _join_each_other(
    rows: Floats, seeds: NDArray[np.int64], weights: NDArray[np.int64], near: float, left: NDArray[np.int64]
) -> None:
    if len(left) < 2:
        seeds[left] = left
        return
    labels = group_by_distance(rows[left], 1 - near)
    for label in range(int(labels.max()) + 1):
        members = left[labels == label]
        seeds[members] = members[_find_central(rows[members], weights[members])]


def _find_central(rows: Floats, weights: Any) -> int:
    """Return the row nearest to the centre; the first of equals."""
    centre = np.average(rows, axis=0, weights=weights)
    return int(np.round(rows @ centre, 9).argmax())
