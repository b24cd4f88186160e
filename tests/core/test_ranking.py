"""Rankings: the best, ties, and refinement by one method after the other."""

from __future__ import annotations

import numpy as np

from autokb.core.nouns import Hit
from autokb.core.ranking import Ranking, best_first, refined

RANKING = Ranking(("a", "b", "c", "d"), np.array([0.5, 0.9, 0.5, 0.1]))


def test_the_best_come_first_and_ties_in_the_order_of_the_ids() -> None:
    assert RANKING.best(3) == (Hit("b", 0.9), Hit("a", 0.5), Hit("c", 0.5))
    assert RANKING.best(2) == (Hit("b", 0.9), Hit("a", 0.5))
    assert [hit.id for hit in RANKING.best(9)] == ["b", "a", "c", "d"]
    assert RANKING.best(0) == ()
    assert best_first(np.zeros(0), 3).tolist() == []


def test_a_ranking_is_refined_in_order_and_stays_as_it_was() -> None:
    def lift_d(ranking: Ranking, query: float) -> Ranking:
        return ranking.plus(np.array([0, 0, 0, query]))

    def double(ranking: Ranking, _query: float) -> Ranking:
        return ranking.plus(ranking.scores)

    assert refined(RANKING, 0.6, (lift_d, double)).by_id() == {"a": 1.0, "b": 1.8, "c": 1.0, "d": 1.4}
    assert refined(RANKING, 0.6, (double, lift_d)).by_id() == {"a": 1.0, "b": 1.8, "c": 1.0, "d": 0.8}
    assert RANKING.by_id() == {"a": 0.5, "b": 0.9, "c": 0.5, "d": 0.1}
