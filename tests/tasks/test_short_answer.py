"""The task of short answers: fewer than ten words with a quote, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.answers.short_answer.task import NOTHING_FOUND, TASK, AnswerShortly, ShortAnswer
from autokb.tasks.asking import read_reply
from autokb.tasks.task import Read

ITEM = AnswerShortly("Who built the lighthouse?", ("The ferry leaves at nine.", "Ada Holm built  the\nlighthouse."))
QUOTE = "Ada Holm built the lighthouse."


def read(**entry: Any) -> Read[ShortAnswer]:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, **entry}]}), 1, 1)
    (found,) = read_reply(TASK, (ITEM,), reply)
    return found


def test_an_answer_with_its_quote_is_taken_whatever_its_white_space() -> None:
    assert read(passage=2, quote=QUOTE, answer="Ada Holm").answer == ShortAnswer(
        answer="Ada Holm", passage=2, quote=QUOTE
    )


@pytest.mark.parametrize("answer", ["NOANSWERFOUND", "noanswerfound.", " NOANSWERFOUND "])
def test_no_answer_is_none_whatever_stands_beside_it(answer: str) -> None:
    assert read(passage=1, quote="The ferry", answer=answer).answer == NOTHING_FOUND


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ({"passage": 2, "quote": QUOTE, "answer": "one two three four five six seven eight nine ten"}, "has 10 words"),
        ({"passage": 1, "quote": QUOTE, "answer": "Ada Holm"}, "must stand in passage 1 word for word"),
        ({"passage": 2, "quote": "", "answer": "Ada Holm"}, "must stand in passage 2 word for word"),
        ({"passage": 0, "quote": QUOTE, "answer": "Ada Holm"}, "There is no passage 0"),
    ],
)
def test_what_no_passage_bears_out_is_an_error(entry: dict[str, Any], sentence: str) -> None:
    assert sentence in read(**entry).error
