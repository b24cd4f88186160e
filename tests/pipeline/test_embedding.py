"""Which embedder the settings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.core.errors import BadInputError
from autokb.core.settings import Settings
from autokb.pipeline.embedding import (
    EmbedderName,
    encoder_name,
    open_endpoint_embedder,
    open_free_embedder,
    read_embedder_name,
)
from autokb.pipeline.model_choice import check_settings
from autokb.retrieval.gate import Gate


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
        open_endpoint_embedder(Settings(embedder="openai:y"))


def test_a_local_folder_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="is not there"):
        check_settings(Settings(embedder=f"local:{tmp_path / 'nowhere'}"))


def test_weights_are_loaded_once() -> None:
    assert open_free_embedder(EmbedderName("packaged")) is open_free_embedder(EmbedderName("packaged"))


def test_a_gate_refuses_the_same_model_with_another_length() -> None:
    names = [encoder_name(Settings(embedder=f"openai:tiny{d}")) for d in ("", "?dimensions=8", "?dimensions=9")]
    gate = Gate(0.5, names[1])
    gate.check_encoder(names[1])
    for other in (names[0], names[2]):
        with pytest.raises(BadInputError, match=r"calibrated for the encoder openai:tiny\?dimensions=8"):
            gate.check_encoder(other)
