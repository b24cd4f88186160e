"""Themes without a model: issues whose vectors lie together, named from their own words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.tasks.issues.find_themes.naming import name_themes, read_terms
from autokb.tasks.issues.find_themes.reply import FoundTheme, FoundThemes

SEED = 17
FEW = 15  # below so many issues they are compared directly
MOST = 40  # themes; nobody oversees more
LOOKED_AT = 6_000  # issues that the centres are fitted on; the rest goes to the nearest one
FAR = 2.5  # standard deviations below the usual likeness to the own centre,
FAR_SHARE = 0.8  # and less than this share of it: where all are much alike the least alike is no stranger
SAME = 1e-6  # vectors that differ by no more are the same
APART = 0.7  # cosine distance at which a handful of issues fall into different themes
Floats = NDArray[np.float64]


def find_themes(issues: Sequence[str], vectors: Any, product: str = "") -> FoundThemes:
    """Group the issues into broad themes; those far from every centre are miscellaneous.

    The words of ``product`` name no theme.
    """
    if not issues:
        return FoundThemes(themes=())
    rows = np.asarray(vectors, dtype=np.float64)
    labels = _grouped(rows)
    labels = _without_far_ones(rows, labels)
    groups = _by_size(labels)
    misc = [int(i) for i in np.flatnonzero(labels < 0)]
    terms = [read_terms(text) for text in issues]
    names = name_themes([[terms[i] for i in group] for group in (*groups, *([misc] if misc else []))], product)
    themes = [FoundTheme(name=name, members=tuple(group)) for name, group in zip(names, groups, strict=False)]
    if misc:
        name = "Miscellaneous" if names[-1] == "Other questions" else f"Miscellaneous: {names[-1]}"
        themes.append(FoundTheme(name=name, members=tuple(misc), miscellaneous=True))
    return FoundThemes(themes=tuple(themes))


def usual_likeness(similarities: Floats) -> float:
    """Return the similarity to its own centre below which an issue is far from it."""
    usual = float(similarities.mean())
    return min(usual - FAR * float(similarities.std()), usual * FAR_SHARE)


def _by_size(labels: NDArray[np.int64]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for position, label in enumerate(labels.tolist()):
        if label >= 0:
            groups.setdefault(label, []).append(position)
    return sorted(groups.values(), key=lambda group: (-len(group), group[0]))


def _grouped(rows: Floats) -> NDArray[np.int64]:
    from threadpoolctl import threadpool_limits

    if len(rows) == 1:
        return np.zeros(1, dtype=np.int64)
    with threadpool_limits(limits=1):  # several threads add up in another order each time
        return _direct(rows) if len(rows) < FEW else _centred(rows)


def _direct(rows: Floats) -> NDArray[np.int64]:
    from sklearn.cluster import AgglomerativeClustering

    model = AgglomerativeClustering(None, metric="cosine", linkage="average", distance_threshold=APART)
    labels: NDArray[np.int64] = model.fit_predict(_unit(rows)).astype(np.int64)
    return labels


def _centred(rows: Floats) -> NDArray[np.int64]:
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.metrics import silhouette_score

    if float(np.ptp(rows, axis=0).max()) < SAME:
        return np.zeros(len(rows), dtype=np.int64)
    sample = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), LOOKED_AT)).astype(int))]
    dimensions = min(50, len(sample) - 1, rows.shape[1])
    reduce = PCA(dimensions, svd_solver="full").fit(sample)
    seen, best, best_score = reduce.transform(sample), None, -math.inf
    for count in _counts(len(rows), len(np.unique(np.round(seen, 6), axis=0))):
        model = KMeans(count, n_init=3, random_state=SEED).fit(seen)
        if len(set(model.labels_.tolist())) < 2:
            continue
        score = silhouette_score(seen, model.labels_, sample_size=min(len(seen), 1_500), random_state=SEED)
        if score > best_score:
            best, best_score = model, score
    if best is None:
        return np.zeros(len(rows), dtype=np.int64)
    labels: NDArray[np.int64] = best.predict(reduce.transform(rows)).astype(np.int64)
    return labels


def _counts(n: int, different: int) -> list[int]:
    """Return the numbers of themes to try: around the root of half the issues (Mardia's rule of thumb)."""
    root = math.sqrt(n / 2)
    return sorted({min(MOST, different, max(3, round(root * factor))) for factor in (0.6, 0.8, 1.0, 1.3)})


def _without_far_ones(rows: Floats, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give -1 to issues far from their own centre and, among many issues, to groups of one or two."""
    if len(rows) < FEW:
        return labels
    unit, kept = _unit(rows), labels.copy()
    own = np.zeros(len(rows))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        centre = _unit(unit[members].mean(axis=0, keepdims=True))[0]
        own[members] = unit[members] @ centre
        if len(members) < 3:
            kept[members] = -1
    kept[own < usual_likeness(own)] = -1
    return kept if (kept >= 0).any() else labels


def _unit(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = rows / np.maximum(norms, 1e-12)
    return unit
