"""Ways to find the nearest of many vectors: how long each takes to make and to ask, and what of the nearest it finds.

``python -m benchmarks.vector_search [--rows N] [--graph]``: the rows are pairs of real questions, by a stand-in for the
encoder (``growth.py``), what is asked are other questions by the encoder itself. A graph takes minutes to make.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator

import numpy as np

from autokb.core.vectors import Vectors
from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.stores.vector_index import ExactIndex, GraphIndex, ProjectedIndex, VectorIndex
from benchmarks import growth, scale_data

QUESTIONS, WORDS, AT_ONCE, NEAREST = 100, 12, 2_000, 10


def main() -> None:
    """Make each index, ask it, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=250_000)
    parser.add_argument("--graph", action="store_true", help="a graph of usearch, too")
    options = parser.parse_args()
    vectors = np.concatenate(list(_rows(options.rows)))
    asked = PackagedEmbedder().embed(scale_data.questions(WORDS, QUESTIONS))
    makers: dict[str, Callable[[Vectors], VectorIndex]] = {"exact": ExactIndex, "projected": ProjectedIndex.of}
    if options.graph:
        makers["graph"] = GraphIndex.of
    right = [_best(vectors @ vector) for vector in asked]
    for name, make in makers.items():
        started = time.process_time()
        index = make(vectors)
        making = time.process_time() - started
        seconds, found = [], []
        for vector in asked:
            started = time.process_time()
            scores = index.scores(vector)
            seconds.append(time.process_time() - started)
            found.append(_best(scores))
        first = np.mean([one[0] == other[0] for one, other in zip(found, right, strict=True)])
        ten = np.mean([len({*one} & {*other}) / NEAREST for one, other in zip(found, right, strict=True)])
        print(
            f"{name}, {len(vectors):,} rows: made in {making:.1f} s of a processor, asked in "
            f"{np.median(seconds) * 1000:.1f} ms; first {first:.3f}, of {NEAREST} {ten:.3f}",
            flush=True,
        )


def _rows(count: int) -> Iterator[Vectors]:
    embedder = growth.StandInEmbedder(growth.piece_vectors())
    rng, pool = random.Random(growth.SEED), scale_data.question_sentences()
    for start in range(0, count, AT_ONCE):
        texts = [f"{rng.choice(pool)} {rng.choice(pool)}" for _ in range(min(AT_ONCE, count - start))]
        yield embedder.embed(texts)


def _best(scores: Vectors) -> list[int]:
    return [int(n) for n in np.argsort(-scores, kind="stable")[:NEAREST]]


if __name__ == "__main__":
    main()
