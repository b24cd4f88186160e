"""Text encoders behind one port."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit vectors; ``name`` identifies weights and preparation, so it is part of every key."""

    name: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a C-contiguous float32 array of shape (len(texts), dimensions), every row of length 1."""
        ...
