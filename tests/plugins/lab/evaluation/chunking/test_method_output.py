"""How long the chunks of a method are."""

from __future__ import annotations

from autokb.core.nouns import Chunk
from autokb.plugins.lab.evaluation.chunking.results import chunk_sizes


def test_sizes_are_the_mean_and_ranks_of_lengths() -> None:
    found = chunk_sizes([Chunk(f"c{n}", "d", "x" * n, ((0, n),)) for n in range(1, 21)]).as_json()
    # 20 lengths from 1 to 20: the 10th, 18th and 19th of them
    assert found == {"mean": 10.5, "p50": 10.0, "p90": 18.0, "p95": 19.0}
    assert chunk_sizes([]).as_json() == {"mean": None, "p50": None, "p90": None, "p95": None}
