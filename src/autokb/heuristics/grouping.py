"""Things by what they have in common, and rows that are near each other without scikit-learn, which loads a second."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Return the values of each key, both in the order of the pairs."""
    found: dict[Key, list[Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def group_by_distance(rows: NDArray[np.float32] | NDArray[np.float64], apart: float) -> NDArray[np.int64]:
    """Return a label for each row: groups are joined while their rows' mean cosine distance is below ``apart``."""
    from scipy.cluster.hierarchy import fcluster, linkage

    joined = linkage(rows, "average", "cosine")
    labels: NDArray[np.int64] = fcluster(joined, np.nextafter(apart, 0), "distance").astype(np.int64) - 1
    return labels
