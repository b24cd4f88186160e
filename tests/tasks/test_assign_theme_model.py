"""How a model's reply becomes the themes of many issues."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.issues.assign_theme.task import TASK, AssignTheme
from autokb.tasks.task import Read

THEMES = ("Sound", "Battery", "Other")
ITEMS = [AssignTheme("buds", text, THEMES, 2) for text in ("silent", "flat", "jobs?")]


def read(*entries: Any) -> list[Read[Any]]:
    return read_reply(TASK, ITEMS, ModelReply(json.dumps({"answers": list(entries)}), 1, 1))


def test_each_issue_gets_the_theme_under_its_number_whatever_the_order() -> None:
    found = read({"number": 3, "theme": 3}, {"number": 1, "theme": 1}, {"number": 2, "theme": 2})
    assert [(r.answer.index, r.answer.theme) for r in found] == [(0, "Sound"), (1, "Battery"), (2, "Other")]


@pytest.mark.parametrize("theme", ["Sound", "4", "", 0, 4, -1, None, [1], 1.5, True])
def test_a_theme_that_is_not_there_is_an_error_of_that_issue_alone(theme: Any) -> None:
    found = read({"number": 1, "theme": theme}, {"number": 2, "theme": 2}, {"number": 3, "theme": 3})
    assert ("Input should be 1, 2 or 3" if theme is not True else "true and false are no numbers") in found[0].error
    assert [r.answer.theme for r in found[1:]] == ["Battery", "Other"]


def test_the_schema_knows_numbers_and_themes() -> None:
    entry = reply_schema(TASK, ITEMS)["$defs"]["Entry"]["properties"]
    assert entry["number"]["enum"] == [1, 2, 3]
    assert entry["theme"]["enum"] == [1, 2, 3], "names are read once, in the prompt"


def test_the_miscellaneous_theme_is_spoken_of_only_where_there_is_one() -> None:
    system = [
        request_for(TASK, [AssignTheme("buds", "x", THEMES, odd)], "openai:any").messages[0].text for odd in (2, None)
    ]
    assert "fits none of the others gets the theme 3." in system[0]
    assert "fits none of the others" not in system[1]


def test_the_same_system_turn_serves_every_issue() -> None:
    first, second = (request_for(TASK, [item], "openai:any").messages for item in ITEMS[:2])
    assert first[0] == second[0]
    assert first[1] != second[1]


def test_of_a_long_issue_the_beginning_is_read() -> None:
    item = AssignTheme("buds", "ab" * TASK.issue_characters, THEMES)
    text = request_for(TASK, [item], "openai:any").messages[1].text
    assert "ab" * (TASK.issue_characters // 2) in text
    assert "ab" * (TASK.issue_characters // 2 + 1) not in text
