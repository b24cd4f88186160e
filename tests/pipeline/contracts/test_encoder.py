"""What every encoder must do: the packaged embedder, one behind an endpoint, one from a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autokb.core.settings import Settings
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import Encoder, encoder_name
from autokb.pipeline.model_session import ModelOptions, open_session
from autokb.pipeline.stages import Stages, encoder_of
from autokb.stores.workspace import create_workspace
from stub_server import StubServer
from tiny_encoder import save_tiny_encoder

KINDS = {"packaged": 384, "openai": 16, "local": 32}


@dataclass(frozen=True)
class Opened:
    kind: str
    encoder: Encoder
    stages: Stages
    settings: Settings

    def embed(self, *texts: str) -> Vectors:
        return self.stages.embed(list(texts))


@pytest.fixture(scope="module", params=KINDS)
def opened(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    kind, folder = str(request.param), tmp_path_factory.mktemp("encoder")
    if kind == "local" and find_spec("sentence_transformers") is None:
        pytest.skip("sentence-transformers is not installed: pip install 'autokb[local]'")
    with StubServer() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "key-of-a-test")
        name = {"openai": "openai:tiny", "packaged": "packaged"}.get(kind) or f"local:{_saved(folder)}"
        text = f"embedder: {name}\nbase_url: {server.url}\n"
        workspace = create_workspace(folder / "kb", "name: encoders\n", text)
        with workspace.file() as file, open_session(workspace, file, ModelOptions()) as session:
            encoder = encoder_of(workspace.settings, file, session)
            yield Opened(kind, encoder, Stages(file, encoder), workspace.settings)


def _saved(folder: Path) -> Path:
    return save_tiny_encoder(folder / "tiny")


def test_vectors_are_rows_of_length_one(opened: Opened) -> None:
    vectors = opened.embed("my headphones do not connect", "the kettle leaks", "x")
    assert opened.encoder.dimensions == KINDS[opened.kind]
    assert vectors.shape == (3, KINDS[opened.kind]) and vectors.dtype == np.float32
    assert vectors.flags.c_contiguous
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_a_vector_does_not_depend_on_its_neighbours_nor_on_being_kept(opened: Opened) -> None:
    texts = [f"issue {n} " + "words " * (n % 7) for n in range(70)]
    together = opened.embed(*texts)
    assert len(np.unique(together, axis=0)) == 70
    assert np.array_equal(opened.embed(*texts[::-1])[::-1], together)
    for n in (0, 31, 32, 69):
        assert np.array_equal(together[n], opened.encoder.embed_questions([texts[n]])[0])


def test_what_is_kept_is_encoded_once(opened: Opened) -> None:
    opened.embed("kept", "kept", "also kept")
    computed = opened.stages.log.counts["embeddings"].computed
    opened.embed("also kept", "kept")
    assert opened.stages.log.counts["embeddings"].computed == computed
    opened.encoder.embed_questions(["a question"])
    _, missing = opened.stages.file.vectors(opened.encoder.name, ["kept", "a question"], opened.encoder.dimensions)
    assert missing == [1]


@pytest.mark.parametrize("text", ["", "   ", "\x00", "\ud800", "漢字かな交じり文", "a" * 100_000])
def test_odd_texts_have_a_vector(opened: Opened, text: str) -> None:
    if opened.kind == "packaged" and text == "\ud800":
        pytest.skip("half a character reaches no embedder: what is read is UTF-8")
    assert np.isfinite(opened.embed(text)).all()


def test_no_text_gives_no_vector(opened: Opened) -> None:
    assert opened.embed().shape == (0, opened.encoder.dimensions)


def test_its_name_begins_with_its_kind_and_is_known_beforehand(opened: Opened) -> None:
    assert opened.encoder.name.startswith(f"{opened.kind}:")
    assert encoder_name(opened.settings) == opened.encoder.name


def test_only_an_endpoint_costs_anything(opened: Opened) -> None:
    opened.embed("something new")
    rows = opened.stages.file._db.execute("SELECT count(*) FROM request").fetchone()[0]
    assert (rows > 0) == (opened.kind == "openai")
