"""Where the content shifts: what headings and words say, and how a model's number is read."""

from __future__ import annotations

import importlib.resources
import json
from typing import Any

import pytest
import yaml

from autokb.core.model_requests import ModelReply
from autokb.core.reply import ReplyError
from autokb.tasks.asking import read_reply, reply_schema
from autokb.tasks.chunking.find_shift.task import TASK, FindShift, FoundShift

EXAMPLES = yaml.safe_load(
    importlib.resources.files("autokb.tasks.chunking.find_shift").joinpath("examples.yaml").read_text("utf-8")
)
ITEM = FindShift("Title", ("one", "two", "three"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["title"])
def test_the_examples_offline(example: dict[str, Any]) -> None:
    item = FindShift(example["title"], tuple(example["paragraphs"]))
    assert TASK.answer_offline(item).at == example["offline"]


@pytest.mark.parametrize(
    ("paragraphs", "at"),
    [
        (("Turn the wheel.", "## Light", "It glows.", "## Sound"), 2),
        (("# Radio", "## Light", "It glows.", "## Sound"), 4),
        (("## Light", "It glows.", "## Sound", "It hums."), 3),
        (("# Radio", "## Light"), 2),
        (("wheel turns", "wheel stops", "parcels arrive", "parcels leave"), 3),
        (("", ""), 2),
    ],
)
def test_the_first_heading_or_the_greatest_change(paragraphs: tuple[str, ...], at: int) -> None:
    assert TASK.answer_offline(FindShift("t", paragraphs)).at == at


def read(at: Any) -> Any:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "at": at}]}), 1, 1)
    return read_reply(TASK, [ITEM], reply)[0]


def test_a_number_is_read() -> None:
    assert [read(at).answer for at in (2, 3)] == [FoundShift(at=2), FoundShift(at=3)]


@pytest.mark.parametrize("at", [1, 0, 4, "4", "two", 2.5, True, [2]])
def test_another_number_is_refused(at: Any) -> None:
    assert read(at).answer is None
    assert read(at).error.startswith("Number 1: at")


@pytest.mark.parametrize("at", [1, 4])
def test_the_check_says_what_is_wrong(at: int) -> None:
    with pytest.raises(ReplyError, match=f"from 2 to 3, not at {at}"):
        TASK.check(ITEM, FoundShift(at=at))


def test_the_schema_bounds_the_number() -> None:
    at = reply_schema(TASK, [ITEM])["$defs"]["Entry"]["properties"]["at"]
    assert at == {"type": "integer", "minimum": 2, "maximum": 3}
