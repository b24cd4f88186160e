"""Where sections end: what headings and words say, and how a model's numbers are read."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

import pytest
import yaml

from autokb.core.model_requests import ModelReply
from autokb.core.reply import ReplyError
from autokb.tasks.asking import read_reply, reply_schema
from autokb.tasks.chunking.find_splits.task import TASK, FindSplits, FoundSplits
from autokb.tasks.task import Read

EXAMPLES = yaml.safe_load(
    importlib.resources.files("autokb.tasks.chunking.find_splits").joinpath("examples.yaml").read_text("utf-8")
)
ITEM = FindSplits("Title", ("one", "two", "three", "four"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["title"])
def test_the_examples_offline(example: dict[str, Any]) -> None:
    item = FindSplits(example["title"], tuple(example["pieces"]))
    assert list(TASK.answer_offline(item).after) == example["offline"]


def test_a_heading_is_split_before_and_never_after() -> None:
    pieces = ("# Radio", "## Sound", "Turn the wheel.", "### Loud", "Louder with the wheel.", "## Light", "It glows.")
    assert TASK.answer_offline(FindSplits("t", pieces)).after == (3, 5)


def test_pieces_with_nothing_in_common_are_split_somewhere() -> None:
    assert TASK.answer_offline(FindSplits("t", ("apples", "bridges"))).after == (1,)
    assert TASK.answer_offline(FindSplits("t", ("# One", "# Two"))).after == (1,)
    assert TASK.answer_offline(FindSplits("t", ("", "—"))).after == (1,)


def read(after: Any) -> Read[FoundSplits]:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "after": after}]}), 1, 1)
    (found,) = read_reply(TASK, [ITEM], reply)
    return found


@pytest.mark.parametrize(("after", "found"), [([2], (2,)), ([1, 3], (1, 3)), ([3, 1], (1, 3)), ([2, 2], (2,))])
def test_numbers_are_read_in_order_and_once(after: list[int], found: tuple[int, ...]) -> None:
    assert read(after).answer == FoundSplits(after=found)


@pytest.mark.parametrize("after", [[], [0], [4], [-1], ["4"], ["two"], [1.5], [True], "2", 2])
def test_other_numbers_are_refused(after: Any) -> None:
    assert read(after).answer is None
    assert read(after).error.startswith("Number 1: after")


@pytest.mark.parametrize(
    ("after", "said"),
    [((), "at least one"), ((2, 1), "must rise"), ((2, 2), "must rise"), ((0,), "1 to 3"), ((4,), "1 to 3")],
)
def test_the_check_says_what_is_wrong(after: tuple[int, ...], said: str) -> None:
    with pytest.raises(ReplyError, match=said):
        TASK.check(ITEM, FoundSplits(after=after))


def test_the_schema_bounds_the_numbers() -> None:
    after = reply_schema(TASK, [ITEM])["$defs"]["Entry"]["properties"]["after"]
    assert after == {
        "type": "array",
        "minItems": 1,
        "maxItems": 3,
        "items": {"type": "integer", "minimum": 1, "maximum": 3},
    }
