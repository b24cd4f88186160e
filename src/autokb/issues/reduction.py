"""Fewer dimensions before clustering: UMAP as the paper does it, or the principal components."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.settings import Reduction

DIMENSIONS = 20  # after the reduction (appendix D of the AutoKB paper)
SEED = 17  # any number: the same issues then always give the same clusters
Floats = NDArray[np.float64]


# Measured (benchmarks/deduplication.py): once members far from their seed leave a cluster, principal components give
# seeds as good as UMAP's (purity on banking77 .89 and .90, on Thunderbird .73 and .67) without its ten
# seconds of compiling, and the same on every processor. So they are the default, and UMAP stays to be chosen.


def reduced(rows: Floats, method: Reduction) -> Floats:
    """Return the rows in at most 20 dimensions, or as they are for ``none``; the same for the same rows."""
    if float(np.ptp(rows, axis=0).max(initial=0.0)) < 1e-6:
        return np.zeros((len(rows), 1))
    if method == "none":
        return rows
    if len(rows) <= DIMENSIONS + 2:
        return principal(rows)  # UMAP's spectral start needs more points than dimensions
    return manifold(rows) if method == "umap" else principal(rows)


def principal(rows: Floats) -> Floats:
    """Return the first principal components."""
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1):
        points: Floats = PCA(min(DIMENSIONS, len(rows) - 1, rows.shape[1]), svd_solver="full").fit_transform(rows)
    return points


def manifold(rows: Floats) -> Floats:
    """Return UMAP's embedding with the paper's parameters (appendix D), seeded and on one thread."""
    points: Any = _make_umap(min(15, len(rows) - 1)).fit_transform(rows)
    return np.asarray(points, dtype=np.float64) if np.isfinite(points).all() else principal(rows)


def _make_umap(neighbours: int) -> Any:
    try:
        import umap
    except ImportError as error:
        raise BadInputError("Clustering with UMAP needs the extra: pip install 'autokb[umap]'.") from error
    return umap.UMAP(
        n_neighbors=neighbours,
        min_dist=0.1,
        n_components=DIMENSIONS,
        metric="euclidean",
        random_state=SEED,
        n_jobs=1,
    )
