"""The packaged vectors of the everyday questions that the gate is fitted against."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from autokb.core.ids import digest
from autokb.core.vectors import Vectors, encoder_key

FILE = Path(__file__).with_name("everyday_vectors.npz")  # written by benchmarks/make_everyday_vectors.py


def packaged_vectors(questions: Sequence[str], encoder: str) -> Vectors | None:
    """Return the unit vectors of the questions, or None where the file is of another list or another encoder.

    They are stored in half precision, which moves a cosine by less than 0.001.
    """
    if not FILE.is_file():
        return None
    with np.load(FILE, allow_pickle=False) as stored:
        if str(stored["encoder"]) != encoder_key(encoder) or str(stored["questions"]) != list_mark(questions):
            return None
        vectors = stored["vectors"].astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def list_mark(questions: Sequence[str]) -> str:
    """Return the mark of a list of questions, which changes when any of them does."""
    return digest(*questions)
