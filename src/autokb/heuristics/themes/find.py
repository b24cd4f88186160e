"""Broad themes over issues: those whose vectors lie together form a theme, named from the words of its issues."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.domain import ENGLISH
from autokb.core.reply import Reply
from autokb.heuristics.grouping import group_by_distance
from autokb.heuristics.themes.naming import name_themes, read_terms
from autokb.heuristics.themes.problem_names import Titles


def nearest_theme(vector: Any, centroids: Any, floor: float, miscellaneous: int | None) -> int:
    """Return the position of the theme of one unit vector."""
    return int(nearest_themes(np.asarray(vector)[None, :], centroids, floor, miscellaneous)[0])


def nearest_themes(vectors: Any, centroids: Any, floor: float, miscellaneous: int | None) -> NDArray[np.int64]:
    """Return the positions of the themes of unit vectors (n, dimensions) by unit centres (themes, dimensions).

    A vector less similar to every centre than ``floor`` (a cosine) gets the miscellaneous theme, which has no centre
    to be near to.
    """
    similarities = np.asarray(vectors, dtype=np.float64) @ np.asarray(centroids, dtype=np.float64).T
    if miscellaneous is not None and len(similarities.T) > 1:
        similarities[:, miscellaneous] = -np.inf
    nearest: NDArray[np.int64] = similarities.argmax(axis=1).astype(np.int64)
    if miscellaneous is not None:
        nearest[similarities.max(axis=1) < floor] = miscellaneous
    return nearest


class FoundTheme(Reply):
    """A theme and the positions of issues that belong to it (all of them offline, good examples from a model)."""

    name: str
    members: tuple[int, ...]
    miscellaneous: bool = False


class FoundThemes(Reply):
    """All themes, the miscellaneous one (if there is one) last."""

    themes: tuple[FoundTheme, ...]


MISCELLANEOUS = "Miscellaneous"
RANDOM_SEED = 17  # any number: the same themes in each build
FEWEST_FOR_CENTRES = 15  # issues; fewer are compared with each other directly
MOST_THEMES = 40  # nobody oversees more
FITTED_ISSUES = 6_000  # that the centres are fitted on; the rest goes to the nearest one
DIMENSIONS = 50  # that vectors are reduced to before they are clustered
SCORED_ISSUES = 1_500  # that a silhouette is measured on: it compares every pair
# Around the square root of half the issues (Mardia's rule of thumb) these multiples are tried.
THEME_COUNT_FACTORS = (0.6, 0.8, 1.0, 1.3)
FAR_DEVIATIONS = 2.5  # standard deviations below the usual similarity to the theme's centre,
FAR_SHARE = 0.8  # and less than this share of it: where all are much alike the least alike is no stranger
FEWEST_MEMBERS = 3  # of a theme among many issues; one or two are rare, no theme
EQUAL_VECTORS = 1e-6  # vectors that differ by no more in any dimension are the same
DIFFERENT_THEMES = 0.7  # cosine distance at which a handful of issues fall into different themes
Floats = NDArray[np.float64]


def find_themes(
    issues: Sequence[str],
    vectors: Any,
    product: str = "",
    language: str = ENGLISH,
    titles: Titles | None = None,
) -> FoundThemes:
    """Group the issues into broad themes; those far from every centre are miscellaneous.

    ``vectors`` has a row for each issue. A theme is named by ``titles``, lines of its issues, where one is fit to name
    it, else by the words that it has more often than others. The words of ``product`` name no theme.
    """
    if not issues:
        return FoundThemes(themes=())
    rows = np.asarray(vectors, dtype=np.float64)
    labels = _without_far_issues(rows, _cluster(rows))
    groups = _members_by_size(labels)
    misc = [int(i) for i in np.flatnonzero(labels < 0)]
    terms = [read_terms(text, language) for text in issues]
    everything = [*groups, *([misc] if misc else [])]
    names = name_themes([[terms[i] for i in group] for group in everything], product, language)
    names[len(groups) :] = [MISCELLANEOUS] if misc else []
    if titles:
        names = titles.rename(names, groups, issues, _unit_rows(rows), product, language)
    themes = [FoundTheme(name=name, members=tuple(group)) for name, group in zip(names, groups, strict=False)]
    if misc:
        themes.append(FoundTheme(name=MISCELLANEOUS, members=tuple(misc), miscellaneous=True))
    return FoundThemes(themes=tuple(themes))


def similarity_floor(similarities: Floats) -> float:
    """Return the cosine to its theme's centre below which an issue is far, by those that issues usually have."""
    usual = float(similarities.mean())
    return min(usual - FAR_DEVIATIONS * float(similarities.std()), usual * FAR_SHARE)


def _members_by_size(labels: NDArray[np.int64]) -> list[list[int]]:
    """Return the positions of each label's issues, the largest group first; negative labels are left out."""
    groups: list[list[int]] = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels[labels >= 0])]
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def _cluster(rows: Floats) -> NDArray[np.int64]:
    from threadpoolctl import threadpool_limits

    if len(rows) == 1:
        return np.zeros(1, dtype=np.int64)
    with threadpool_limits(limits=1):  # several threads add up in another order each time
        if len(rows) < FEWEST_FOR_CENTRES:
            return group_by_distance(_unit_rows(rows), DIFFERENT_THEMES)
        return _cluster_by_centres(rows)


def _cluster_by_centres(rows: Floats) -> NDArray[np.int64]:
    """Return the labels of k-means with the number of centres whose silhouette is best."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import PCA
    from sklearn.metrics import silhouette_score

    if float(np.ptp(rows, axis=0).max()) < EQUAL_VECTORS:
        return np.zeros(len(rows), dtype=np.int64)
    sample = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), FITTED_ISSUES)).astype(int))]
    reduce = PCA(min(DIMENSIONS, len(sample) - 1, rows.shape[1]), svd_solver="full").fit(sample)
    seen, best, best_score = reduce.transform(sample), None, -math.inf
    different = len(np.unique(np.round(seen, 6), axis=0))
    root = math.sqrt(len(rows) / 2)
    counts = {min(MOST_THEMES, different, max(3, round(root * factor))) for factor in THEME_COUNT_FACTORS}
    for count in sorted(counts):
        model = KMeans(count, n_init=3, random_state=RANDOM_SEED).fit(seen)
        if len(set(model.labels_.tolist())) < 2:
            continue
        size = min(len(seen), SCORED_ISSUES)
        score = silhouette_score(seen, model.labels_, sample_size=size, random_state=RANDOM_SEED)
        if score > best_score:
            best, best_score = model, score
    if best is None:
        return np.zeros(len(rows), dtype=np.int64)
    labels: NDArray[np.int64] = best.predict(reduce.transform(rows)).astype(np.int64)
    return labels


def _without_far_issues(rows: Floats, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give -1 to issues far from their theme's centre and, among many issues, to groups of one or two."""
    if len(rows) < FEWEST_FOR_CENTRES:
        return labels
    unit, remaining = _unit_rows(rows), labels.copy()
    similarities = np.zeros(len(rows))
    for label in np.unique(labels):
        members = np.flatnonzero(labels == label)
        centre = _unit_rows(unit[members].mean(axis=0, keepdims=True))[0]
        similarities[members] = unit[members] @ centre
        if len(members) < FEWEST_MEMBERS:
            remaining[members] = -1
    remaining[similarities < similarity_floor(similarities)] = -1
    return remaining if (remaining >= 0).any() else labels


def _unit_rows(rows: Floats) -> Floats:
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: Floats = rows / np.maximum(norms, 1e-12)
    return unit
