"""A model is not asked about trees that no section is likely to answer, but in paper mode."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from autokb.core.nouns import Issue
from autokb.pipeline.steps.node_sections import SectionRanker
from autokb.sources import Fields
from model_workspace import made
from scripted_model import ScriptedModel, form_of
from stub_server import StubServer

LOUD = "loud"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-nobody")


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer(ScriptedModel()) as stub:
        yield stub


@pytest.fixture(autouse=True)
def _only_loud_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_worth_asking(_self: SectionRanker, issue: Issue) -> bool:
        return LOUD in issue.text.casefold()

    monkeypatch.setattr(SectionRanker, "is_worth_asking", is_worth_asking)


def asked_about(server: StubServer) -> str:
    return "\n".join(
        b["messages"][1]["content"] for b in server.bodies if "write_solutions" in form_of(b)[0]
    ).casefold()


def test_trees_without_an_answer_are_not_asked_about_and_stay_so(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url)
    planned = kb.plan()
    built = kb.build()
    assert (planned.calls, built.failures) == (built.calls, ())
    assert LOUD in asked_about(server)
    assert "<text>water leaks" not in asked_about(server)
    assert built.solutions > 0
    assert any("leak" in issue.text.casefold() for tree in kb.views.show().trees for issue in (tree, *tree.children))
    again = kb.build()
    assert (again.calls, {s.computed for s in again.stages.values()}) == (0, {0})


def test_trees_with_a_known_outcome_are_asked_about(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url)
    more = tmp_path / "more.jsonl"
    more.write_text(json.dumps({"id": "k11", "text": "Water leaks from it", "by": "leaks.md"}), encoding="utf-8")
    kb.add([more], "issues", Fields(id="id", text="text", resolved_by="by"))
    kb.build()
    assert "<text>water leaks" in asked_about(server)


def test_paper_mode_asks_about_every_node(server: StubServer, tmp_path: Path) -> None:
    made(tmp_path, server.url, mode="paper").build()
    assert "leak" in asked_about(server)
