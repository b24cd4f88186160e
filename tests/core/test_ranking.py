"""Rankings: the best, ties, and a better ranking that leaves the first as it was."""

from __future__ import annotations

import numpy as np

from autokb.core.nouns import Hit
from autokb.core.ranking import Ranking, best_first

RANKING = Ranking(("a", "b", "c", "d"), np.array([0.5, 0.9, 0.5, 0.1]))


def test_the_best_come_first_and_ties_in_the_order_of_the_ids() -> None:
    assert RANKING.best(3) == (Hit("b", 0.9), Hit("a", 0.5), Hit("c", 0.5))
    assert RANKING.best(2) == (Hit("b", 0.9), Hit("a", 0.5))
    assert [hit.id for hit in RANKING.best(9)] == ["b", "a", "c", "d"]
    assert RANKING.best(0) == ()
    assert best_first(np.zeros(0), 3).tolist() == []


def test_each_score_is_found_by_its_id() -> None:
    assert RANKING.by_id() == {"a": 0.5, "b": 0.9, "c": 0.5, "d": 0.1}
