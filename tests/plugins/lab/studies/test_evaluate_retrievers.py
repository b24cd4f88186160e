"""Retrievers of a workspace: its past issues and given cases, encoders side by side, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.pipeline.model_session import ModelOptions
from autokb.plugins.lab.studies.evaluate_retrievers import (
    EVERYDAY,
    GIVEN_CASES,
    PAST_ISSUES,
    evaluate_workspace_retrievers,
)
from autokb.stores.workspace import Workspace, open_workspace
from stub_server import StubServer

RAIN = "my robot stops as soon as it rains"
CASES: list[dict[str, Any]] = [
    {"id": "rain", "text": RAIN, "documents": ["rain"]},
    {"id": "dock", "messages": [{"role": "customer", "text": "it does not charge"}], "documents": ["charging.md"]},
    {"id": "lost", "text": "the fence is broken", "documents": ["fence.md"]},
    {"id": "unlabelled", "text": "the blades are blunt", "reply": "Turn them over."},
    {"id": "pizza", "text": "do you sell pizza", "reply": ""},
]


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "cases.jsonl"
    path.write_text("".join(f"{json.dumps(case)}\n" for case in CASES), encoding="utf-8")
    return path


def test_past_issues_ask_where_no_case_is_given(hand_made: Workspace) -> None:
    answer = evaluate_workspace_retrievers(hand_made).as_json()
    assert (answer["questions"], answer["off_topic"]) == (PAST_ISSUES, EVERYDAY)
    assert answer["queries"] == {"given": 8, "measured": 5, "unresolved": []}
    assert answer["relevant"]["r2"] == {"app/pairing.md": 1.0}
    ours = answer["systems"]["packaged/exact"]
    assert list(ours["metrics"]) == ["recall@1", "recall@3", "recall@5", "recall@10"]
    assert ours["metrics"]["recall@10"]["value"] == 1.0  # there are five documents
    assert answer["over_worst"] == [] and answer["dimensions"] == {"packaged": 384}
    of_kind = answer["cosines"]["packaged"]
    assert of_kind["right"]["n"] + of_kind["wrong"]["n"] == of_kind["in_domain"]["n"] == 5
    assert of_kind["in_domain"]["deciles"][4] > of_kind["off_topic"]["deciles"][4]
    assert json.loads(json.dumps(answer)) == answer


def test_given_cases_are_asked_and_those_without_an_answer_are_about_something_else(
    hand_made: Workspace, cases: Path
) -> None:
    answer = evaluate_workspace_retrievers(hand_made, cases=cases).as_json()
    assert (answer["questions"], answer["off_topic"]) == (GIVEN_CASES, GIVEN_CASES)
    assert answer["queries"] == {"given": 5, "measured": 3, "unresolved": ["fence.md"]}
    assert answer["systems"]["packaged/exact"]["rankings"].keys() == {"rain", "dock", "lost"}
    assert answer["systems"]["packaged/exact"]["rankings"]["rain"][0] == "rain.md"
    assert answer["cosines"]["packaged"]["off_topic"]["n"] == 1  # pizza


def test_encoders_are_compared_and_what_they_cost_is_bounded(
    hand_made: Workspace, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with StubServer() as server:
        settings = {"base_url": server.url, "prices": {"openai:tiny": {"input": 1.0, "output": 0.0}}}
        (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump(settings))
        workspace = open_workspace(hand_made.folder)
        with pytest.raises(StoppedOnPurposeError):
            evaluate_workspace_retrievers(workspace, ["openai:tiny"], cases, options=ModelOptions(0.0))
        report = evaluate_workspace_retrievers(workspace, ["packaged", "openai:tiny"], cases)
    answer = report.as_json()
    assert {"packaged/exact", "openai:tiny/exact"} <= answer["systems"].keys()
    assert answer["dimensions"].keys() == {"packaged", "openai:tiny"} and answer["cost"] > 0
    searches = {name.rpartition("/")[2] for name in answer["systems"]}
    assert {d["baseline"].rpartition("/")[2] for d in answer["over_worst"]} == searches
    assert all(d["system"].rpartition("/")[2] == d["baseline"].rpartition("/")[2] for d in answer["over_worst"])


def test_what_cannot_be_measured_is_refused_with_what_to_do(hand_made: Workspace, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="is not known"):
        evaluate_workspace_retrievers(hand_made, ["sbert"])
    no_documents = tmp_path / "none.jsonl"
    no_documents.write_text(json.dumps({"id": "1", "text": RAIN}) + "\n", encoding="utf-8")
    with pytest.raises(BadInputError, match="fill in documents"):
        evaluate_workspace_retrievers(hand_made, cases=no_documents)
    page = tmp_path / "manual" / "rain.md"
    page.parent.mkdir()
    page.write_text("# Rain\n\nDry the sensor.\n", encoding="utf-8")
    kb = SupportKB.create(tmp_path / "new", "headphones")
    kb.add([page.parent])
    kb.build()
    with pytest.raises(BadInputError, match="--resolved-by-field"):
        kb.evaluate.retrievers()


def test_the_page_shows_recalls_and_cosines_and_is_the_same_each_time(
    hand_made: Workspace, cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pages = []
    for _ in range(2):
        page = tmp_path / "page.html"
        words = ["evaluate", "retrievers", str(hand_made.folder), "--cases", str(cases), "--report", str(page)]
        assert main(words) == 0
        pages.append(page.read_bytes())
    assert pages[0] == pages[1] and b"packaged: off_topic" in pages[0]
    assert "packaged/exact" in capsys.readouterr().out
