"""The incumbent: the reply to the past question that is nearest."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.answering.past_replies import nearest_reply
from autokb.core.vectors import Vectors
from autokb.heuristics.conversations.reply_pairs import ReplyPair

PAIRS = [ReplyPair(f"question {n}", f"reply {n}", conversation, 1) for n, conversation in enumerate("aabc")]
VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 1]], dtype=np.float32)


def unit(*numbers: float) -> Vectors:
    return np.array(numbers, dtype=np.float32)


def test_the_reply_to_the_nearest_question_with_its_cosine() -> None:
    found = nearest_reply(PAIRS, VECTORS, unit(0.8, 0.6))
    assert found is not None and found.pair is PAIRS[1]
    assert found.similarity == pytest.approx(0.6 * 0.8 + 0.8 * 0.6)


def test_of_equals_the_first_counts() -> None:
    found = nearest_reply(PAIRS, VECTORS, unit(0, 1))
    assert found is not None and (found.pair.conversation, found.similarity) == ("b", 1.0)


def test_a_question_is_not_compared_with_its_own_conversation() -> None:
    found = nearest_reply(PAIRS, VECTORS, unit(0, 1), apart_from="b")
    assert found is not None and found.pair.conversation == "c"
    found = nearest_reply(PAIRS, VECTORS, unit(-1, 0), apart_from="b")  # also where all the others are far
    assert found is not None and (found.pair.conversation, found.similarity) == ("c", 0.0)


def test_without_any_other_conversation_there_is_none() -> None:
    assert nearest_reply([], np.zeros((0, 2), dtype=np.float32), unit(0, 1)) is None
    assert nearest_reply(PAIRS[:2], VECTORS[:2], unit(0, 1), apart_from="a") is None
