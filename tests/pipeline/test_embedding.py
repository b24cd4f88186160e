"""Which embedder the settings name, and the tokens of texts, each read once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from autokb.core.errors import BadInputError
from autokb.core.settings import Settings
from autokb.core.vectors import TokenVectors
from autokb.llm.embedders.multilingual import MultilingualEmbedder
from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.pipeline.embedding import (
    EmbedderName,
    FreeEncoder,
    TokenEncoder,
    encoder_name,
    open_endpoint_embedder,
    open_free_embedder,
    read_embedder_name,
)
from autokb.pipeline.model_choice import check_settings
from autokb.retrieval.gate import Gate
from autokb.stores.workspace_file import WorkspaceFile


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
    for context in ("", "document", "chained", "woven"):
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


# -- the tokens of texts ----------------------------------------------------------------------------------------------


class CountingEmbedder(PackagedEmbedder):
    """The packaged encoder, which remembers whose tokens it was asked for."""

    def __init__(self) -> None:
        super().__init__(1)
        self.read: list[str] = []

    def embed_tokens(self, texts: Sequence[str], without: Collection[str] = ()) -> list[TokenVectors]:
        self.read.extend(texts)
        return super().embed_tokens(texts, without)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    with closing(WorkspaceFile(tmp_path / "knowledge.db", create=True)) as opened:
        yield opened


def same(some: Sequence[TokenVectors], others: Sequence[TokenVectors]) -> bool:
    pairs = list(zip(some, others, strict=True))
    return all(np.array_equal(a.pieces, b.pieces) and np.array_equal(a.vectors, b.vectors) for a, b in pairs)


TEXTS = ["the lamp is dark", "a wheel is stuck", "the lamp is dark", "the of and"]


def test_the_tokens_of_a_text_are_read_once_in_the_life_of_a_workspace(file: WorkspaceFile) -> None:
    embedder = CountingEmbedder()
    first = TokenEncoder(embedder, file, "en").read(TEXTS)
    assert embedder.read == ["the of and", "the lamp is dark", "a wheel is stuck"]  # by length
    again = TokenEncoder(embedder, file, "en").read([*TEXTS, "new"])
    assert embedder.read[3:] == ["new"]
    assert same(first, again[:-1]) and [len(t.pieces) for t in first] == [2, 2, 2, 0]  # stop words are left out


def test_tokens_of_another_language_or_that_were_damaged_are_read_again(file: WorkspaceFile) -> None:
    embedder = CountingEmbedder()
    first = TokenEncoder(embedder, file, "en").read(TEXTS)
    german = TokenEncoder(embedder, file, "de").read(TEXTS[:1])
    assert embedder.read[3:] == TEXTS[:1]
    assert len(german[0].pieces) == 4  # whose stop words are others
    with file.transaction():
        file._db.execute("UPDATE vector SET data = x'0102030405'")
    assert same(TokenEncoder(embedder, file, "en").read(TEXTS), first)
    assert len(embedder.read) == 3 + 1 + 3


def test_the_vectors_of_whole_texts_are_kept_with_their_tokens(file: WorkspaceFile) -> None:
    embedder = CountingEmbedder()
    TokenEncoder(embedder, file, "en").read(TEXTS)
    found, missing = file.vectors(embedder.name, TEXTS, 384)
    assert missing == [] and np.array_equal(found, embedder.embed(TEXTS))


def test_the_tokens_of_a_question_are_not_kept(file: WorkspaceFile) -> None:
    reader = TokenEncoder(CountingEmbedder(), file, "en")
    asked = reader.question("the lamp is dark")
    assert file.vectors(PackagedEmbedder.name, ["the lamp is dark"], 384)[1] == [0]
    assert same([asked], reader.read(["the lamp is dark"]))


def test_only_the_packaged_encoder_reads_tokens_and_knows_ordinary_words(file: WorkspaceFile) -> None:
    reader = FreeEncoder(CountingEmbedder(), file).token_reader("en")
    assert reader is not None and {"kettle", "the", "sony"} <= reader.ordinary_words()
    german = FreeEncoder(CountingEmbedder(), file).token_reader("de")
    assert german is not None and german.ordinary_words() == frozenset()
    assert FreeEncoder(MultilingualEmbedder(), file).token_reader("en") is None
