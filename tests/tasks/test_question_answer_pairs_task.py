"""The task that makes questions with replies of a section."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.heuristics.question_answer_pairs import Pair
from autokb.tasks.asking import read_reply
from autokb.tasks.probes.question_answer_pairs.task import TASK, AskForPairs, QuestionAnswerPairs
from autokb.tasks.task import Read, ReplyError

ITEM = AskForPairs(("Robot", "Rain and its sensor"), "Dry the\nrain sensor. Start the robot again.", 8)
GOOD = {"quote": "Dry the rain sensor.", "question": "it stops in the rain", "reply": "Please dry the rain sensor."}


def read(*pairs: dict[str, Any]) -> Read[QuestionAnswerPairs]:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "pairs": pairs}]}), 1, 1)
    (found,) = read_reply(TASK, (ITEM,), reply)
    return found


def test_offline_a_section_gives_its_heading_and_its_first_words() -> None:
    (pair,) = TASK.answer_offline(ITEM).pairs
    assert pair.question == "Robot: Rain and its sensor" and pair.reply == "Dry the rain sensor."
    assert TASK.answer_offline(AskForPairs(("Robot",), "This helps.")).pairs == ()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"quote": "Wet the rain sensor."}, "must stand in the section word for word"),
        ({"reply": "one two three four five six seven eight"}, "has 8 words; write fewer than 8"),
        ({"question": " "}, "is empty"),
    ],
)
def test_a_wrong_pair_is_left_out_and_worth_a_repair(change: dict[str, str], sentence: str) -> None:
    found = read(GOOD, GOOD | {"question": "other"} | change)
    assert found.answer is not None and found.answer.pairs == (Pair(**GOOD),)
    assert sentence in found.complaints[0] and sentence in found.answer.left_out[0].reason
    assert sentence in read(GOOD | change).error  # a reply in which all are wrong
    with pytest.raises(ReplyError, match=sentence):
        TASK.check(ITEM, QuestionAnswerPairs(pairs=(Pair(**(GOOD | change)),)))


def test_a_question_twice_is_asked_once_and_a_section_may_have_none() -> None:
    found = read(GOOD, GOOD | {"question": GOOD["question"].upper()})
    assert found.answer is not None and len(found.answer.pairs) == 1 and "asked twice" in found.complaints[0]
    assert read().answer == QuestionAnswerPairs(pairs=())
