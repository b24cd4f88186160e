"""The task that judges whether a suggestion says only what it cites."""

from __future__ import annotations

import json

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply
from autokb.tasks.judges.consistency.task import TASK, JudgeConsistency, JudgedConsistency
from autokb.tasks.task import ReplyError

ITEM = JudgeConsistency("Dry it.", ("Dry it.", "c" * 9_000))


def test_offline_it_is_not_judged_even_where_it_is_verbatim() -> None:
    assert TASK.answer_offline(ITEM).verdict == "not judged"


def test_a_verdict_is_read_with_its_reason_and_needs_one() -> None:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "reason": "r" * 999, "verdict": "no"}]}), 1, 1)
    (found,) = read_reply(TASK, (ITEM,), reply)
    assert found.answer == JudgedConsistency(reason="r" * 300, verdict="no")
    with pytest.raises(ReplyError, match="'yes' needs a reason"):
        TASK.check(ITEM, JudgedConsistency(reason=" ", verdict="yes"))


def test_long_passages_are_cut() -> None:
    _, user = TASK.turns((ITEM,))
    assert "c" * 4_000 in user and "c" * 4_001 not in user
