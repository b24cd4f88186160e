"""A cross-encoder from a folder: ``model.onnx`` with its ``tokenizer.json``; nothing is ever downloaded."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from autokb.core.errors import BadInputError
from autokb.llm.onnx_session import open_session
from autokb.llm.rerankers import checked_scores, out_of_time

MODELS = ("model.onnx", "onnx/model.onnx")  # where exports put it; the first that is there is read
TOKENIZER = "tokenizer.json"
MAX_TOKENS = 512  # of question and text together, as most cross-encoders read; a tokenizer that names fewer is heard
INPUTS = frozenset(("input_ids", "attention_mask", "token_type_ids"))


class LocalReranker:
    """Reads one pair a run, so that no other text moves a score; its time is looked at between two texts."""

    def __init__(self, folder: Path, seconds: float, threads: int | None = None) -> None:
        model = checked_folder(folder)
        self.name = f"local:{folder.name}"
        self._seconds = seconds
        try:
            self._tokenizer = _open_tokenizer(folder.expanduser() / TOKENIZER)
            self._session = open_session(str(model), threads or min(os.cpu_count() or 1, 8))
            self._inputs = {one.name for one in self._session.get_inputs()}
            size = self._run("a", "b c d").size  # of more tokens than classes, so that a vector of each is seen
        except Exception as error:  # whatever their loaders meet in files that are no model
            raise BadInputError(
                f"The reranker in {folder} cannot be loaded ({type(error).__name__}); name a folder with a "
                f"cross-encoder in ONNX ({MODELS[0]}) and its {TOKENIZER}."
            ) from error
        if size not in (1, 2) or not self._inputs <= INPUTS:
            raise BadInputError(
                f"The reranker in {folder} is no cross-encoder: it must read {', '.join(sorted(INPUTS))} and give one "
                "number for a pair, or two."
            )

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the model's logit for each text; of two, that of the second class over that of the first."""
        ends = time.monotonic() + self._seconds
        found: list[float] = []
        for text in texts:
            if time.monotonic() >= ends:
                raise out_of_time(self._seconds)
            logits = self._run(question, text)
            found.append(float(logits[-1] - logits[0] if logits.size == 2 else logits[0]))
        return checked_scores(found, len(texts))

    def _run(self, question: str, text: str) -> Any:
        pair = self._tokenizer.encode(question, text)
        feed = {"input_ids": pair.ids, "attention_mask": pair.attention_mask, "token_type_ids": pair.type_ids}
        arrays = {name: np.array([feed[name]], dtype=np.int64) for name in self._inputs & INPUTS}
        return np.asarray(self._session.run(None, arrays)[0], dtype=np.float64).reshape(-1)


def checked_folder(folder: Path) -> Path:
    """Return the model's file in a folder (BadInputError names what is missing)."""
    place = folder.expanduser().absolute()
    if not place.is_dir():
        raise BadInputError(f"settings.yaml: the reranker's folder {place} is not there; write reranker: local:FOLDER.")
    found = [place / name for name in MODELS if (place / name).is_file()]
    if not found or not (place / TOKENIZER).is_file():
        raise BadInputError(
            f"settings.yaml: the reranker's folder {place} lacks {TOKENIZER if found else MODELS[0]}; a cross-encoder "
            f"in ONNX is {MODELS[0]} and {TOKENIZER}."
        )
    return found[0]


def _open_tokenizer(path: Path) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(path))
    longest = min(MAX_TOKENS, (tokenizer.truncation or {}).get("max_length", MAX_TOKENS))
    tokenizer.enable_truncation(longest, strategy="longest_first")
    tokenizer.no_padding()
    return tokenizer
