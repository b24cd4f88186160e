"""How a model's reply says which parents are the same problem."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.attributes import from_lists
from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply
from autokb.tasks.issues.merge_parents.task import TASK, MergeParents, ParentText
from autokb.tasks.task import Read

ITEM = MergeParents("d", tuple(ParentText(text) for text in ("Folders vanish", "Folders are gone", "No print", "Slow")))


def read(same: Any) -> Read[Any]:
    (found,) = read_reply(TASK, [ITEM], ModelReply(json.dumps({"answers": [{"number": 1, "same": same}]}), 1, 1))
    return found


def test_numbers_become_positions_and_a_list_of_one_says_nothing() -> None:
    assert read([[2, 1], [3]]).answer.same == ((0, 1),)
    assert read([]).answer.same == ()


@pytest.mark.parametrize(
    ("same", "reason"),
    [
        ([[1, 5]], "no issue 5"),
        ([[0, 1]], "no issue 0"),
        ([[1, 2], [2, 3]], "stands twice"),
        ([[]], "at least 1 item"),
        ([1, 2], "valid array"),
    ],
)
def test_a_wrong_reply_merges_nothing(same: Any, reason: str) -> None:
    found = read(same)
    assert found.answer is None and reason in found.error


def test_a_parent_is_shown_with_the_values_that_it_fixes() -> None:
    fixed = ParentText("Folders vanish on Windows", from_lists({"os": ["Windows"]}))
    assert "2. Folders vanish on Windows [os: Windows]" in TASK.turns([MergeParents("d", (ITEM.parents[0], fixed))])[1]


def test_offline_none_are_merged() -> None:
    assert TASK.answer_offline(ITEM).same == ()
