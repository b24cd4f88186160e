"""Themes of a small workspace take one request; what its reply leaves out is sorted offline."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from autokb.llm.caps import limits
from autokb.pipeline.request_batching import Batching
from autokb.pipeline.steps import issues as step
from autokb.tasks.issues.assign_theme.task import TASK as ASSIGN_THEME
from autokb.tasks.issues.assign_theme.task import AssignTheme
from model_workspace import ISSUES, PRICES, made
from scripted_model import ScriptedModel, form_of
from stub_server import StubServer


class QuestionMatch(ScriptedModel):
    """The scripted model; it remembers which tasks it was asked, and can forget issues while it sorts."""

    def __init__(self, forgets: int = 0) -> None:
        super().__init__()
        self.tasks: list[str] = []
        self.forgets = forgets

    def __call__(self, body: Mapping[str, Any]) -> str:
        name, _ = form_of(body)
        self.tasks.append(name)
        reply = super().__call__(body)
        if name == "issues_find_themes" and self.forgets:
            themes = json.loads(reply)["answers"][0]["themes"]
            kept = [{**t, "issues": [n for n in t["issues"] if n > self.forgets]} for t in themes if "issues" in t]
            reply = json.dumps({"answers": [{"number": 1, "themes": [t for t in kept if t["issues"]]}]})
        return reply


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")


def served(model: QuestionMatch) -> Iterator[StubServer]:
    with StubServer(model) as server:
        yield server


@pytest.mark.parametrize("forgets", [0, 3])
def test_no_issue_is_asked_about_alone(tmp_path: Path, forgets: int) -> None:
    model = QuestionMatch(forgets)
    for server in served(model):
        kb = made(tmp_path, server.url)
        built = kb.build()
        assert model.tasks.count("issues_find_themes") == 1
        assert "issues_assign_theme" not in model.tasks
        assert not built.failures
        kb.export(tmp_path / "kb.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "kb.jsonl").read_text().split("\n") if line]
    assert {line["id"] for line in lines if line["kind"] == "raw_issue" and line.get("theme")} == set(ISSUES)


def test_the_plan_counts_what_the_build_asks(tmp_path: Path) -> None:
    for server in served(QuestionMatch()):
        kb = made(tmp_path, server.url)
        planned = kb.plan()
        assert planned.stages["themes"].calls == 1 and planned.stages["assign"].calls == 0


@pytest.mark.parametrize("mode", ["economical", "paper"])
def test_paper_mode_and_larger_workspaces_ask_issue_by_issue(
    tmp_path: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = QuestionMatch()
    if mode == "economical":
        monkeypatch.setattr(step, "MOST_SORTED", len(ISSUES) - 1)
    for server in served(model):
        made(tmp_path, server.url, settings=PRICES + "context: document\n", mode=mode).build()
    assert model.tasks.count("issues_assign_theme") == (1 if mode == "economical" else len(ISSUES))


@pytest.mark.parametrize(("issues", "sizes"), [(41, [20, 21]), (80, [40, 40]), (265, [37, 38, 38, 38, 38, 38, 38])])
def test_requests_have_about_the_same_number_of_issues(issues: int, sizes: list[int]) -> None:
    items = [AssignTheme("buds", f"issue {n}", ("Sound", "Power")) for n in range(issues)]
    batching = Batching(ASSIGN_THEME, items, limits("openai:gpt-4o-mini", 0, 16_000), one_each=False)
    groups = batching.groups([str(n) for n in range(issues)], range(issues), [])
    assert sorted(map(len, groups)) == sizes
    assert [n for group in groups for n in group] == list(range(issues))
