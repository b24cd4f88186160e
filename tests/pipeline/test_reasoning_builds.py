"""Builds with a model whose hidden reasoning uses its cap up: what is paid for, listed, planned and shown."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from autokb.core.errors import StoppedOnPurposeError
from autokb.core.nouns import Failure
from autokb.pipeline.build_report import BuildReport
from autokb.tasks.issues.grow_trees.task import TASK as GROW_TREES
from llm.contracts.thinkers import cap_of
from model_workspace import TOLERANT, made, reopened
from scripted_model import ScriptedModel, form_of
from stub_server import Fault, StubServer, body

HUNGRY = "issues_grow_trees"  # the task at which the model reasons without end


class Thinking:
    """A scripted model that reasons for ``needs`` tokens, and at one task for as many as it may."""

    def __init__(self, needs: int, hungry: str = HUNGRY) -> None:
        self.model = ScriptedModel()
        self.needs = needs
        self.hungry = hungry
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, asked: dict[str, Any]) -> Fault:
        """Reply on the wire of a chat completion, hidden tokens counted."""
        return body(json.dumps(self.answer(asked)))

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return the whole chat completion."""
        self.bodies.append(asked)
        cap, text = cap_of(asked), self.model(asked)
        hidden = min(cap, 10**6 if form_of(asked)[0] == self.hungry else self.needs)
        is_whole = cap - hidden >= len(text) // 4
        usage: dict[str, Any] = {
            "prompt_tokens": 100,
            "completion_tokens": hidden + (len(text) // 4 if is_whole else 0),
        }
        usage["completion_tokens_details"] = {"reasoning_tokens": hidden}
        message = {"role": "assistant", "content": text if is_whole else ""}
        choice = {"index": 0, "message": message, "finish_reason": "stop" if is_whole else "length"}
        return {
            "id": "c",
            "object": "chat.completion",
            "created": 1,
            "model": asked["model"],
            "choices": [choice],
            "usage": usage | {"total_tokens": 100 + usage["completion_tokens"]},
        }

    def hungry_ones(self) -> list[int]:
        """Return the caps of the requests of the task at which it reasons without end."""
        return [cap_of(asked) for asked in self.bodies if form_of(asked)[0] == self.hungry]


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-a-key-that-must-not-be-seen")


@pytest.fixture
def model() -> Thinking:
    return Thinking(300)


@pytest.fixture
def server(model: Thinking) -> Iterator[StubServer]:
    with StubServer(model) as stub:
        yield stub


def _requests(failed: Sequence[Failure]) -> int:
    """Return how many requests these seeds share."""
    return -(-len(failed) // GROW_TREES.most)


def test_what_hidden_reasoning_uses_up_is_paid_for_twice_and_never_again(
    server: StubServer, model: Thinking, tmp_path: Path
) -> None:
    kb = made(tmp_path, server.url, settings=TOLERANT)
    first = kb.build()
    failed = [f for f in first.failures if f.stage == "trees"]
    assert failed and all("issues/grow_trees was cut off at" in f.reason for f in failed)
    paid, calls = len(model.hungry_ones()), kb.costs().calls
    assert paid == 2 * _requests(failed) and calls == first.calls == server.requests
    for _build in range(3):
        assert kb.plan().calls == 0
        again = kb.build()
        assert again.calls == 0
        assert {(f.item, f.reason) for f in again.failures} == {(f.item, f.reason) for f in first.failures}
    assert (len(model.hungry_ones()), kb.costs().calls) == (paid, calls)


def test_a_larger_max_output_has_it_asked_once_more(server: StubServer, model: Thinking, tmp_path: Path) -> None:
    model.hungry = "issues_grow_tree"  # a request of several clusters declares more where more may be written
    made(tmp_path, server.url, settings=TOLERANT, mode="paper").build()
    before = len(model.hungry_ones())
    kb = reopened(tmp_path, server.url, f"{TOLERANT}max_output: 20000\nwindow: 100000\n", "paper")
    assert kb.plan().calls > 0
    kb.build()
    kb.build()
    assert model.hungry_ones()[before:] == [20_000] * (before // 2)


def test_a_set_effort_asks_anew_and_answers_of_before_stay_for_who_takes_it_back(
    server: StubServer, model: Thinking, tmp_path: Path
) -> None:
    model.hungry = ""
    first = made(tmp_path, server.url, settings=TOLERANT).build()
    kb = reopened(tmp_path, server.url, f"{TOLERANT}reasoning_effort: {{stub: high}}\n")
    kb.build()
    frozen = {"issues_find_themes", "issues_assign_theme"}
    tasks = [{form_of(a)[0] for a in part} for part in (model.bodies[: first.calls], model.bodies[first.calls :])]
    assert tasks[1] == tasks[0] - frozen
    assert {asked["reasoning_effort"] for asked in model.bodies[first.calls :]} == {"high"}
    for settings in (TOLERANT, f"{TOLERANT}reasoning_effort: {{stub: default}}\n"):
        assert reopened(tmp_path, server.url, settings).build().calls == 0


def test_hidden_reasoning_is_in_the_costs_the_build_and_the_next_plan(
    server: StubServer, model: Thinking, tmp_path: Path
) -> None:
    model.hungry = ""
    kb = made(tmp_path, server.url, settings=TOLERANT)
    assert kb.plan().tokens.reasoning == 0  # nothing is known of this model yet
    built = kb.build()
    # Where the cap of a task was too small, the reply that was cut is hidden reasoning too.
    assert built.tokens.reasoning >= 300 * (built.calls // 2) > 0
    spent = kb.costs()
    assert spent.tokens == built.tokens
    assert sum(row.tokens.reasoning for row in spent.tasks.values()) == spent.tokens.reasoning
    assert spent.as_json()["tokens"].keys() == {"input", "output", "reasoning"}
    assert spent.cost == pytest.approx((spent.tokens.input + 2 * spent.tokens.output) / 1e6)
    (tmp_path / "source" / "manuals" / "new.md").write_text("# Lids\n\nThe lid sticks:\n\n1. Clean the lid.\n")
    kb.add([tmp_path / "source" / "manuals"])
    planned = kb.plan()
    assert planned.calls > 0
    assert planned.tokens.reasoning == pytest.approx(300 * planned.calls)


def test_a_known_model_that_reasons_has_it_in_its_first_plan(server: StubServer, tmp_path: Path) -> None:
    kb = made(tmp_path, server.url, settings=TOLERANT)
    plain = kb.plan()
    path = tmp_path / "kb" / "settings.yaml"
    path.write_text(path.read_text().replace("openai:stub", "openai:gpt-5-mini").replace("{stub:", "{gpt-5-mini:"))
    planned = type(kb).open(tmp_path / "kb").plan()
    assert (planned.calls, planned.tokens.input) == (plain.calls, plain.tokens.input)
    assert planned.tokens.output == plain.tokens.output + planned.tokens.reasoning
    assert planned.tokens.reasoning == 512 * planned.calls
    assert planned.cost == pytest.approx((planned.tokens.input + 2 * planned.tokens.output) / 1e6, rel=1e-3)


def test_batch_files_end_with_the_same_failures_by_name(model: Thinking, tmp_path: Path) -> None:
    folder = tmp_path / "batch"

    def build() -> BuildReport:
        try:
            return kb.build(batch_files=folder)
        except StoppedOnPurposeError as stopped:
            assert isinstance(stopped.result, BuildReport)
            return stopped.result

    kb = made(tmp_path, "http://127.0.0.1:9/v1", settings=TOLERANT)
    answered: set[str] = set()
    for number in range(30):
        if not build().awaited:
            break
        lines = []
        for path in sorted(folder.glob("requests*.jsonl")):
            for line in map(json.loads, path.read_text().splitlines()):
                assert line["custom_id"] not in answered, "paid for twice"
                answered.add(line["custom_id"])
                response = {"status_code": 200, "body": model.answer(line["body"])}
                lines.append(json.dumps({"custom_id": line["custom_id"], "response": response}))
        (folder / f"replies-{number}.jsonl").write_text("\n".join(lines) + "\n")
    last = build()
    failed = [f for f in last.failures if f.stage == "trees"]
    assert failed and all("was cut off at" in f.reason for f in failed)
    assert len(model.hungry_ones()) == 2 * _requests(failed)
    assert kb.costs().tokens.reasoning > sum(model.hungry_ones()) > 0
