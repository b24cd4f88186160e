"""The theme of an issue: the nearest centre, or the miscellaneous theme when all centres are far."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


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
