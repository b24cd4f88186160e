"""What every embedder must do: the packaged one, one behind an endpoint, one from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec

import numpy as np
import pytest

from autokb.app.embedding import open_embedder
from autokb.llm.embedders import Embedder, paid
from stub_server import StubServer
from tiny_encoder import save_tiny_encoder

KINDS = {"packaged": 384, "openai": 16, "local": 32}


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == "local" and find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed: pip install 'autokb[local]'")
    return str(request.param)


@pytest.fixture(scope="module")
def embedder(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Embedder]:
    if kind == "packaged":
        yield open_embedder("packaged")
    elif kind == "local":
        yield open_embedder(f"local:{save_tiny_encoder(tmp_path_factory.mktemp('encoder') / 'tiny')}")
    else:
        with StubServer() as server, pytest.MonkeyPatch.context() as patch:
            patch.setenv("OPENAI_API_KEY", "key-of-a-test")
            yield open_embedder("openai:tiny", server.url)


def test_vectors_are_rows_of_length_one(embedder: Embedder, kind: str) -> None:
    vectors = embedder.embed(["my headphones do not connect", "the kettle leaks", "x"])
    assert embedder.dimensions == KINDS[kind]
    assert vectors.shape == (3, embedder.dimensions) and vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours(embedder: Embedder) -> None:
    texts = [f"issue {n} " + "words " * (n % 7) for n in range(70)]
    together = embedder.embed(texts)
    assert all(np.array_equal(together[n], embedder.embed([texts[n]])[0]) for n in (0, 31, 32, 69))
    assert len(np.unique(together, axis=0)) == 70


@pytest.mark.parametrize("text", ["", "   ", "\x00", "\ud800", "漢字かな交じり文", "a" * 100_000])
def test_odd_texts_have_a_vector(embedder: Embedder, text: str, kind: str) -> None:
    if kind == "packaged" and text == "\ud800":
        pytest.skip("half a character reaches no embedder: what is read is UTF-8")
    assert np.isfinite(embedder.embed([text])).all()


def test_no_text_gives_no_vector(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_its_name_begins_with_its_kind(embedder: Embedder, kind: str) -> None:
    assert embedder.name.startswith(f"{kind}:")


def test_only_an_endpoint_is_paid(embedder: Embedder, kind: str) -> None:
    assert (paid(embedder) is not None) == (kind == "openai")
