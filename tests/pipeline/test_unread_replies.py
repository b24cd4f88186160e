"""Builds with a model whose replies cannot be read: asked in two builds, then failed by name and asked no more."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from model_workspace import TOLERANT, made, reopened
from scripted_model import ScriptedModel, form_of
from stub_server import Fault, StubServer, refusal, status

TREES, ATTRIBUTES = "issues_grow_trees", "issues_extract_attributes"


class Unwilling:
    """A scripted model that does something else at one task, while it is ``unwilling``."""

    def __init__(self) -> None:
        self.model = ScriptedModel()
        self.unwilling = True
        self.task = TREES
        self.asked: list[int] = []  # the turns of each request of that task
        self.in_place: Any = lambda _body, _good: refusal("I cannot help with that.")

    def __call__(self, body: dict[str, Any]) -> str | Fault:
        good = self.model(body)
        if form_of(body)[0] != self.task:
            return good
        self.asked.append(len(body["messages"]))
        return self.in_place(body, good) if self.unwilling else good  # type: ignore[no-any-return]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-must-not-be-seen")


@pytest.fixture
def model() -> Unwilling:
    return Unwilling()


@pytest.fixture
def server(model: Unwilling) -> Iterator[StubServer]:
    with StubServer(model) as stub:
        yield stub


def failures(kb: SupportKB) -> tuple[int, set[str]]:
    built = kb.build()
    return built.calls, {f.reason for f in built.failures if f.stage == "trees"}


def test_what_was_refused_in_two_builds_is_not_asked_a_third_time(
    server: StubServer, model: Unwilling, tmp_path: Path
) -> None:
    kb = made(tmp_path, server.url, settings=TOLERANT)
    first, second = failures(kb), failures(kb)
    assert first[1] == second[1] == {"It was refused, and holds no JSON object."}
    assert model.asked.count(2) == model.asked.count(4) > 0, "each reply is repaired once, in both builds"
    for _build in range(2):
        assert kb.plan().calls == 0
        calls, reasons = failures(kb)
        assert calls == 0
        (reason,) = reasons
        assert reason.startswith("No reply of openai:stub to issues/grow_trees could be read in two builds")
        assert "It was refused" in reason and "max_output of more than 4096 in settings.yaml" in reason


@pytest.mark.parametrize(
    "settings",
    [
        f"{TOLERANT}max_output: 5000\n",
        "prices: {other: {input: 1.0, output: 2.0}, stub: {input: 1.0, output: 2.0}}\n"
        "tasks: {issues/grow_trees: openai:other}\n",
        f"{TOLERANT}reasoning_effort: {{stub: high}}\n",
    ],
    ids=["a larger max_output", "another model", "another effort"],
)
def test_another_cap_model_or_effort_asks_anew(
    server: StubServer, model: Unwilling, tmp_path: Path, settings: str
) -> None:
    kb = made(tmp_path, server.url, settings=TOLERANT)
    for _build in range(3):
        kb.build()
    model.unwilling = False
    asked = len(model.asked)
    kb = reopened(tmp_path, server.url, settings)
    assert kb.plan().calls > 0
    built = kb.build()
    assert (built.failures, built.parents > 0) == ((), True)
    assert len(model.asked) > asked


def test_one_item_whose_entry_is_always_missing_costs_two_builds(
    server: StubServer, model: Unwilling, tmp_path: Path
) -> None:
    def without_leaks(body: dict[str, Any], good: str) -> str:
        texts = body["messages"][1]["content"].split("</text>")
        odd = [n for n, text in enumerate(texts, 1) if "table" in text]
        reply = json.loads(good)
        return json.dumps({"answers": [entry for entry in reply["answers"] if entry["number"] not in odd]})

    model.task, model.in_place = ATTRIBUTES, without_leaks
    kb = made(tmp_path, server.url, settings=TOLERANT)
    found = [kb.build() for _build in range(3)]
    assert [[f.item for f in built.failures if f.stage == "attributes"] for built in found] == [["k8"]] * 3
    assert model.asked == [2, 4, 2, 4], "the second build asks about the one item alone"
    assert found[2].calls == 0


def test_a_reply_that_never_came_is_asked_for_again_and_again(
    server: StubServer, model: Unwilling, tmp_path: Path
) -> None:
    model.in_place = lambda _body, _good: status(400)
    kb = made(tmp_path, server.url, settings=TOLERANT)
    for _build in range(3):
        assert failures(kb)[1] == {"HTTP 400: stub says 400."}
    model.unwilling = False
    assert failures(kb)[1] == set()


def test_a_repair_that_never_came_does_not_count(server: StubServer, model: Unwilling, tmp_path: Path) -> None:
    model.in_place = lambda body, _good: "no JSON" if len(body["messages"]) == 2 else status(400)
    kb = made(tmp_path, server.url, settings=TOLERANT)
    for _build in range(3):
        assert "It is no JSON object (Expecting value)." in failures(kb)[1]
    model.unwilling = False
    assert failures(kb)[1] == set()
