"""An encoder from a folder, run by sentence-transformers (the extra ``local``); nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.errors import BadInputError
from autokb.core.vectors import Vectors
from autokb.llm.embedders import readable

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "HF_HUB_DISABLE_PROGRESS_BARS")
UNREAD = (".md", ".onnx", ".png", ".lock")  # files in such folders that the encoder does not read


class LocalEmbedder:
    """The encoder of a folder that sentence-transformers saved; ``name`` holds the hash of what lies there.

    One text is one run of the model, as with the packaged encoder: in a batch the padding moves the last bits.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = checked_folder(folder)
        self.name = f"local:{folder_hash(self.folder)[:16]}"

    @cached_property
    def dimensions(self) -> int:
        """Return the length of its vectors."""
        return len(self._run("a"))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors in the order of the texts; text beyond what the model reads is left out by it."""
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._run(text)
        return vectors

    @cached_property
    def _model(self) -> Any:
        os.environ.update(dict.fromkeys(OFFLINE, "1"))  # read at import
        library: Any = import_module("sentence_transformers")
        try:
            return library.SentenceTransformer(str(self.folder), local_files_only=True)
        except Exception as error:  # whatever its loaders meet in a folder that is no model
            raise BadInputError(
                f"The embedder in {self.folder} cannot be loaded ({type(error).__name__}); name a folder that "
                "SentenceTransformer.save wrote."
            ) from error

    def _run(self, text: str) -> Vectors:
        found = np.asarray(self._model.encode([readable(text)], show_progress_bar=False)[0], dtype=np.float64)
        length = float(np.linalg.norm(found))
        if not np.isfinite(length) or length == 0:
            raise BadInputError(f"The embedder in {self.folder} gives vectors that point nowhere; use other weights.")
        unit: Vectors = (found / length).astype(np.float32)
        return unit


def checked_folder(folder: Path) -> Path:
    """Return the folder, absolute (BadInputError when it or sentence-transformers is missing)."""
    place = folder.expanduser().absolute()
    if not place.is_dir():
        raise BadInputError(f"settings.yaml: the embedder's folder {place} is not there; write embedder: local:FOLDER.")
    if find_spec("sentence_transformers") is None:
        raise BadInputError("An embedder from a folder needs sentence-transformers: pip install 'autokb[local]'")
    return place


def folder_hash(folder: Path) -> str:
    """Return the hash of the weights and settings in a folder, wherever it lies; its notes do not count."""
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if hidden or not path.is_file() or path.suffix in UNREAD:
            continue
        with path.open("rb") as file:
            one = hashlib.file_digest(file, "sha256").hexdigest()
        whole.update(f"{path.relative_to(folder).as_posix()}\0{one}\n".encode())
    return whole.hexdigest()
