"""What texts are compared by: rows of length 1, and which encoder they come from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]  # C-contiguous, (texts, dimensions), every row a unit vector

TOKEN_STEPS = 254  # of a number of a token's vector: those of unit vectors in hundreds of dimensions are below .5


@dataclass(frozen=True)
class TokenVectors:
    """A text's pieces of words by their numbers, and a row each: a vector of length 1 in steps of 1 / ``TOKEN_STEPS``.

    ``whole`` is the vector of the whole text, which comes from the same run of the encoder.
    """

    pieces: NDArray[np.uint16]
    vectors: NDArray[np.int8]
    whole: Vectors

    @classmethod
    def of(cls, pieces: NDArray[np.uint16], vectors: Vectors, whole: Vectors) -> TokenVectors:
        """Round the vectors of some pieces."""
        rounded = np.clip(np.round(vectors * TOKEN_STEPS), -127, 127).astype(np.int8)
        return cls(pieces, rounded, whole)
