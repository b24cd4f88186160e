"""Which embedder the settings name, and vectors that are worked out, kept and counted batch by batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from autokb.app.embedding import (
    EmbedderName,
    check_settings,
    embed_batches,
    embedder_of,
    keep_batch,
    learn_dimensions,
    open_embedder,
    read_embedder_name,
)
from autokb.core.errors import BadInputError
from autokb.core.settings import Settings
from autokb.llm.embedders import paid
from autokb.retrieval.gate import Gate
from autokb.stores.workspace_file import WorkspaceFile
from stub_server import StubServer


@pytest.fixture
def file(tmp_path: Path) -> WorkspaceFile:
    return WorkspaceFile(tmp_path / "knowledge.db", create=True)


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")


@pytest.mark.parametrize(
    ("name", "read", "price_key"),
    [
        ("packaged", EmbedderName("packaged"), ""),
        ("local:~/encoders/a:b", EmbedderName("local", "~/encoders/a:b"), ""),
        (
            "openai:text-embedding-3-small",
            EmbedderName("openai", "text-embedding-3-small"),
            "openai:text-embedding-3-small",
        ),
        (
            "openai:nomic-embed-text:v1.5",
            EmbedderName("openai", "nomic-embed-text:v1.5"),
            "openai:nomic-embed-text:v1.5",
        ),
        ("openai:BAAI/bge?dimensions=256", EmbedderName("openai", "BAAI/bge", 256), "openai:BAAI/bge"),
    ],
)
def test_an_embedder_name_is_read(name: str, read: EmbedderName, price_key: str) -> None:
    assert read_embedder_name(name) == read
    assert read.price_key == price_key


@pytest.mark.parametrize(
    "name",
    [
        "other",
        "",
        "openai",
        "openai:",
        "openai: ",
        "local:",
        "cohere:x",
        "openai:x?dimensions=",
        "openai:x?dimensions=0",
    ],
)
def test_another_embedder_is_refused(name: str) -> None:
    with pytest.raises(BadInputError, match="use packaged, openai:NAME"):
        check_settings(Settings(embedder=name))


@pytest.mark.parametrize("model", ["gpt", "openai:", ":x", "openai: "])
def test_a_model_needs_a_provider_and_a_name(model: str) -> None:
    with pytest.raises(BadInputError, match="write offline or PROVIDER:NAME"):
        check_settings(Settings(model=model))
    with pytest.raises(BadInputError, match="write offline or PROVIDER:NAME"):
        check_settings(Settings(tasks={"issues/assign_theme": model}))


def test_settings_that_can_be_used_pass_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    for context in ("", "document", "chained"):
        check_settings(Settings(model="openai:x", tasks={"r": "offline"}, embedder="openai:y", context=context))
    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        embedder_of(Settings(embedder="openai:y"))


def test_a_local_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="is not there"):
        check_settings(Settings(embedder=f"local:{tmp_path / 'nowhere'}"))


def test_weights_are_loaded_once() -> None:
    assert open_embedder("packaged") is open_embedder("packaged")


def test_the_first_batch_says_how_long_vectors_are_and_is_kept(file: WorkspaceFile) -> None:
    texts = [f"text {n}" for n in range(40)] + ["text 0"]
    with StubServer(dimensions=6) as server:
        embedder = embedder_of(Settings(embedder="openai:tiny", base_url=server.url))
        first = learn_dimensions(file, embedder, texts)
        assert first is not None
        assert (len(first.texts), first.sent, first.tokens) == (32, 1, (10 * 6 + 22 * 7) // 4)
        stored, missing = file.vectors("openai:tiny", texts, embedder.dimensions)
        assert missing == list(range(32, 40))
        assert np.array_equal(stored[:32], first.vectors)
        again = embedder_of(Settings(embedder="openai:tiny", base_url=server.url))
        assert learn_dimensions(file, again, ["new"]) is None
        assert again.dimensions == 6
        assert len(server.embedded) == 1


def test_batches_are_counted_by_what_was_sent(file: WorkspaceFile) -> None:
    with StubServer() as server:
        embedder = embedder_of(Settings(embedder="openai:tiny", base_url=server.url))
        found = list(embed_batches(embedder, ["12345678"] * 33))
    assert [(len(b.texts), b.tokens, b.sent) for b in found] == [(32, 64, 1), (1, 2, 1)]
    keep_batch(file, embedder, found[1])
    assert file.vectors("openai:tiny", ["12345678"], 16)[1] == []


def test_a_free_embedder_costs_nothing_and_learns_nothing(file: WorkspaceFile) -> None:
    embedder = open_embedder("packaged")
    assert paid(embedder) is None
    assert learn_dimensions(file, embedder, ["x"]) is None
    assert [(len(b.texts), b.tokens, b.sent) for b in embed_batches(embedder, [f"t{n}" for n in range(65)])] == [
        (64, 0, 0),
        (1, 0, 0),
    ]


def test_vectors_of_another_length_under_the_same_name_are_refused(file: WorkspaceFile) -> None:
    with StubServer(dimensions=6) as server:
        learn_dimensions(file, embedder_of(Settings(embedder="openai:tiny", base_url=server.url)), ["x"])
    with StubServer(dimensions=7) as server:
        other = embedder_of(Settings(embedder="openai:tiny", base_url=server.url))
        learn_dimensions(file, other, ["y"])
        with pytest.raises(BadInputError, match="vectors of 7 numbers, not 6 as before"):
            list(embed_batches(other, ["y"]))
    assert file.vectors("openai:tiny", ["y"], 6)[1] == [0]


def test_a_gate_refuses_the_same_model_with_another_length() -> None:
    names = [embedder_of(Settings(embedder=f"openai:tiny{d}")).name for d in ("", "?dimensions=8", "?dimensions=9")]
    gate = Gate(0.5, names[1])
    assert gate.passes(0.6, names[1])
    for other in (names[0], names[2]):
        with pytest.raises(BadInputError, match=r"calibrated for the encoder openai:tiny\?dimensions=8"):
            gate.passes(0.6, other)
