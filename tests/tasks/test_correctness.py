"""The task that judges whether a solution is correct."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema
from autokb.tasks.judges.correctness.task import TASK, JudgeCorrectness, JudgedCorrectness
from autokb.tasks.task import Read, ReplyError

ITEM = JudgeCorrectness("lawn robots", "It stops", (), "Dry it", ("Wipe it.",), ("Wipe it.",))


def test_offline_it_is_not_judged_and_never_good() -> None:
    assert TASK.answer_offline(ITEM).verdict == "not judged"


def test_a_verdict_needs_a_reason() -> None:
    with pytest.raises(ReplyError, match="'yes' needs a reason"):
        TASK.check(ITEM, JudgedCorrectness(reason=" ", verdict="yes"))


def read(**entry: Any) -> Read[JudgedCorrectness]:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, **entry}]}), 1, 1)
    (found,) = read_reply(TASK, (ITEM,), reply)
    return found


def test_a_model_cannot_say_that_it_did_not_judge() -> None:
    assert "verdict: Input should be 'yes', 'no' or 'unsure'" in read(reason="r", verdict="not judged").error


def test_the_reason_comes_before_the_verdict() -> None:
    assert list(reply_schema(TASK, (ITEM,))["$defs"]["Entry"]["properties"]) == ["number", "reason", "verdict"]


def test_a_long_reason_is_cut_and_no_error() -> None:
    found = read(reason="r" * 999, verdict="no")
    assert found == Read(JudgedCorrectness(reason="r" * 300, verdict="no"))


def test_a_node_for_everybody_says_so() -> None:
    _, user = TASK.turns((ITEM,))
    assert "<for>\n- everybody\n</for>" in user
