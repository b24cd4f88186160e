"""What texts are compared by: rows of length 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]  # C-contiguous, (texts, dimensions), every row a unit vector
