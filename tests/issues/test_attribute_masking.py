"""What an issue is about whatever its attribute values are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autokb.core.domain import read_domain
from autokb.issues.attribute_masking import SHORT_CHARACTERS, masked_text, problem_vectors
from autokb.issues.seeds import cluster
from autokb.llm.embedders.packaged import PackagedEmbedder

SPEC = read_domain(
    {
        "name": "buds",
        "attributes": {
            "os": {"values": ["Android", "iOS", "Windows"], "synonyms": {"iOS": ["iphone"], "Android": ["pixel"]}},
            "link": {"values": ["Radio", "Wire"], "synonyms": {"Radio": ["pair", "pairs", "paired", "pairing"]}},
        },
    }
)


def test_the_names_of_values_go_and_the_verbs_of_the_problem_stay() -> None:
    assert masked_text("Buds won't pair with my iPhone (Windows is fine)", SPEC) == "Buds won't pair with my ( is fine)"
    assert masked_text("Windows iPhone", SPEC) == "Windows iPhone"
    assert masked_text("Nothing to take out", SPEC) == "Nothing to take out"


def test_the_same_problem_on_two_devices_is_one_cluster_and_another_problem_on_the_same_device_is_not() -> None:
    texts = ["Buds not pairing iPhone", "buds wont pair with pixel", "Battery empty too fast on iPhone"]
    embed = PackagedEmbedder().embed
    rows = problem_vectors(texts, SPEC, embed(texts), embed)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    found = cluster(["a", "b", "c"], rows, texts, near=0.5)
    assert found.seed_of["a"] == found.seed_of["b"] != found.seed_of["c"]


def test_only_short_texts_with_attribute_words_are_embedded_again() -> None:
    asked: list[str] = []

    def embed(texts: Sequence[str]) -> Any:
        asked.extend(texts)
        return np.tile([0.0, 1.0], (len(texts), 1))

    texts = ["No sound on Windows", "No sound", "No sound on Windows " + "x" * SHORT_CHARACTERS]
    rows = problem_vectors(texts, SPEC, np.tile([1.0, 0.0], (3, 1)), embed)
    assert asked == ["No sound on"]
    assert np.allclose(rows, [[0.5**0.5, 0.5**0.5], [1, 0], [1, 0]])
