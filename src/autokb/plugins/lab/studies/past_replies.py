"""What agents replied before to the questions most like one: the incumbent that suggestions are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from autokb.core.ranking import best_first
from autokb.core.vectors import Vectors
from autokb.heuristics.conversations.reply_pairs import ReplyPair


@dataclass(frozen=True, slots=True)
class PastReply:
    """The pair whose question is most like one, and how much: the cosine of the two."""

    pair: ReplyPair
    similarity: float


def nearest_replies(
    pairs: Sequence[ReplyPair],
    vectors: Vectors,
    question: NDArray[np.float32],
    most: int = 1,
    apart_from: str | None = None,
) -> tuple[PastReply, ...]:
    """Return ``most`` different past replies, those to the questions most like this one, nearest first.

    ``vectors`` has a row for the question of each pair; all are unit vectors of one encoder. ``apart_from`` names the
    question's own conversation, which it is not compared with. Of equals the first counts.
    """
    rows = [n for n, pair in enumerate(pairs) if pair.conversation != apart_from]
    similarities = (vectors[rows] @ question).astype(np.float64)
    found: dict[str, PastReply] = {}
    for place in best_first(similarities, len(rows)):
        pair = pairs[rows[int(place)]]
        found.setdefault(" ".join(pair.reply.split()), PastReply(pair, float(similarities[place])))
        if len(found) == most:
            break
    return tuple(found.values())
