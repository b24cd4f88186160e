"""Text encoders that run on this machine, behind one port; those of a provider are asked through the client."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from autokb.core.vectors import Vectors

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


def readable(text: str, most: int | None = None) -> str:
    """Return what an encoder can read of a text: valid UTF-8, at most so many bytes, and not blank."""
    cut = text.encode("utf-8", "replace")[:most].decode("utf-8", "ignore")
    return cut if cut.strip() else BLANK
