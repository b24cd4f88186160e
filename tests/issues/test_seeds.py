"""Clusters of near duplicates and their seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from autokb.issues.reduction import manifold, reduced
from autokb.issues.same_problem import USUAL_NEAR, similarity_threshold
from autokb.issues.seeds import (
    ALONE_REASON,
    Clusters,
    cluster,
    far_from_documents,
    join,
    leave,
    seed_id,
)


def unit(rows: Any) -> Any:
    rows = np.asarray(rows, dtype=np.float64)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def groups(count: int, size: int, noise: float = 0.04, dimensions: int = 48) -> Any:
    random = np.random.default_rng(11)
    centres = np.linalg.qr(random.normal(size=(dimensions, dimensions)))[0][:count]
    return unit(np.repeat(centres, size, axis=0) + noise * random.normal(size=(count * size, dimensions)))


def names(count: int) -> list[str]:
    return [f"r{n:04d}" for n in range(count)]


def test_clear_groups_become_clusters_led_by_their_most_central_member() -> None:
    rows = groups(4, 12)
    clusters = cluster(names(48), rows, names(48))
    members = clusters.members()
    assert sorted(members.values()) == [tuple(names(48)[n : n + 12]) for n in (0, 12, 24, 36)]
    for seed, group in members.items():
        at = [int(m[1:]) for m in group]
        likeness = rows[at] @ rows[at].mean(axis=0)
        assert seed == group[int(likeness.argmax())]
    assert clusters.alone == {}


def test_every_raw_issue_has_a_seed_and_a_lonely_one_says_why() -> None:
    rows = np.vstack([groups(3, 10), unit(np.random.default_rng(2).normal(size=(5, 48)))])
    clusters = cluster(names(35), rows, names(35))
    assert sorted(clusters.seed_of) == names(35)
    assert set(clusters.seed_of.values()) == set(clusters.seeds)
    for stranger in names(35)[30:]:
        assert clusters.seed_of[stranger] == stranger
        assert clusters.alone[stranger] == ALONE_REASON


@pytest.mark.parametrize("reduction", ["pca", "umap"])
@pytest.mark.parametrize("count", [0, 1, 2, 4, 5, 14, 15, 20, 21, 22])
def test_groups_too_small_for_umap_are_clustered_all_the_same(count: int, reduction: Any) -> None:
    rows = unit(np.random.default_rng(count).normal(size=(count, 32))) if count else np.zeros((0, 32))
    clusters = cluster(names(count), rows, names(count), reduction=reduction)
    assert sorted(clusters.seed_of) == names(count)


@pytest.mark.parametrize("reduction", ["pca", "umap"])
def test_identical_vectors_are_one_cluster(reduction: Any) -> None:
    rows = np.tile(np.eye(32)[0], (40, 1))
    assert len(cluster(names(40), rows, names(40), reduction=reduction).seeds) == 1


def test_texts_that_say_the_same_collapse_whatever_their_vectors() -> None:
    texts = ["Cannot log in!", "cannot  log in", "Screen is black"]
    clusters = cluster(["a", "b", "c"], np.eye(3), texts)
    assert clusters.seed_of == {"a": "a", "b": "a", "c": "c"}


def test_small_themes_are_compared_directly() -> None:
    rows = unit([[1, 0.1, 0], [1, 0, 0], [1, -0.1, 0], [0, 0, 1]])
    clusters = cluster(["a", "b", "c", "d"], rows, ["w", "x", "y", "z"])
    assert clusters.seed_of == {"a": "b", "b": "b", "c": "b", "d": "d"}


def test_the_order_of_the_issues_changes_nothing() -> None:
    rows = groups(5, 9, noise=0.12)
    ids = names(45)
    turned = np.random.default_rng(4).permutation(45)
    one = cluster(ids, rows, ids)
    other = cluster([ids[n] for n in turned], rows[turned], [ids[n] for n in turned])
    assert one == other


@pytest.mark.slow
def test_umap_finds_the_same_clear_groups() -> None:
    pytest.importorskip("umap", reason="UMAP is an extra")
    rows = groups(3, 20)
    assert len(cluster(names(60), rows, names(60), reduction="umap").seeds) == 3
    assert manifold(rows).shape == (60, 20)
    assert np.array_equal(reduced(rows, "umap"), reduced(rows, "umap"))


def test_a_dense_region_is_no_cluster_when_its_members_are_not_alike() -> None:
    random = np.random.default_rng(8)
    region = np.eye(64)[0] + 0.3 * random.normal(size=(40, 64))  # all on one side, yet far from each other
    clusters = cluster(names(40), unit(region), names(40), near=0.6)
    for seed, members in clusters.members().items():
        at, centre = [int(m[1:]) for m in members], int(seed[1:])
        assert min(unit(region)[at] @ unit(region)[centre]) > 0.3
    assert len(clusters.seeds) > 20


def test_nearness_is_learnt_from_the_pairs_and_bounded() -> None:
    random = np.random.default_rng(0)
    rows = unit(random.normal(size=(400, 64)) + 3 * np.eye(64)[0])
    pairs = (rows @ rows.T)[np.triu_indices(400, 1)]
    low, middle = np.quantile(pairs, [0.16, 0.5])
    assert similarity_threshold(rows) == pytest.approx(min(0.8, max(0.45, middle + 2 * (middle - low))), abs=1e-4)
    assert similarity_threshold(rows[:10]) == USUAL_NEAR
    assert similarity_threshold(np.tile(rows[:1], (50, 1))) == 0.8


def test_a_new_issue_joins_the_nearest_seed_or_stays_alone() -> None:
    before = Clusters({"a": "a", "b": "a", "c": "c"}, {"c": ALONE_REASON})
    vectors = {"a": [1.0, 0, 0], "c": [0, 1.0, 0], "n1": [0.9, 0.436, 0], "n2": [0, 0, 1.0], "n3": [0, 0.1, 0.995]}
    after = join(before, vectors, ["n3", "n2", "n1"])
    assert after.seed_of == {"a": "a", "b": "a", "c": "c", "n1": "a", "n2": "n2", "n3": "n2"}
    assert after.alone == {"c": ALONE_REASON}
    assert before.seed_of == {"a": "a", "b": "a", "c": "c"}


def test_a_cluster_outlives_its_members_and_only_a_lost_seed_is_replaced() -> None:
    before = Clusters({"a": "b", "b": "b", "c": "b", "d": "b", "e": "e"}, {"e": ALONE_REASON})
    vectors = {"a": [1.0, 0.0], "c": [0.98, 0.2], "d": [0.9, 0.436]}
    assert leave(before, vectors, ["a", "e"]).seed_of == {"b": "b", "c": "b", "d": "b"}
    assert leave(before, vectors, ["b"]).seed_of == {"a": "c", "c": "c", "d": "c", "e": "e"}
    assert leave(before, vectors, "abcde") == Clusters()
    assert leave(before, vectors, "abc").alone == {"d": ALONE_REASON, "e": ALONE_REASON}


def test_only_what_lies_far_below_the_usual_is_far_from_documents() -> None:
    usual = np.linspace(0.5, 0.7, 100)
    likeness = np.append(usual, [0.1, 0.45])
    mask = far_from_documents(likeness)
    assert mask[100]
    assert not mask[101]
    assert not mask[:100].any()
    assert not far_from_documents([0.9, 0.0, 0.1]).any()


def test_a_seed_id_is_made_from_its_raw_issue() -> None:
    assert seed_id("r1") == seed_id("r1") != seed_id("r2")
    assert seed_id("r1").startswith("seed-")
