"""Groups of rows that are near each other, without scikit-learn, whose import takes a second."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def group_by_distance(rows: NDArray[np.float32] | NDArray[np.float64], apart: float) -> NDArray[np.int64]:
    """Return a label for each row: groups are joined while their rows' mean cosine distance is below ``apart``."""
    from scipy.cluster.hierarchy import fcluster, linkage

    joined = linkage(rows, "average", "cosine")
    labels: NDArray[np.int64] = fcluster(joined, np.nextafter(apart, 0), "distance").astype(np.int64) - 1
    return labels
