"""Which theme is nearest to a vector."""

from __future__ import annotations

import numpy as np

from autokb.heuristics.themes.find import nearest_themes


def test_the_floor_decides_what_is_miscellaneous() -> None:
    centres = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    vectors = np.array([[0.8, 0.6], [0.6, 0.8], [-0.8, 0.6]])
    assert nearest_themes(vectors, centres, 0.7, 2).tolist() == [0, 1, 2]
    assert nearest_themes(vectors, centres, 0.5, 2).tolist() == [0, 1, 1]
