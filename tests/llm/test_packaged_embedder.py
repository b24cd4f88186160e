"""The packaged encoder: unit vectors, the same bits whatever the company, and nothing sent anywhere."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from autokb.llm.embedders.packaged import PackagedEmbedder


@pytest.fixture(scope="module")
def embedder() -> PackagedEmbedder:
    return PackagedEmbedder()


def test_vectors_have_length_one_and_alike_texts_are_near(embedder: PackagedEmbedder) -> None:
    vectors = embedder.embed(["my headphones do not connect", "headset pairing fails", "I like pizza"])
    assert vectors.shape == (3, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert vectors[0] @ vectors[1] > 0.5 > 0.3 > vectors[0] @ vectors[2]


def test_a_vector_does_not_depend_on_its_neighbours_or_threads(embedder: PackagedEmbedder) -> None:
    texts = ["one", "a much longer text about kettles that leak when they are cold", "two"]
    together = embedder.embed(texts)
    assert all(np.array_equal(together[n], embedder.embed([text])[0]) for n, text in enumerate(texts))
    assert np.array_equal(together, PackagedEmbedder(threads=1).embed(texts))


@pytest.mark.parametrize("text", ["", "   ", "\x00", "漢字かな交じり文", "a" * 100_000])
def test_odd_texts_have_a_vector(embedder: PackagedEmbedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text])).all()


def test_no_text_gives_no_vector(embedder: PackagedEmbedder) -> None:
    assert embedder.embed([]).shape == (0, 384)


def test_the_runtime_is_told_to_send_nothing() -> None:
    code = (
        "import os\nfrom autokb.llm.embedders.packaged import PackagedEmbedder\n"
        "PackagedEmbedder(1).embed(['x'])\nprint(os.environ['ORT_DISABLE_TELEMETRY'])"
    )
    clean = {k: v for k, v in os.environ.items() if k != "ORT_DISABLE_TELEMETRY"}
    ran = subprocess.run([sys.executable, "-c", code], env=clean, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "1"
