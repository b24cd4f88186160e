"""The incumbent: the replies to the past questions that are nearest."""

from __future__ import annotations

import numpy as np
import pytest

from autokb.core.vectors import Vectors
from autokb.heuristics.conversations.reply_pairs import ReplyPair
from autokb.plugins.lab.studies.suggestion_systems import nearest_replies

PAIRS = [ReplyPair(f"question {n}", f"reply {n}", conversation, 1) for n, conversation in enumerate("aabc")]
VECTORS = np.array([[1, 0], [0.6, 0.8], [0, 1], [0, 1]], dtype=np.float32)


def unit(*numbers: float) -> Vectors:
    return np.array(numbers, dtype=np.float32)


def test_the_reply_to_the_nearest_question_with_its_cosine() -> None:
    (found,) = nearest_replies(PAIRS, VECTORS, unit(0.8, 0.6))
    assert found.pair is PAIRS[1]
    assert found.similarity == pytest.approx(0.6 * 0.8 + 0.8 * 0.6)


def test_of_equals_the_first_counts() -> None:
    (found,) = nearest_replies(PAIRS, VECTORS, unit(0, 1))
    assert (found.pair.conversation, found.similarity) == ("b", 1.0)


def test_a_question_is_not_compared_with_its_own_conversation() -> None:
    (found,) = nearest_replies(PAIRS, VECTORS, unit(0, 1), apart_from="b")
    assert found.pair.conversation == "c"
    (found,) = nearest_replies(PAIRS, VECTORS, unit(-1, 0), apart_from="b")  # also where all the others are far
    assert (found.pair.conversation, found.similarity) == ("c", 0.0)


def test_several_come_nearest_first_and_no_reply_twice() -> None:
    pairs = [*PAIRS[:3], ReplyPair("question 3", "reply  2", "c", 1)]
    found = nearest_replies(pairs, VECTORS, unit(0, 1), 3)
    assert [one.pair for one in found] == [pairs[2], pairs[1], pairs[0]]  # the fourth says what the third said


def test_without_any_other_conversation_there_is_none() -> None:
    assert nearest_replies([], np.zeros((0, 2), dtype=np.float32), unit(0, 1)) == ()
    assert nearest_replies(PAIRS[:2], VECTORS[:2], unit(0, 1), apart_from="a") == ()
