"""A build by batch with ``--wait`` goes on by itself when the replies are there, in a folder or at a provider."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answered_files import answer_files

from autokb.cli import main
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.pipeline import waiting
from autokb.pipeline.build_report import BuildReport
from batch_stub import BatchStub, ran, response
from model_workspace import exported, made
from scripted_model import ScriptedModel

NOWHERE = "http://127.0.0.1:1/v1"  # batch files send nothing
MODEL = ScriptedModel()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "FOLDER_SECONDS", 0.01)
    monkeypatch.setattr(waiting, "PROVIDER_SECONDS", 0.01)


def test_a_build_goes_on_when_replies_lie_in_the_folder(tmp_path: Path) -> None:
    kb, folder = made(tmp_path, NOWHERE), tmp_path / "batch"
    rounds: list[str] = []

    def answer(sentences: tuple[str, ...]) -> None:
        """Play the person who uploads the files, while the build waits."""
        rounds.append(" ".join(sentences))
        answer_files(folder, MODEL, random.Random(1), len(rounds), share=1.0)

    built = kb.build(batch_files=folder, wait=True, notify=answer)
    assert len(rounds) >= 4
    assert all("awaited" in said and waiting.WAITS in said for said in rounds)
    assert built.solutions > 0 and built.awaited == 0
    assert built.calls == kb.costs().calls > 0, "what all rounds asked"
    assert built.tokens == kb.costs().tokens

    once = made(tmp_path / "once", NOWHERE)
    for part in range(len(rounds)):
        with pytest.raises(StoppedOnPurposeError):
            once.build(batch_files=tmp_path / "once" / "batch")
        answer_files(tmp_path / "once" / "batch", MODEL, random.Random(1), part, share=1.0)
    once.build(batch_files=tmp_path / "once" / "batch")
    assert exported(kb, tmp_path / "a.jsonl") == exported(once, tmp_path / "b.jsonl")


def test_replies_that_came_while_the_round_was_made_are_not_missed(tmp_path: Path) -> None:
    kb, folder = made(tmp_path, NOWHERE), tmp_path / "batch"
    came: list[int] = []

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "solutions" and not came:  # of a build that has read the folder already
            (folder / "foreign.jsonl").write_text('{"custom_id": "someone-elses", "response": {}}\n')
            came.append(done)

    rounds: list[str] = []

    def answer(sentences: tuple[str, ...]) -> None:
        rounds.append(" ".join(sentences))
        if not (came and len(rounds) == came_at(rounds)):
            answer_files(folder, MODEL, random.Random(1), len(rounds), share=1.0)

    def came_at(said: list[str]) -> int:
        return next((n for n, one in enumerate(said, 1) if "write_solutions" in one), 0)

    built = kb.build(batch_files=folder, wait=True, progress=progress, notify=answer)
    assert came and built.solutions > 0
    assert any("someone-elses" in said for said in rounds), "it was read without another change of the folder"


def test_the_budget_still_ends_a_build_that_waits(tmp_path: Path) -> None:
    kb = made(tmp_path, NOWHERE)
    with pytest.raises(StoppedOnPurposeError, match="budget"):
        kb.build(batch_files=tmp_path / "batch", wait=True, budget=0.000001)


def test_one_budget_is_for_all_rounds_and_the_replies_they_bring(tmp_path: Path) -> None:
    kb, folder = made(tmp_path, NOWHERE), tmp_path / "batch"
    rounds: list[str] = []

    def answer(sentences: tuple[str, ...]) -> None:
        rounds.append(" ".join(sentences))
        answer_files(folder, MODEL, random.Random(1), len(rounds), share=1.0)
        for path in folder.glob("replies-*.jsonl"):
            path.write_text(path.read_text().replace('"prompt_tokens": 100,', '"prompt_tokens": 1000000,'))

    with pytest.raises(StoppedOnPurposeError, match="budget") as stop:
        kb.build(batch_files=folder, wait=True, notify=answer, budget=1.0)
    assert len(rounds) == 1, "its replies cost half a dollar each"
    assert isinstance(stop.value.result, BuildReport)
    assert stop.value.result.cost == kb.costs().cost > 1.0


def test_waiting_needs_a_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, NOWHERE)
    assert main(["build", str(tmp_path / "kb"), "--wait"]) == 2
    assert "--batch" in capsys.readouterr().err


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[BatchStub]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret-0123456789")
    with BatchStub() as running:
        yield running


def as_chat(line: dict[str, Any]) -> dict[str, Any]:
    """Return a request of the responses interface as the scripted model reads it."""
    body = line["body"]
    form = body["text"]["format"]
    schema = {"name": form["name"], "schema": form["schema"]}
    turns = [{"role": t["role"], "content": _said(t["content"])} for t in body["input"]]
    return {"messages": turns, "response_format": {"type": "json_schema", "json_schema": schema}}


def _said(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@pytest.mark.slow
def test_a_build_goes_on_when_a_batch_of_the_provider_has_ended(tmp_path: Path, provider: BatchStub) -> None:
    kb = made(tmp_path, provider.url)
    asked: list[str] = []

    def end(_sentences: tuple[str, ...]) -> None:
        """Play the provider, which ends its batches some time after they were submitted, and is away for a moment."""
        provider.refuse = 503

        def later() -> None:
            provider.refuse = 0
            for name, batch in list(provider.batches.items()):
                if batch["status"] == "in_progress":
                    asked.append(name)
                    provider.end(name, lambda line: ran(line, response(MODEL(as_chat(line)))))

        if "Waiting" in " ".join(_sentences) and "awaited" in " ".join(_sentences):
            timer = threading.Timer(0.3, later)
            timer.start()

    built = kb.build(batch=True, wait=True, notify=end)
    assert built.solutions > 0
    assert len(asked) >= 4
    assert built.calls == kb.costs().calls > 0


def test_a_refused_key_ends_the_waiting(tmp_path: Path, provider: BatchStub) -> None:
    kb = made(tmp_path, provider.url)

    def refuse(_sentences: tuple[str, ...]) -> None:
        provider.refuse = 401

    with pytest.raises(BadInputError, match="OPENAI_API_KEY"):
        kb.build(batch=True, wait=True, notify=refuse)


def test_the_command_says_each_round_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made(tmp_path, NOWHERE)
    folder = tmp_path / "batch"
    parts = iter(range(99))

    def answer(_seconds: float) -> None:
        answer_files(folder, MODEL, random.Random(1), next(parts), share=1.0)

    monkeypatch.setattr("time.sleep", answer)  # whoever sleeps wakes up to answered requests
    assert main(["build", str(tmp_path / "kb"), "--batch-files", str(folder), "--wait", "--json"]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["solutions"] > 0
    assert "grow_tree" in shown.err and waiting.WAITS in shown.err
