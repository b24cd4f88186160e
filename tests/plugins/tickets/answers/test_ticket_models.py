"""Tickets read and asked by a model: what it sees is masked, what it writes is checked, what is wrong costs little."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import StoppedOnPurposeError
from autokb.core.reply_rules import ReplyRules
from autokb.plugins.tickets.answers import ask_tickets
from autokb.plugins.tickets.suggestions import PastTickets
from autokb.stores.ledger_table import spent_on
from stub_server import StubServer

CAUSE = "The surface was freed twice, by ann@example.com's change of last week, and by the camera itself. " * 7
TURNED = "Update to 2.1."
RECORDS = [
    small_tickets.record(
        "APP-1",
        "App crashes when the camera is closed",
        "It closes at once. Call +44 20 7946 0958.",
        comments=["I see it too.", f"{CAUSE.strip()}\n\n{TURNED}"],
    ),
    small_tickets.record("APP-2", "Printing cuts off the last page", "Long reports lose it.", comments=[CAUSE]),
    small_tickets.record("APP-3", "Dark mode does not apply to menus", "Menus stay white."),
]
Replies = dict[str, Callable[[str], Any]]


def right_sections(user: str) -> Any:
    """Say of APP-1's comment that its blocks are cause and fix, of the other ticket nothing."""
    answers = []
    for number, part in enumerate(user.split("<ticket ")[1:], 1):
        found = [{"section": "root_cause", "blocks": [1]}, {"section": "fix", "blocks": [2]}] if "[2]" in part else []
        answers.append({"number": number, "sections": found})
    return {"answers": answers}


def right_query(_user: str) -> Any:
    entities = [{"section": "summary", "value": "crashes when the camera is closed"}]
    return {"answers": [{"number": 1, "entities": entities, "intents": ["root_cause"], "filters": [], "links": []}]}


def first_place(_user: str) -> Any:
    return {"answers": [{"number": 1, "parts": [{"places": [1], "text": ""}]}]}


