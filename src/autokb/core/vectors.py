"""What texts are compared by: rows of length 1, and which encoder they come from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]  # C-contiguous, (texts, dimensions), every row a unit vector

# Encoders that had another name in an earlier release, with the same weights and tokenizer (decision 017).
EARLIER_NAMES = {"packaged:all-MiniLM-L6-v2-int8:d954510c8f7f6b76": "packaged:all-MiniLM-L6-v2-int8"}


def encoder_key(name: str) -> str:
    """Return what an encoder's vectors and finished work are stored under: the first name that it had.

    Two names with one key are one encoder, so what an earlier release stored is found again.
    """
    return EARLIER_NAMES.get(name, name)
