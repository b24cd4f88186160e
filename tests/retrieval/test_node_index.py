"""The cosines of nodes: as exact for each of many as for a few."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from autokb.core.nouns import Issue
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex
from autokb.stores.vector_index import ProjectedIndex

NODES, DIMENSIONS = 3_000, 128


@pytest.fixture(scope="module")
def nodes() -> NodeIndex:
    """Nodes of which every second has two raw issues behind it."""
    rng = np.random.default_rng(5)
    units = rng.normal(size=(2 * NODES, DIMENSIONS)).astype(np.float32)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    issues = [
        Issue(f"i{n:04}", "", None, {}, raw_issues=(f"r{n:04}", f"r{n + 1:04}") if n % 2 == 0 else ())
        for n in range(NODES)
    ]
    raw = {f"r{n:04}": units[NODES + n] for n in range(NODES)}
    return NodeIndex.of(KnowledgeIndex.of(issues, (), {}), units[:NODES], raw)


def test_of_many_nodes_each_has_the_cosine_that_it_has_among_few(nodes: NodeIndex) -> None:
    many = replace(nodes, texts=ProjectedIndex.of(nodes.vectors), raw=ProjectedIndex.of(nodes.raw_vectors))
    question = nodes.raw_vectors[8]
    right, found = nodes.similarities(question), many.similarities(question)
    assert [found[row] for row in range(NODES)] == pytest.approx([right[row] for row in range(NODES)], abs=1e-6)
    assert found.of_all.argmax() == right.of_all.argmax() == 8
    near = found.of_all > -1
    assert 0 < near.sum() < NODES
    assert np.sort(right.of_all)[-10:] == pytest.approx(np.sort(found.of_all)[-10:], abs=1e-6)
