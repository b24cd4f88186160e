"""A model that chooses among what a question finds: what it may change, what it cannot, and what stands in for it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from rich.console import Console

from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.core.nouns import Message
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC, ReplyRules
from autokb.stores.ledger_table import spending
from autokb.suggesting.choosing_model import ChoosingModel
from autokb.suggesting.suggest import refusal_of
from stub_server import GARBAGE, HANG, StubServer, status

# Asks a question; its process is killed as soon as the model's reply is about to be read, or when it was read.
KILLED = """
import os, signal, sys
from autokb.app import SupportKB
from autokb.answering import chosen
from autokb.tasks import asking

folder, question, moment = sys.argv[1:]
module, name = {"before": (asking, "read_reply"), "after": (chosen, "_answer_chosen")}[moment]
setattr(module, name, lambda *_arguments, **_more: os.kill(os.getpid(), signal.SIGKILL))
SupportKB.open(folder).ask(question)
"""
SILENT = "the left earbud of my Lumo Buds is silent"
BAKING = "how long do I bake a sponge cake"


@pytest.fixture(scope="module")
def built(_built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("choosing") / "kb"
    shutil.copytree(_built_headphones, folder)
    return folder


class Choosing:
    """A model that replies with what a function makes of the prompt; it counts its requests."""

    def __init__(self, entry: Callable[[str], dict[str, Any]]) -> None:
        self.entry = entry
        self.prompts: list[str] = []

    def __call__(self, body: Any) -> str:
        self.prompts.append(body["messages"][1]["content"])
        attributes = body["response_format"]["json_schema"]["schema"]["$defs"]["Attributes"]["properties"]
        usual = {"attributes": {name: [] for name in attributes}, "sections": [], "line": 0, "ask": "none"}
        return json.dumps({"answers": [{"number": 1, **usual, **self.entry(self.prompts[-1])}]})


@pytest.fixture
def ask(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Answer]]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    opened: list[Any] = []

    def _ask(
        script: Callable[[Any], Any], question: str = SILENT, *, settings: dict[str, Any] | None = None, **more: Any
    ) -> Answer:
        folder = tmp_path / f"kb{len(opened)}"
        shutil.copytree(built, folder)
        server = StubServer(script).start()
        chosen = {"model": "openai:scripted", "timeout": 60, **(settings or {})}
        body = {
            "base_url": server.url,
            "retries": 1,
            "prices": {"scripted": {"input": 1.0, "output": 2.0}},
            "ask": chosen,
        }
        (folder / "settings.yaml").write_text(yaml.safe_dump(body), encoding="utf-8")
        kb = SupportKB.open(folder, keep_log=True)
        opened.extend([kb, server])
        _ask.kb = kb  # type: ignore[attr-defined]
        return kb.ask(question, **more)

    yield _ask
    for kb, server in zip(opened[::2], opened[1::2], strict=True):
        kb.close()
        server.stop()


def offline(built: Path, question: str = SILENT, **more: Any) -> Answer:
    kb = SupportKB.open(built)
    try:
        return kb.ask(question, model="offline", **more)
    finally:
        kb.close()


def ids(answer: Answer) -> list[str]:
    return [solution.id for solution in answer.shown]


def test_what_the_model_chose_is_shown_in_its_order(ask: Callable[..., Answer], built: Path) -> None:
    model = Choosing(lambda _prompt: {"sections": [3, 1]})
    found = ask(model)
    before = offline(built)
    assert found.outcome == "answered" and len(found.shown) == 2
    assert found.shown[1].id == before.shown[0].id and found.shown[0].id != before.shown[0].id
    assert found.reading is not None and found.reading.name == "openai:scripted" and found.reading.note is None
    (prompt,) = model.prompts
    assert SILENT in prompt and prompt.count("<section ") == 10 and prompt.count("<problem>") == 5


def test_where_none_answers_nothing_is_shown_but_documents(ask: Callable[..., Answer]) -> None:
    found = ask(Choosing(lambda _prompt: {}))
    assert (found.outcome, found.shown, found.matches, found.passages) == ("abstains", (), (), ())
    assert found.documents and found.reason


def test_a_question_back_is_asked_in_the_words_of_the_domain(ask: Callable[..., Answer], built: Path) -> None:
    question = "the app does not find my earbuds"
    spec = SupportKB.open(built).workspace.spec
    found = ask(Choosing(lambda _prompt: {"sections": [1], "ask": "os"}), question)
    assert found.outcome == "asks" and found.question is not None
    assert (found.question.attribute, found.question.values) == ("os", spec.attributes["os"].values)
    stated = ask(Choosing(lambda _prompt: {"sections": [1], "ask": "os"}), question, attributes={"os": ["iOS"]})
    assert stated.outcome == "answered" and stated.question is None


def test_what_the_customer_has_is_the_models_to_say_and_what_is_for_others_is_not_shown(
    ask: Callable[..., Answer],
) -> None:
    question = "the app does not find my earbuds"
    found = ask(Choosing(lambda _prompt: {"sections": list(range(1, 4)), "attributes": {"os": ["iOS"]}}), question)
    assert found.attributes["os"] == {"iOS"}
    assert all("Android" not in s.attributes.get("os", ()) or "iOS" in s.attributes["os"] for s in found.shown)


def test_what_whoever_asks_has_given_counts_before_what_the_model_read(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [1, 2, 3], "attributes": {"os": ["iOS"]}})
    found = ask(model, "the app does not find my earbuds", attributes={"os": ["Android"]})
    assert found.attributes["os"] == {"Android"}
    assert all(not one.attributes.get("os") or one.attributes["os"] & {"Android", "Any"} for one in found.shown)


def test_a_warning_is_read_before_anything_is_asked(ask: Callable[..., Answer]) -> None:
    def warning(prompt: str) -> dict[str, Any]:
        number = re.search(r'<section number="(\d+)">\n<title>[^<]*The charging case got wet', prompt)
        assert number is not None
        return {"sections": [int(number[1])], "ask": "os"}

    found = ask(Choosing(warning), "is the charging case waterproof")
    assert (found.outcome, found.question) == ("answered", None)
    assert found.urgent == {found.shown[0].id}


def test_known_problems_of_others_are_not_offered(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [1]})
    ask(model, "earbuds do not pair", attributes={"os": ["iOS"]})
    offered = re.findall(r"<problem>\n(.*)\n", model.prompts[0])
    assert len(offered) == 5 and not any("Android" in text or "Windows" in text for text in offered)


def test_what_is_explained_and_how_sure_it_is_are_there(ask: Callable[..., Answer], built: Path) -> None:
    found = ask(Choosing(lambda _prompt: {"sections": [3]}), explain=True)
    assert found.explanation == offline(built, explain=True).explanation
    assert 0 < found.confidence < offline(built).confidence  # the ranker had another one first


def test_a_solution_by_hand_is_offered_with_its_steps(ask: Callable[..., Answer], tmp_path: Path) -> None:
    model = Choosing(lambda _prompt: {"sections": [1]})
    ask(model)
    kb = ask.kb  # type: ignore[attr-defined]
    own = "# One earbud is silent\n\n1. Hold the silent left earbud for a minute.\n"
    (tmp_path / "own.md").write_text(own, encoding="utf-8")
    issue = kb.ask(SILENT, model="offline").matches[0].issue.id
    kb.curation.write(issue, tmp_path / "own.md", author="ann")
    kb.ask(SILENT)
    assert "Hold the silent left earbud for a minute." in model.prompts[-1]


def test_a_line_that_says_it_is_given_with_its_evidence(ask: Callable[..., Answer]) -> None:
    found = ask(Choosing(lambda _prompt: {"sections": [1], "line": 2}))
    assert found.telling is not None
    assert found.telling.evidence in found.shown[0].evidence
    other = ask(Choosing(lambda _prompt: {"sections": [2], "line": 1}))
    assert other.telling is None  # it is not of what is shown first


def test_what_is_far_off_is_not_asked(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [1]})
    found = ask(model, BAKING)
    assert found.outcome == "abstains" and found.reading is None and not model.prompts


def test_the_gates_refusal_of_what_is_near_is_the_models_to_take_back(ask: Callable[..., Answer], built: Path) -> None:
    question = "can the buds be connected to my dishwasher"
    before = offline(built, question)
    found = ask(Choosing(lambda _prompt: {"sections": [1]}), question)
    assert (before.outcome, found.outcome) == ("abstains", "answered")
    none = ask(Choosing(lambda _prompt: {}), question)
    assert before.reason is not None and none.reason == before.reason


def test_who_chose_is_said_in_the_place_of_a_number_that_does_not_count_it(
    ask: Callable[..., Answer], built: Path, tmp_path: Path
) -> None:
    from autokb.cli.issue_views import answer_view, suggestions_view
    from autokb.plugins.helpdesks.notes import note_of

    def shown(answer: Any, suggested: Any) -> list[str]:
        console = Console(width=200)
        with console.capture() as seen:
            console.print(answer_view(tmp_path, answer))
            console.print(suggestions_view(suggested))
        note = note_of(suggested, "1", {})
        return [seen.get(), note, answer._repr_html_(), suggested._repr_html_()]

    answer = ask(Choosing(lambda _prompt: {"sections": [3]}))
    kb = ask.kb  # type: ignore[attr-defined]
    for text in shown(answer, kb.suggest(SILENT)):
        assert "chosen by openai:scripted" in text
        assert not re.search(r"may help|nothing sure|right in |confidence", text), text
    before = offline(built)
    assert before.chosen_by == "" and re.search(r"right in |nothing sure", shown(before, kb.suggest(SILENT))[0])
    failed = ask(lambda _body: status(500))
    assert failed.chosen_by == "" and answer.as_json().keys() == failed.as_json().keys()


def test_what_the_documents_leave_open_is_declined_in_other_words_than_another_topic(
    ask: Callable[..., Answer],
) -> None:
    left_open = ask(Choosing(lambda _prompt: {}))
    kb = ask.kb  # type: ignore[attr-defined]
    reply = kb.workspace.spec.reply
    assert left_open.reason == LEFT_OPEN
    for question, expected in ((SILENT, reply["unanswered"]), (BAKING, reply["refusal"])):
        found = kb.suggest(question)
        assert [(one.source, one.text) for one in found.suggestions] == [("refusal", expected)], question
    assert kb.suggest(BAKING).reason == OFF_TOPIC
    for language in ("en", "de", "fr"):
        spec = replace(kb.workspace.spec, language=language)
        own = {reason: refusal_of(ReplyRules(), spec, reason) for reason in (OFF_TOPIC, LEFT_OPEN, None)}
        assert own[OFF_TOPIC] != own[LEFT_OPEN] == own[None]
        assert all(spec.name in text for text in own.values())


@pytest.mark.parametrize(
    "script",
    [
        lambda _body: GARBAGE,
        lambda _body: status(500),
        lambda _body: json.dumps({"answers": []}),
        Choosing(lambda _prompt: {"sections": [11]}),
        Choosing(lambda _prompt: {"sections": [1, 1]}),
        Choosing(lambda _prompt: {"sections": [], "ask": "os"}),
        Choosing(lambda _prompt: {"line": True, "sections": [1]}),
    ],
)
def test_whatever_the_model_returns_the_offline_answer_stands_in(
    ask: Callable[..., Answer], built: Path, script: Callable[[Any], Any]
) -> None:
    found, before = ask(script), offline(built)
    assert ids(found) == ids(before) and found.outcome == before.outcome
    assert found.reading is not None and found.reading.note
    assert found.as_json()["reader"] == "offline" and found.as_json()["reading"]["note"] == found.reading.note


def test_a_late_model_is_not_waited_for(ask: Callable[..., Answer], built: Path) -> None:
    found = ask(lambda _body: HANG, settings={"timeout": 0.3})
    assert ids(found) == ids(offline(built))
    assert found.reading is not None and found.reading.note


def test_the_answer_before_is_told_at_once(ask: Callable[..., Answer], built: Path) -> None:
    told: list[Answer] = []
    found = ask(Choosing(lambda _prompt: {"sections": [2]}), first=told.append)
    (before,) = told
    assert ids(before) == ids(offline(built)) and ids(found) != ids(before)


def test_the_same_question_is_paid_for_once(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [2]})
    first = ask(model)
    kb = ask.kb  # type: ignore[attr-defined]
    assert ids(kb.ask(SILENT)) == ids(first) and len(model.prompts) == 1
    kb.close()
    again = SupportKB.open(kb.workspace.folder)
    assert ids(again.ask(SILENT)) == ids(first) and len(model.prompts) == 1
    again.close()


def test_what_is_spent_today_is_the_budget(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [2]})
    ask(model, settings={"budget_per_day": 0.001})
    kb = ask.kb  # type: ignore[attr-defined]
    with kb.workspace.file() as file:
        (row,) = [one for one in spending(file) if one[0] == "ask"]
        assert row[5] is not None and row[5] > 0.001
    found = kb.ask("how do I reset the buds")
    assert found.reading is not None and "0.001 USD" in str(found.reading.note) and len(model.prompts) == 1
    unpaid = ask(Choosing(lambda _prompt: {"sections": [2]}), settings={"budget_per_day": 0})
    assert unpaid.reading is not None and unpaid.reading.note


def test_a_day_later_the_budget_is_whole_again(ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.stores.ledger_table import spent_on

    ask(Choosing(lambda _prompt: {"sections": [2]}))
    with ask.kb.workspace.file() as file:  # type: ignore[attr-defined]
        today = spent_on(file, "ask", "2026-01-01")
        assert today == 0.0 and spent_on(file, "ask", "2026-01-01") == 0.0


def test_private_data_of_a_question_stays_here(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [1]})
    found = ask(model, f"{SILENT}, mail me at ann.smith@example.org")
    assert "ann.smith@example.org" not in model.prompts[0] and found.query.endswith("ann.smith@example.org")


def test_a_model_without_a_key_leaves_a_note(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    folder = tmp_path / "kb"
    shutil.copytree(built, folder)
    kb = SupportKB.open(folder)
    found = kb.ask(SILENT, model="openai:gpt-5-mini")
    kb.close()
    assert found.outcome == "answered" and found.reading is not None and "OPENAI_API_KEY" in str(found.reading.note)


def test_sessions_stay_open(ask: Callable[..., Answer]) -> None:
    ask(Choosing(lambda _prompt: {"sections": [1]}))
    kb = ask.kb  # type: ignore[attr-defined]
    chooser = kb._memory.now().choosing_model()
    assert isinstance(chooser, ChoosingModel) and len(chooser._models._idle) == 1
    kb.close()
    assert len(chooser._models._idle) == 0


# -- a live conversation


SAID = (
    Message("customer", "I have Lumo Buds."),
    Message("agent", "What is wrong?"),
    Message("customer", SILENT),
)


def test_an_agent_is_offered_what_the_model_chose_of_the_conversation(ask: Callable[..., Answer]) -> None:
    def silent(prompt: str) -> dict[str, Any]:
        number = re.search(r'<section number="(\d+)">\n<title>[^<]*one earbud is silent', prompt)
        assert number is not None
        return {"sections": [int(number[1])]}

    model = Choosing(silent)
    before = ask(model).shown[0]
    found = ask.kb.suggest(SAID)  # type: ignore[attr-defined]
    assert found.reading is not None and found.reading.note is None
    assert [one.solution_id for one in found.suggestions] == [before.id]
    assert "I have Lumo Buds." in model.prompts[-1] and "What is wrong?" in model.prompts[-1]
    assert found.as_json()["reader"] == "openai:scripted"


def test_where_the_model_chose_none_the_agent_declines(ask: Callable[..., Answer]) -> None:
    ask(Choosing(lambda _prompt: {}))
    found = ask.kb.suggest(SAID)  # type: ignore[attr-defined]
    assert (found.outcome, [one.source for one in found.suggestions]) == ("abstains", ["refusal"])


def test_the_control_of_an_experiment_asks_no_model(ask: Callable[..., Answer]) -> None:
    model = Choosing(lambda _prompt: {"sections": [1]})
    ask(model)
    asked, folder = len(model.prompts), ask.kb.workspace.folder  # type: ignore[attr-defined]
    with (folder / "settings.yaml").open("a", encoding="utf-8") as settings:
        settings.write("experiment: {enabled: true, share: 0}\n")
    kb = SupportKB.open(folder)
    found = kb.suggest("my Lumo Buds crackle", conversation="c1")
    kb.close()
    assert (found.arm, found.suggestions, len(model.prompts)) == ("control", (), asked)


def test_who_chose_how_fast_and_for_how_much_is_kept_and_counted(ask: Callable[..., Answer]) -> None:
    replies: list[Any] = [Choosing(lambda _prompt: {"sections": [1]}), lambda _body: status(400)]
    asked = ask(lambda body: replies[0](body))
    kb: SupportKB = ask.kb  # type: ignore[attr-defined]
    kb.ask(SILENT)  # from the ledger
    replies.pop(0)
    kb.ask("the right earbud of my Lumo Buds is silent")
    kb.ask(SILENT, model="offline")
    log = kb._memory.log
    assert log is not None and log.flush(60)
    found = kb.usage.in_use().by_reader
    assert {name: one.asked for name, one in found.items()} == {"": 1, "offline": 1, "openai:scripted": 2}
    assert asked.reading is not None and asked.reading.cost
    assert found["openai:scripted"].cost == pytest.approx(asked.reading.cost / 2) and found[""].cost == 0
    assert found["openai:scripted"].p50 and found["openai:scripted"].p50 <= (found["openai:scripted"].p99 or 0)
    assert found["openai:scripted"].answered.value == 1
    assert kb.costs().tasks["answers/choose_answer"].cost == pytest.approx(asked.reading.cost)


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_reply_that_was_there_when_the_process_was_killed_is_not_paid_for_again(
    ask: Callable[..., Answer], moment: str
) -> None:
    model = Choosing(lambda _prompt: {"sections": [2]})
    ask(model, BAKING)  # which nothing is near to, so that no model is asked
    folder = str(ask.kb.workspace.folder)  # type: ignore[attr-defined]
    command = [sys.executable, "-c", KILLED, folder, SILENT, moment]
    ran = subprocess.run(command, env={**os.environ}, capture_output=True, timeout=120, check=False)
    assert ran.returncode == -signal.SIGKILL, ran.stderr.decode()
    assert len(model.prompts) == 1
    found = ask.kb.ask(SILENT)  # type: ignore[attr-defined]
    assert found.reading is not None and found.reading.note is None and found.reading.cost == 0.0
    assert len(model.prompts) == 1


def test_loading_and_connecting_do_not_count_against_the_time_for_a_reply(
    ask: Callable[..., Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    from autokb.llm import provider_sender, providers

    timeout, open_sender, connect = 1, providers.open_sender, provider_sender.ModelSender.connect
    opened: list[str] = []

    def slowly(*arguments: Any) -> Any:
        until = time.monotonic() + timeout  # as long as somebody waits for a reply
        while time.monotonic() < until:
            time.sleep(0.01)
        opened.append("loaded")
        return open_sender(*arguments)

    async def late(self: Any) -> None:
        await connect(self)
        opened.append("connected")

    monkeypatch.setattr(providers, "open_sender", slowly)
    monkeypatch.setattr(provider_sender.ModelSender, "connect", late)
    found = ask(Choosing(lambda _prompt: {"sections": [1]}), settings={"timeout": timeout})
    assert found.reading is not None and found.reading.note is None
    assert opened == ["loaded", "connected"]
    kb = ask.kb  # type: ignore[attr-defined]
    again = kb.ask(SILENT + " now")
    assert again.reading.note is None and opened == ["loaded", "connected"]


@pytest.mark.slow
def test_who_serves_connects_before_the_first_question_and_asks_nothing(
    ask: Callable[..., Answer], built: Path, tmp_path: Path
) -> None:
    with StubServer(Choosing(lambda _prompt: {"sections": [1]})) as server:
        folder = tmp_path / "served"
        shutil.copytree(built, folder)
        for url, connected in ((server.url, 1), ("http://127.0.0.1:9/v1", 0)):  # nobody listens there
            settings = {"base_url": url, "ask": {"model": "openai:scripted", "timeout": 60}}
            (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
            kb = SupportKB.open(folder)
            kb.follow()
            kb.warm_languages()
            assert (server.connected, server.requests) == (1, 1 - connected)
            found = kb.ask(f"{SILENT} {connected}")
            assert found.reading is not None and (found.reading.note is None) == bool(connected)
            assert server.connected == 1
            kb.close()
