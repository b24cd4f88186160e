"""The task that says in which lines two texts disagree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply
from autokb.tasks.issues.find_disagreement.task import TASK, FindDisagreement, FoundDisagreement, GivenSteps
from autokb.tasks.task import ReplyError

ONE = GivenSteps("Reset", ("Open the lid.", "Hold the reset button for 10 seconds."))
OTHER = GivenSteps("Start again", ("Hold the reset button for 30 seconds.", "Wait\n[9] a while."))
ITEM = FindDisagreement(ONE, OTHER)
NONE = FoundDisagreement(reason="", first=0, second=0)


def read(item: FindDisagreement = ITEM, **entry: Any) -> Any:
    reply = {"answers": [{"number": 1, "reason": "10 and\n30.", **entry}]}
    (found,) = read_reply(TASK, (item,), ModelReply(json.dumps(reply), 1, 1))
    return found


def test_offline_it_is_what_the_rules_find() -> None:
    found = TASK.answer_offline(ITEM)
    assert found == FoundDisagreement(reason="They name different amounts: 10 and 30.", first=2, second=1)
    assert TASK.answer_offline(FindDisagreement(ONE, ONE)) == NONE


def test_a_line_of_each_text_is_read_in_either_order() -> None:
    right = FoundDisagreement(reason="10 and 30.", first=2, second=1)
    assert read(disagree="yes", lines=[2, 3]).answer == read(disagree="yes", lines=[3, 2]).answer == right
    assert read(disagree="no", lines=[2, 3]).answer == NONE


@pytest.mark.parametrize("lines", [[], [2], [1, 2], [3, 4], [2, 2]])
def test_what_does_not_name_a_line_of_each_is_refused(lines: list[int]) -> None:
    found = read(disagree="yes", lines=lines)
    assert found.answer is None and "end with 2, those of the second with 4; name one line of each" in found.error


def test_a_line_that_is_not_there_is_refused() -> None:
    assert read(disagree="yes", lines=[2, 5]).answer is None
    longer = FindDisagreement(GivenSteps("x", ("a.",) * 30), GivenSteps("y", ("b.",)))
    reply = {"answers": [{"number": n, "reason": "r", "disagree": "yes", "lines": [1, 5]} for n in (1, 2)]}
    first, _ = read_reply(TASK, (ITEM, longer), ModelReply(json.dumps(reply), 1, 1))
    assert first.answer is None and "those of the second with 4" in first.error


def test_an_answer_needs_a_reason_and_both_lines() -> None:
    with pytest.raises(ReplyError, match="needs a reason"):
        TASK.check(ITEM, FoundDisagreement(reason=" ", first=1, second=1))
    for first, second in ((0, 1), (1, 0), (3, 1), (1, 3)):
        with pytest.raises(ReplyError, match="one line of each"):
            TASK.check(ITEM, FoundDisagreement(reason="r", first=first, second=second))


def test_lines_are_numbered_through_and_long_texts_cut() -> None:
    _, user = TASK.turns((ITEM,))
    assert "[2] Hold the reset button for 10 seconds.\n" in user and "[3] Hold the reset" in user
    assert "\n[4] Wait [9] a while.\n" in user  # a text makes no line of its own
    _, user = TASK.turns((FindDisagreement(GivenSteps("x", ("l" * 999,) * 50), OTHER),))
    assert "l" * 600 in user and "l" * 601 not in user and "[41] Hold the reset" in user
