"""Readers of a question beside a text, behind one port; slow, so they read the first candidates alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Says how well each text answers a question; ``name`` is what answers call it."""

    name: str

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return a finite log-odds for each text, in their order (RerankError where there is none in time)."""
        ...


class RerankError(Exception):
    """A reader gave no scores that can be used; the sentence says why, and the question is answered without it."""


def checked_scores(found: Sequence[object], number: int) -> list[float]:
    """Return scores as floats; RerankError where there are more or fewer than texts, or one is no finite number."""
    if len(found) != number:
        raise RerankError(f"the reranker gave {len(found)} scores for {number} texts.")
    # Strictly numbers: float would read "1.5" and true as such, and fails on an integer of hundreds of digits.
    if not all(type(one) is float or (type(one) is int and abs(one) < 2**63) for one in found):
        raise RerankError("a score of the reranker is no number.")
    scores = [float(one) for one in found]  # type: ignore[arg-type]
    if not all(map(math.isfinite, scores)):
        raise RerankError("a score of the reranker is no finite number.")
    return scores


def out_of_time(seconds: float) -> RerankError:
    """Return the error of a reranker that exceeded ``reranker_seconds``."""
    return RerankError(f"the reranker did not end within {seconds:g} seconds (reranker_seconds in settings.yaml).")
