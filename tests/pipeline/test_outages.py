"""A model that is down, or answers what nobody can read: nothing is published, and soon nothing more is asked."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import StageFailedError
from model_workspace import PRICES, made, reopened
from scripted_model import ScriptedModel
from stub_server import Fault, Script, StubServer, status

DOWN = "http://127.0.0.1:9/v1"
MANY = {f"k{n}": f"The kettle leaks at seam {n} since {n + 3} days" for n in range(60)}
OF_STAGE = {
    "attributes": "extract_attributes",
    "assign": "assign_theme",
    "themes": "find_themes",
    "solutions": "write_solutions",
}


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")


@pytest.fixture
def offline(tmp_path: Path) -> SupportKB:
    """A workspace whose version 1 was built without a model, and whose model is down now."""
    kb = made(tmp_path, DOWN)
    (tmp_path / "kb" / "settings.yaml").write_text("model: offline\n", encoding="utf-8")
    SupportKB.open(tmp_path / "kb").build()
    reopened(tmp_path, DOWN)
    return kb


def seen(kb: SupportKB) -> list[tuple[int, int, bool]]:
    return [(one.number, one.solutions, one.published) for one in kb.versions.list().versions]


def failing(stage: str, fault: str | Fault) -> Script:
    """A model that answers, but in one stage."""
    model = ScriptedModel()
    return lambda body: fault if is_of(stage, body) else model(body)


def is_of(stage: str, body: dict[str, Any]) -> bool:
    return OF_STAGE[stage] in body["response_format"]["json_schema"]["name"]


@pytest.fixture
def server() -> Iterator[StubServer]:
    with StubServer() as stub:
        yield stub


@pytest.mark.parametrize("fault", ["down", "prose", status(500)], ids=["down", "prose", "500"])
def test_a_model_that_fails_for_every_item_publishes_nothing_and_says_what_to_do(
    fault: str | Fault, offline: SupportKB, server: StubServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = seen(offline)
    assert before[0][1] > 2
    if fault != "down":
        server.reply = lambda _body: "I cannot do that." if fault == "prose" else fault
        reopened(tmp_path, server.url, f"{PRICES}retries: 0\n")
    capsys.readouterr()
    code = main(["build", str(tmp_path / "kb"), "--json"])
    out = capsys.readouterr()
    assert code == (1 if fault == "prose" else 3), out.err
    assert seen(SupportKB.open(tmp_path / "kb")) == before
    told = json.loads(out.out)
    assert told["failures"]
    assert told["stopped"] in out.err
    assert "Nothing was published" in told["stopped"]
    assert ("run the same command again" in told["stopped"]) == (fault != "prose")
    offline_again = SupportKB.open(tmp_path / "kb")
    assert offline_again.ask("White flakes in the water").outcome == "answered"


def test_a_server_that_is_down_is_given_up_before_every_item_was_tried(tmp_path: Path) -> None:
    kb = made(tmp_path, DOWN, mode="paper", settings=f"{PRICES}concurrency: 4\nretries: 8\n", issues=MANY)
    with pytest.raises(StageFailedError) as failed:
        kb.build()
    assert failed.value.exit_status == 3
    report = failed.value.result
    assert report is not None
    assert 3 <= len(report.failures) < 10  # type: ignore[attr-defined]
    # Two tries more for those that were first, and none for the others: nobody reached the server.
    assert report.calls <= 4 * 3 + 6  # type: ignore[attr-defined]


@pytest.mark.parametrize("stage", list(OF_STAGE))
def test_prose_in_one_stage_alone_publishes_nothing_on_a_first_build_either(
    stage: str, server: StubServer, tmp_path: Path
) -> None:
    server.reply = failing(stage, "I cannot do that.")
    kb = made(tmp_path, server.url, mode="paper")
    with pytest.raises(StageFailedError, match=stage) as failed:
        kb.build()
    assert failed.value.exit_status == 1
    assert seen(kb) == []


def test_a_stage_of_two_items_is_too_small_for_a_share_and_still_no_empty_version_is_published(
    server: StubServer, tmp_path: Path
) -> None:
    server.reply = failing("attributes", status(500))
    two = {"k7": "Water leaks from the bottom", "k9": "It is very loud when boiling"}
    kb = made(tmp_path, server.url, mode="paper", settings=f"{PRICES}retries: 0\n", issues=two)
    with pytest.raises(StageFailedError) as failed:
        kb.build()
    assert failed.value.exit_status == 3
    assert seen(kb) == []


@pytest.mark.slow
def test_a_few_failures_are_told_and_published_and_the_setting_says_how_many_are_few(
    server: StubServer, tmp_path: Path
) -> None:
    model = ScriptedModel()
    wrong = ["k1", "k2"]
    texts = ["App does not connect on my iPhone", "The app can't connect", "iphone app doesnt find kettle"]

    def reply(body: dict[str, Any]) -> str | Fault:
        asked = body["messages"][-1]["content"]
        spoiled = is_of("assign", body) and any(text in asked for text in texts[: len(wrong)])
        return status(400) if spoiled else model(body)

    server.reply = reply
    kb = made(tmp_path, server.url, mode="paper")
    assert [f.item for f in kb.build().failures] == wrong  # two of ten: fewer than three are chance
    first = seen(kb)
    wrong.append("k4")
    later = made(tmp_path / "three", server.url, mode="paper")
    with pytest.raises(StageFailedError, match="3 of its 10 items"):
        later.build()
    assert seen(later) == []
    tolerant = reopened(tmp_path / "three", server.url, f"{PRICES}failure_tolerance: 0.3\n", "paper")
    assert [f.item for f in tolerant.build().failures] == wrong
    assert first[0][1] > 0


def test_what_was_answered_before_an_outage_is_not_asked_again(server: StubServer, tmp_path: Path) -> None:
    model, up = ScriptedModel(), list[bool]()

    def reply(body: dict[str, Any]) -> str | Fault:
        return model(body) if up or not is_of("solutions", body) else status(503)

    server.reply = reply
    kb = made(tmp_path, server.url, mode="paper", settings=f"{PRICES}retries: 0\n")
    with pytest.raises(StageFailedError):
        kb.build()
    up.append(True)
    built = kb.build()
    assert built.stages["attributes"].reused == 10
    assert built.stages["attributes"].computed == 0
    assert built.failures == ()
    assert server.stats()["doubled"] == 0
