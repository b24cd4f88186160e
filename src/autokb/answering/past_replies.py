"""What agents replied before to the question most like one: the incumbent that suggestions are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.vectors import Vectors
from autokb.heuristics.conversations.reply_pairs import ReplyPair


@dataclass(frozen=True, slots=True)
class PastReply:
    """The pair whose question is most like one, and how much: the cosine of the two."""

    pair: ReplyPair
    similarity: float


def nearest_reply(
    pairs: Sequence[ReplyPair], vectors: Vectors, question: NDArray[np.float32], apart_from: str | None = None
) -> PastReply | None:
    """Return the past reply to the question most like this one, None where there is none.

    ``vectors`` has a row for the question of each pair; all are unit vectors of one encoder. ``apart_from`` names the
    question's own conversation, which it is not compared with. Of equals the first counts.
    """
    others = np.array([pair.conversation != apart_from for pair in pairs], dtype=bool)
    if not others.any():
        return None
    similarities = np.where(others, vectors @ question, -np.inf)
    best = int(similarities.argmax())
    return PastReply(pairs[best], float(similarities[best]))