class Scripted:
    """Answers each task by a function of the user turn; ``users`` are the turns it saw, by task."""

    def __init__(self, **replies: Callable[[str], Any]) -> None:
        self.replies: Replies = dict(replies)
        self.users: dict[str, list[str]] = {}

    def __call__(self, body: dict[str, Any]) -> str:
        name = body["response_format"]["json_schema"]["name"].removeprefix("tickets_")
        user = str(body["messages"][1]["content"])
        self.users.setdefault(name, []).append(json.dumps(body["messages"]))
        return json.dumps(self.replies[name](user))


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[StubServer], SupportKB]:
    def make(server: StubServer) -> SupportKB:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        folder = tmp_path / "kb"
        if not folder.exists():
            kb = SupportKB.create(folder, "headphones")
            kb.add([small_tickets.write(tmp_path / "tickets.json", RECORDS)], "tickets")
        settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
        (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        return SupportKB.open(folder, model="openai:scripted")

    return make


def texts(kb: SupportKB, ticket: str) -> dict[str, str]:
    return {s.section: s.text for s in kb.tickets.show(ticket).sections}


def test_several_tickets_share_a_request_and_their_texts_are_split(opened: Any) -> None:
    script = Scripted(read_sections=right_sections)
    with StubServer(script) as server:
        kb = opened(server)
        report = kb.tickets.build()
        assert (report.calls, len(report.failures)) == (1, 0)
        assert texts(kb, "APP-1")["root_cause"] == CAUSE.strip()
        assert texts(kb, "APP-1")["fix"] == TURNED
        assert texts(kb, "APP-1")["comments"] == "I see it too."
        assert texts(kb, "APP-2")["comments"] == CAUSE.strip()
        (request,) = script.users["read_sections"]
        assert "ann@example.com" not in request
        assert "<email-1>" in request
        again = kb.tickets.build()
        assert (again.calls, again.changed) == (0, 0)


def test_a_plan_counts_what_the_tickets_that_changed_would_ask(opened: Any, tmp_path: Path) -> None:
    with StubServer(Scripted(read_sections=right_sections)) as server:
        kb = opened(server)
        planned = kb.plan()
        assert server.requests == 0
        asked = kb.tickets.build()
        sections = planned.stages["sections"]
        assert (planned.calls, sections.calls, planned.tickets) == (1, asked.calls, 3)
        assert sections.tokens.input == pytest.approx(asked.tokens.input, rel=0.25)
        assert sections.tokens.output > 0 and sections.cost > 0
        assert planned.modes["paper"].calls == 2  # a request for each ticket that the rules leave something of
        assert kb.plan().calls == 0
        changed = [{**RECORDS[0], "fields": {**RECORDS[0]["fields"], "description": "Other. " * 50}}, *RECORDS[1:]]
        kb.add([small_tickets.write(tmp_path / "tickets.json", changed)], "tickets")
        again = kb.plan().stages["sections"]
        assert (again.calls, again.tokens.input < sections.tokens.input) == (1, True)
        assert SupportKB.open(kb.workspace.folder).plan().calls == 0  # offline


def test_a_plan_counts_what_an_embedder_over_the_network_reads_of_tickets(opened: Any) -> None:
    with StubServer() as server:
        folder = opened(server).workspace.folder
        settings = {"base_url": server.url, "embedder": "openai:text-embedding-3-small"}
        (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        kb = SupportKB.open(folder)
        planned = kb.plan()
        assert server.embedded == []
        asked = kb.tickets.build()
        assert planned.tokens.input == pytest.approx(asked.tokens.input, rel=0.25)
        assert kb.plan().calls == 0


def test_a_text_stays_in_its_section_where_a_reply_is_wrong_and_is_asked_about_again(opened: Any) -> None:
    script = Scripted(read_sections=lambda _user: {"answers": []})
    with StubServer(script) as server:
        kb = opened(server)
        report = kb.tickets.build()
        assert {failure.item for failure in report.failures} == {"APP-1", "APP-2"}
        assert "root_cause" not in texts(kb, "APP-1")
        script.replies["read_sections"] = right_sections
        healed = kb.tickets.build()
        assert (healed.changed, len(healed.failures)) == (2, 0)
        assert texts(kb, "APP-1")["fix"] == TURNED


def test_a_model_reads_the_question_and_names_places_and_the_quotes_are_the_tickets_own(opened: Any) -> None:
    script = Scripted(read_sections=right_sections, parse_query=right_query, from_tickets=first_place)
    with StubServer(script) as server:
        kb = opened(server)
        kb.tickets.build()
        answer = kb.tickets.ask("Why does it crash when the camera is closed? Tell bob@example.com.")
        assert answer.outcome == "answered"
        (evidence,) = answer.evidence
        assert (evidence.ticket, evidence.section, evidence.start) == ("APP-1", "root_cause", 0)
        assert texts(kb, "APP-1")["root_cause"][: evidence.end] == evidence.quote
        assert "ann@example.com" in evidence.quote
        asked = " ".join([*script.users["parse_query"], *script.users["from_tickets"]])
        assert "@example.com" not in asked
        assert answer.question.intents == ("root_cause",)


def test_where_a_model_finds_no_answer_there_is_none_and_where_it_fails_the_sections_are_verbatim(opened: Any) -> None:
    script = Scripted(
        read_sections=right_sections,
        parse_query=lambda _user: {"answers": []},
        from_tickets=lambda _user: {"answers": [{"number": 1, "parts": []}]},
    )
    with StubServer(script) as server:
        kb = opened(server)
        kb.tickets.build()
        question = "what is the root cause of the crash when the camera is closed"
        silent = kb.tickets.ask(question)
        assert (silent.outcome, silent.reason) == (
            "abstains",
            "The tickets that were found do not say what was asked.",
        )
        script.replies["from_tickets"] = lambda _user: {"answers": []}
        verbatim = kb.tickets.ask(question + " please")
        assert verbatim.outcome == "answered"
        assert verbatim.fallback is not None
        assert verbatim.fallback.endswith("The model gave no answer; the sections are verbatim.")
        assert verbatim.evidence[0].section == "root_cause"


def ask_at_once(kb: SupportKB, monkeypatch: pytest.MonkeyPatch, *budgets: float | None) -> dict[float | None, str]:
    """Have a thread for each budget ask; all have told their budgets before any is answered."""
    all_begun, met = threading.Barrier(len(budgets)), threading.local()

    class Meeting:
        @staticmethod
        def perf_counter() -> float:
            if not hasattr(met, "once"):
                met.once = all_begun.wait(60)
            return 0.0

    monkeypatch.setattr(ask_tickets, "time", Meeting)
    ended: dict[float | None, str] = {}

    def ask(budget: float | None) -> None:
        try:
            ended[budget] = kb.tickets.ask(f"why does the camera crash? {budget}", budget=budget).outcome
        except StoppedOnPurposeError:
            ended[budget] = "stopped"

    threads = [threading.Thread(target=ask, args=(budget,)) for budget in budgets]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    return ended


def test_questions_that_threads_ask_have_budgets_of_their_own(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    script = Scripted(read_sections=right_sections, parse_query=right_query, from_tickets=first_place)
    with StubServer(script) as server:
        kb = opened(server)
        kb.tickets.build()
        kb.tickets.ask("root cause of APP-1?")
        ended = ask_at_once(kb, monkeypatch, 0.0, None, 1.0)
        kb.close()
    assert ended == {0.0: "stopped", None: "answered", 1.0: "answered"}


def test_the_budget_of_one_thread_bounds_no_other_ones_embedder(opened: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer() as server:
        folder = opened(server).workspace.folder
        settings = {"base_url": server.url, "embedder": "openai:text-embedding-3-small"}
        (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        kb = SupportKB.open(folder)
        kb.tickets.build()
        kb.tickets.ask("root cause of APP-1?")
        server.embedded.clear()
        ended = ask_at_once(kb, monkeypatch, 0.0, None, 1.0)
        sent = json.dumps(server.embedded)
        kb.close()
    assert ended.pop(0.0) == "stopped" and "stopped" not in ended.values() and len(ended) == 2
    assert "crash? 0.0" not in sent and "crash? None" in sent and "crash? 1.0" in sent


def test_suggestions_are_from_tickets_without_a_model(opened: Any) -> None:
    script = Scripted(read_sections=right_sections, parse_query=right_query, from_tickets=first_place)
    with StubServer(script) as server:
        kb = opened(server)
        kb.tickets.build()
        past, question = PastTickets(kb.workspace), "The app crashes when the camera is closed, how was it fixed?"
        assert [(one.source, one.text) for one in past.suggestions(question, ReplyRules())] == [("ticket", TURNED)]
        assert past.found(question) == ("answered", ["APP-1", "APP-2", "APP-3"])
        assert set(script.users) == {"read_sections"}
        assert past.asking.ask(question).outcome == "answered"
        assert set(script.users) == {"read_sections", "parse_query", "from_tickets"}
        past.close()


def test_ticket_questions_are_not_paid_from_the_days_budget_of_other_questions_nor_paid_again(opened: Any) -> None:
    script = Scripted(read_sections=right_sections, parse_query=right_query, from_tickets=first_place)
    with StubServer(script) as server:
        kb = opened(server)
        kb.tickets.build()
        today = datetime.now(UTC).date().isoformat()
        with kb.workspace.file() as file:
            assert (spent_on(file, "ask", today), spent_on(file, "tickets", today)) == (0.0, 0.0)
        kb.tickets.ask("root cause of APP-1?")
        with kb.workspace.file() as file:
            assert spent_on(file, "ask", today) == 0.0 < spent_on(file, "tickets", today)
            with file.transaction(), file.reading() as db:  # as an earlier version has paid for it
                db.execute("UPDATE request SET stage = 'ask' WHERE stage = 'tickets'")
                db.execute("DELETE FROM work WHERE stage = 'tickets'")
        asked = server.requests
        assert kb.tickets.ask("root cause of APP-1?").outcome == "answered"
        assert server.requests == asked
        kb.close()


def test_an_embedder_over_the_network_reads_no_private_data(opened: Any, tmp_path: Path) -> None:
    with StubServer() as server:
        kb = opened(server)
        settings = {"base_url": server.url, "embedder": "openai:text-embedding-3-small"}
        (kb.workspace.folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        SupportKB.open(kb.workspace.folder).tickets.build()
        sent = json.dumps(server.embedded)
    assert "ann@example.com" not in sent
    assert "7946 0958" not in sent
    assert "<email-1>" in sent


def test_a_question_is_read_by_the_embedder_of_the_settings_masked_and_within_the_budget(opened: Any) -> None:
    with StubServer() as server:
        kb = opened(server)
        settings = {"base_url": server.url, "embedder": "openai:text-embedding-3-small"}
        (kb.workspace.folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        kb = SupportKB.open(kb.workspace.folder)
        kb.tickets.build()
        server.embedded.clear()
        assert kb.tickets.ask("root cause of APP-1? Tell bob@example.com").outcome == "answered"
        assert len(kb.tickets.similar("It closes at once, says carl@example.com.", 2).tickets) == 2
        sent = json.dumps(server.embedded)
        assert "root cause of APP-1? Tell <email-1>" in sent
        assert "It closes at once, says <email-1>." in sent
        assert "@example.com" not in sent
        assert kb.costs().tasks["embedding"].calls >= 2
        server.embedded.clear()
        with pytest.raises(StoppedOnPurposeError):
            kb.tickets.ask("why are the menus white?", budget=0.0)
        assert server.embedded == []
        kb.close()


def test_an_evaluation_over_the_network_reads_no_private_data(opened: Any, tmp_path: Path) -> None:
    query = {"id": "1", "text": "It closes at once, says carl@example.com."}
    (tmp_path / "q.jsonl").write_text(json.dumps(query) + "\n", encoding="utf-8")
    (tmp_path / "q.tsv").write_text("1\tAPP-1\t1\n", encoding="utf-8")
    with StubServer() as server:
        folder = opened(server).workspace.folder
        settings = {"base_url": server.url, "embedder": "openai:text-embedding-3-small"}
        (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        kb = SupportKB.open(folder)
        kb.tickets.build()
        kb.evaluate.tickets(tmp_path / "q.jsonl", tmp_path / "q.tsv")
        sent = json.dumps(server.embedded)
    assert "It closes at once, says <email-1>." in sent
    assert "@example.com" not in sent
    assert "7946 0958" not in sent


def test_a_template_is_drafted_by_a_model(opened: Any) -> None:
    script = Scripted(draft_template=lambda _user: {"answers": [{"number": 1, "sections": []}]})
    with StubServer(script) as server:
        drafted = opened(server).tickets.draft_template()
    assert (drafted.made_by, drafted.calls, drafted.sections) == ("model", 1, ())
