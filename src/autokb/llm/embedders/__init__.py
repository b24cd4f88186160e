"""Text encoders behind one port; those of a provider count what they were paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
BLANK = "."  # stands for a text without a word: endpoints refuse it, and some encoders have no vector for it


class Embedder(Protocol):
    """Turns texts into unit vectors; ``name`` identifies weights and preparation, so it is part of every key."""

    name: str

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors."""
        ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return a C-contiguous float32 array of shape (len(texts), dimensions), every row of length 1."""
        ...


class PaidEmbedder(Embedder, Protocol):
    """An embedder whose requests cost money: one batch is one request, and its tokens are counted.

    ``price_key`` names the model in the prices (``openai:NAME``); ``sent`` counts every request, also one that failed.
    ``known_dimensions`` is 0 until a vector came back or ``expect`` said it.
    """

    price_key: str
    sent: int
    known_dimensions: int

    def expect(self, dimensions: int) -> None:
        """Say how long its vectors were so far; from now on others are refused."""
        ...

    def batches(self, texts: Sequence[str]) -> list[list[str]]:
        """Cut texts into what one request takes."""
        ...

    def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return unit vectors and the tokens that they cost."""
        ...


def paid(embedder: Embedder) -> PaidEmbedder | None:
    """Return the embedder as one that costs money, or None when it does not."""
    # Not isinstance: a protocol's check would read ``dimensions``, which may cost a request.
    return cast(PaidEmbedder, embedder) if hasattr(embedder, "embed_counted") else None


def readable(text: str, most: int | None = None) -> str:
    """Return what an encoder can read of a text: valid UTF-8, at most so many bytes, and not blank."""
    cut = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    return cut if cut.strip() else BLANK
