"""How a model is shown the issues and its reply becomes themes."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.issues.find_themes.task import (
    LINE_CHARACTERS,
    MOST_CHARACTERS,
    MOST_LINES,
    TASK,
    FindThemes,
    issue_line,
    sample_issues,
)
from autokb.tasks.task import Read

ISSUES = ("No sound left", "Sound is low", "Battery is flat", "Case is cold", "Any jobs?")


def read(*themes: Any, issues: tuple[str, ...] = ISSUES, vectors: Any = None) -> Read[Any]:
    reply = json.dumps({"answers": [{"number": 1, "themes": list(themes)}]})
    (found,) = read_reply(TASK, [FindThemes("buds", issues, vectors)], ModelReply(reply, 1, 1))
    return found


def theme(name: str, *examples: Any, miscellaneous: Any = False) -> dict[str, Any]:
    return {"name": name, "examples": list(examples), "miscellaneous": miscellaneous}


def members(found: Read[Any]) -> dict[str, tuple[int, ...]]:
    return {theme.name: theme.members for theme in found.answer.themes}


def test_good_themes_have_the_positions_of_their_examples_and_the_miscellaneous_one_is_last() -> None:
    found = read(theme("Misc: jobs", 5, miscellaneous=True), theme("Sound", 2, 1), theme(" Battery  and case ", 3, 4))
    assert found.complaints == ()
    assert members(found) == {"Sound": (0, 1), "Battery and case": (2, 3), "Misc: jobs": (4,)}
    assert [t.miscellaneous for t in found.answer.themes] == [False, False, True]


@pytest.mark.parametrize(
    ("themes", "kept", "complaint"),
    [
        ([theme("Sound", 1, 6)], {"Sound": (0,)}, "'Sound': there is no issue 6."),
        ([theme("Sound", 1, 0, -1)], {"Sound": (0,)}, "'Sound': there is no issue -1."),
        ([theme("Sound", 1, 1)], {"Sound": (0,)}, None),
        ([theme("Sound", 1), theme("Noise", 1, 2)], {"Sound": (0,), "Noise": (1,)}, "'Noise': issue 1 shows another"),
        ([theme("Sound", 1), theme("Noise", 1)], {"Sound": (0,)}, "'Noise' has no example of its own"),
        ([theme("Sound", 1), theme("SOUND", 2)], {"Sound": (0, 1)}, "Two themes are called 'SOUND'."),
        ([theme("Sound", 1), theme("  ", 2)], {"Sound": (0,)}, "A theme has no name."),
        (
            [theme("Odd", 1, miscellaneous=True), theme("Other", 2, miscellaneous=True)],
            {"Other": (1,), "Odd": (0,)},
            "'Other': only one theme can be the miscellaneous one.",
        ),
    ],
)
def test_what_does_not_fit_is_left_out_and_worth_a_repair(
    themes: list[Any], kept: dict[str, tuple[int, ...]], complaint: str | None
) -> None:
    found = read(*themes)
    assert found.error == ""
    assert members(found) == kept
    assert any(c.startswith(complaint) for c in found.complaints) if complaint else found.complaints == ()


@pytest.mark.parametrize(
    ("themes", "reason"),
    [
        ([], "at least 1 item"),
        ([theme(f"T{n}", 1) for n in range(41)], "at most 40"),
        ([theme("Sound", 9)], "No theme has an issue"),
        ([theme("Sound")], "at least 1 item"),
        ([theme("Sound", 1, 2, 3, 4, 5, 1)], "at most 5"),
        ([theme("Sound", "one")], "valid integer"),
        ([theme("Sound", 1.5)], "valid integer"),
        ([theme("", 1)], "at least 1 character"),
        ([theme("x" * (TASK.name_characters + 1), 1)], f"at most {TASK.name_characters} characters"),
        ([theme("Sound", 1, miscellaneous="no")], "valid boolean"),
        ([{"name": "Sound", "examples": [1]}], "Field required"),
        ([{**theme("Sound", 1), "size": 3, "name": None}], "valid string"),
        (["Sound"], "object"),
    ],
)
def test_wrong_themes(themes: list[Any], reason: str) -> None:
    found = read(*themes)
    assert found.answer is None
    assert reason in found.error


def test_an_issue_is_one_line_cut_between_words() -> None:
    assert issue_line(" Two\nlines \t here ") == "Two lines here"
    cut = issue_line("word " * 100)
    assert cut.endswith("word …")
    assert len(cut) <= LINE_CHARACTERS + 2
    assert len(issue_line("x" * 1_000)) <= LINE_CHARACTERS + 2


def circle(count: int) -> Any:
    """Unit vectors, most of them close together and every hundredth one apart from all others."""
    rows = np.zeros((count, 64), dtype=np.float32)
    rows[:, 0] = 1
    for n in range(0, count, 100):
        rows[n] = np.eye(64, dtype=np.float32)[1 + n // 100]
    return rows


def test_of_too_many_issues_the_rare_ones_are_shown_too() -> None:
    issues = tuple(f"Issue {n}" for n in range(2_000))
    positions = sample_issues(issues, circle(2_000))
    assert len(positions) == MOST_LINES
    assert positions == sorted(set(positions))
    assert set(range(0, 2_000, 100)) <= set(positions)
    assert positions == sample_issues(issues, circle(2_000))


def test_all_lines_together_are_bounded() -> None:
    issues = tuple("word " * 60 for _ in range(MOST_LINES))
    positions = sample_issues(issues, None)
    assert sum(len(issue_line(issues[n])) for n in positions) <= MOST_CHARACTERS
    assert len(positions) == MOST_CHARACTERS // len(issue_line(issues[0]))
    assert sample_issues((), None) == []


def test_numbers_mean_the_shown_lines_and_the_prompt_says_how_many_there_are() -> None:
    issues = tuple(f"Issue {n}" for n in range(2_000))
    positions = sample_issues(issues, circle(2_000))
    found = read(theme("Last", MOST_LINES), issues=issues, vectors=circle(2_000))
    assert members(found) == {"Last": (positions[-1],)}
    request = request_for(TASK, [FindThemes("buds", issues, circle(2_000))], "openai:any")
    assert f"{MOST_LINES} of 2000 issues" in request.messages[1].text
    assert f"\n{MOST_LINES}. {issues[positions[-1]]}\n" in request.messages[1].text


def test_the_schema_knows_the_numbers() -> None:
    schema = reply_schema(TASK, [FindThemes("buds", ISSUES)])
    numbers = schema["$defs"]["Theme"]["properties"]["examples"]["items"]
    assert numbers == {"type": "integer", "minimum": 1, "maximum": 5}
