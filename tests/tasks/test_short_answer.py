"""The task of short answers: fewer than ten words with the line that says so, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.answers.short_answer.task import NOTHING_FOUND, TASK, AnswerShortly, ShortAnswer
from autokb.tasks.asking import read_reply
from autokb.tasks.task import Read

BUILT = "A storm took the old one. Ada Holm built  the\nlighthouse."
ITEM = AnswerShortly("Who built the lighthouse?", ("The ferry leaves at nine.", BUILT))


def read(**entry: Any) -> Read[ShortAnswer]:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, **entry}]}), 1, 1)
    (found,) = read_reply(TASK, (ITEM,), reply)
    return found


def test_an_answer_is_taken_with_the_place_of_its_line() -> None:
    found = read(line=3, answer="Ada Holm").answer
    assert found == ShortAnswer(answer="Ada Holm", passage=2, start=26, end=57)
    assert BUILT[found.start : found.end] == "Ada Holm built  the\nlighthouse."


@pytest.mark.parametrize("answer", ["NOANSWERFOUND", "noanswerfound.", " NOANSWERFOUND "])
def test_no_answer_is_none_whatever_stands_beside_it(answer: str) -> None:
    assert read(line=1, answer=answer).answer == NOTHING_FOUND


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"line": 3, "answer": "one two three four five six seven eight nine ten"}, "has 10 words"),
        ({"line": 0, "answer": "Ada Holm"}, "Name the line that answers"),
        ({"line": 1, "answer": " "}, "Where there is no answer write NOANSWERFOUND"),
        ({"line": 4, "answer": "Ada Holm"}, "line"),
    ],
)
def test_what_no_passage_bears_out_is_an_error(entry: dict[str, Any], sentence: str) -> None:
    assert sentence in read(**entry).error
