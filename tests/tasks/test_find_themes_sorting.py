"""In a small workspace one reply names the themes and sorts every issue into them."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.issues.find_themes.task import TASK, FindThemes
from autokb.tasks.task import Read

ISSUES = tuple(f"Issue {n} about {'sound' if n % 2 else 'charging'}" for n in range(12))
ITEM = FindThemes("buds", ISSUES, sorts_all=True)


def read(*themes: dict[str, Any]) -> Read[Any]:
    reply = {"answers": [{"number": 1, "themes": list(themes)}]}
    return read_reply(TASK, [ITEM], ModelReply(json.dumps(reply), 1, 1))[0]


def theme(name: str, *issues: int, miscellaneous: bool = False) -> dict[str, Any]:
    return {"name": name, "issues": list(issues), "miscellaneous": miscellaneous}


def test_a_theme_has_as_many_issues_as_there_are() -> None:
    odd, even = [n + 1 for n in range(12) if n % 2], [n + 1 for n in range(12) if not n % 2]
    found = read(theme("Sound", *odd), theme("Charging", *even))
    assert not found.error and not found.complaints
    assert [(t.name, len(t.members)) for t in found.answer.themes] == [("Sound", 6), ("Charging", 6)]


def test_an_issue_that_is_left_out_costs_no_repair() -> None:
    found = read(theme("Sound", 1, 2, 3))
    assert not found.error and not found.complaints
    assert found.answer.themes[0].members == (0, 1, 2)


@pytest.mark.parametrize("numbers", [(1, 1), (99,), (0, 1)])
def test_a_number_twice_or_one_that_is_not_there_is_read_as_in_examples(numbers: tuple[int, ...]) -> None:
    found = read(theme("Sound", 2, *numbers))
    assert not found.error
    assert 1 in found.answer.themes[0].members


def test_the_prompt_and_the_schema_ask_for_all_issues() -> None:
    asked = request_for(TASK, [ITEM], "openai:any").messages[0].text
    few = request_for(TASK, [replace(ITEM, sorts_all=False)], "openai:any").messages[0].text
    assert "Every issue has exactly one theme" in asked and "Not every issue has to be" not in asked
    assert '"issues": [1, 2, 5]' in asked and '"examples"' not in asked
    assert '"examples": [1, 2, 5]' in few and '"issues": [' not in few
    properties = reply_schema(TASK, [ITEM])["$defs"]["Theme"]["properties"]
    assert properties["issues"]["maxItems"] == 12 and "examples" not in properties


def test_a_longer_reply_has_room() -> None:
    short, long = request_for(TASK, [replace(ITEM, sorts_all=False)], "m:m"), request_for(TASK, [ITEM], "m:m")
    assert long.max_tokens == short.max_tokens + TASK.number_tokens * len(ISSUES)
