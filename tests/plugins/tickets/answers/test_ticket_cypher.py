"""``tickets ask --cypher`` with a model: what it writes runs where it passes, and only real sections are shown."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import small_tickets
from autokb.app import SupportKB
from autokb.plugins.tickets.answers.subgraph import NO_SECTION
from autokb.plugins.tickets.cypher.ladybug import MAKING_FOLDER, PROJECTION_FILE
from autokb.plugins.tickets.cypher.reader import NOTHING_WRITTEN
from stub_server import StubServer

needs_engine = pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")
QUESTION = "What is the root cause of APP-1? Tell bob@example.com."
CAUSE, FIX = "The surface was freed twice.", "Update to 2.1."
RECORDS = [
    small_tickets.record(
        "APP-1",
        "App crashes when the camera is closed",
        f"It closes at once.\n\nh3. Root cause\n{CAUSE}\n\nh3. Fix\n{FIX}",
    ),
    small_tickets.record("APP-2", "Printing cuts off the last page", "Long reports lose it."),
]
OF_FIX = "MATCH (t:Ticket {id: 'APP-1'})-[:HAS_FIX]->(f:Fix) "


class Writer:
    """A model that writes ``cypher`` where it is asked to, and otherwise takes the first place it is shown."""

    def __init__(self) -> None:
        self.cypher: str | None = None
        self.asked: list[str] = []  # what it was shown of each question to be written as Cypher

    def __call__(self, body: dict[str, Any]) -> str:
        name = body["response_format"]["json_schema"]["name"].removeprefix("tickets_")
        entry: dict[str, Any] = {"parts": [{"places": [1], "text": ""}]}
        if name == "parse_query":
            entry = {"entities": [], "intents": ["root_cause"], "filters": [], "links": []}
        elif name == "write_cypher":
            self.asked.append(str(body["messages"]))
            entry = {"cypher": self.cypher}
        return json.dumps({"answers": [] if entry.get("cypher", "") is None else [{"number": 1, **entry}]})


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cypher")
    kb = SupportKB.create(folder / "kb", "headphones")
    kb.add([small_tickets.write(folder / "tickets.json", RECORDS)], "tickets")
    kb.tickets.build()
    return kb.workspace.folder


Opened = tuple[SupportKB, Writer]


@pytest.fixture
def opened(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Opened]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    folder, writer = Path(shutil.copytree(built, tmp_path / "kb")), Writer()
    with StubServer(writer) as server:
        settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
        (folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
        kb = SupportKB.open(folder, model="openai:scripted")
        yield kb, writer
        kb.close()


def plan_of(kb: SupportKB) -> str:
    """Return the plan of the question as Cypher, as it is shown without a model."""
    offline = SupportKB.open(kb.workspace.folder)
    shown = offline.tickets.ask(QUESTION, cypher=True).cypher
    offline.close()
    assert shown is not None and shown.refused is None
    return shown.text


@pytest.mark.slow  # starts the engine's process
@needs_engine
@pytest.mark.parametrize(
    "returned", ["t.id AS ticket, 'fix' AS section, f.text AS text", "t.id AS ticket, f.text AS how_it_was_solved"]
)
def test_what_a_model_writes_runs_and_the_sections_that_it_gave_answer(opened: Opened, returned: str) -> None:
    kb, writer = opened
    writer.cypher = f"{OF_FIX}RETURN {returned}"
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None
    assert (answer.cypher.text, answer.cypher.refused) == (f"{writer.cypher} LIMIT 200", None)
    assert (answer.outcome, answer.fallback) == ("answered", None)
    assert [(e.ticket, e.section, e.start, e.quote) for e in answer.evidence] == [("APP-1", "fix", 0, FIX)]
    (shown,) = writer.asked
    assert "App crashes when the camera is closed" in shown
    assert "bob@example.com" not in shown


@pytest.mark.slow  # starts the engine's process
@needs_engine
@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("MATCH (t:Ticket) DETACH DELETE t", "DETACH is not allowed"),
        ("LOAD FROM '/etc/passwd' RETURN *", "LOAD is not allowed"),
        ("MATCH (t:Ticket) RETURN sum(t.title) AS ticket", "could not be run"),  # passes, and the engine refuses it
    ],
)
def test_what_is_refused_does_not_run_and_the_plan_answers(opened: Opened, written: str, why: str) -> None:
    kb, writer = opened
    writer.cypher = written
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None and answer.cypher.refused is not None
    assert why in answer.cypher.refused
    assert answer.cypher.text == plan_of(kb)
    assert [(e.section, e.quote) for e in answer.evidence] == [("root_cause", CAUSE)]
    assert answer.fallback is None
    assert kb.tickets.overview().tickets == len(RECORDS)


@pytest.mark.slow  # starts the engine's process
@needs_engine
@pytest.mark.parametrize(
    "returned",
    [
        "t.id AS ticket, 'fix' AS section, 'Throw it away.' AS text",  # no text of that section
        "t.id AS ticket, 'steps' AS section, f.text AS text",  # no section of that name
        "'APP-404' AS ticket, 'fix' AS section, f.text AS text",  # no ticket of that id
        "t.id AS ticket, substring(f.text, 0, 6) AS text",  # a part is not what is published
        "f.text AS text",
        "count(*) AS ticket",
    ],
)
def test_rows_that_are_no_sections_of_tickets_are_no_evidence(opened: Opened, returned: str) -> None:
    kb, writer = opened
    writer.cypher = f"{OF_FIX}RETURN {returned}"
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None
    assert (answer.cypher.text, answer.cypher.refused) == (f"{writer.cypher} LIMIT 200", None)
    assert [(e.section, e.quote) for e in answer.evidence] == [("root_cause", CAUSE)]
    assert answer.fallback == NO_SECTION
    assert "Throw it away" not in answer.answer


@pytest.mark.slow  # starts the engine's process
@needs_engine
def test_a_model_that_writes_nothing_leaves_it_to_the_plan(opened: Opened) -> None:
    kb, _ = opened
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None
    assert (answer.cypher.text, answer.cypher.refused) == (plan_of(kb), NOTHING_WRITTEN)
    assert [e.quote for e in answer.evidence] == [CAUSE]


@pytest.mark.slow  # starts the engine's process
@needs_engine
def test_where_the_engine_fails_the_plan_answers_and_it_is_said_why(opened: Opened) -> None:
    kb, writer = opened
    writer.cypher = f"{OF_FIX}RETURN t.id AS ticket, f.text AS text"
    (kb.workspace.folder / MAKING_FOLDER).write_text("in the way", encoding="utf-8")
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None and answer.cypher.refused is not None
    assert "The graph for Cypher cannot be made" in answer.cypher.refused
    assert answer.cypher.text == plan_of(kb)
    assert [e.quote for e in answer.evidence] == [CAUSE]


@pytest.mark.slow  # starts the engine's process
@needs_engine
def test_without_cypher_nothing_is_written_and_no_engine_is_opened(opened: Opened) -> None:
    kb, writer = opened
    answer = kb.tickets.ask(QUESTION)
    assert (answer.outcome, answer.cypher, writer.asked) == ("answered", None, [])
    assert not (kb.workspace.folder / PROJECTION_FILE).exists()


@pytest.mark.slow  # two processes
def test_a_question_without_cypher_imports_nothing_of_it(built: Path) -> None:
    asked = (
        "import sys; from autokb.app import SupportKB; "
        f"kb = SupportKB.open(sys.argv[1]); answer = kb.tickets.ask({QUESTION!r}, cypher=len(sys.argv) > 2); "
        "print(answer.outcome, any(name.startswith('autokb.plugins.tickets.cypher') for name in sys.modules))"
    )
    for more, imported in (([], "False"), (["--cypher"], "True")):
        ran = subprocess.run(
            [sys.executable, "-c", asked, str(built), *more], capture_output=True, text=True, check=True
        )
        assert ran.stdout.split() == ["answered", imported]


@pytest.mark.slow  # starts the engine's process
@needs_engine
def test_where_there_is_nothing_to_read_there_is_no_cypher(opened: Opened) -> None:
    kb, writer = opened
    answer = kb.tickets.ask("What's a good recipe for pancakes?", cypher=True)
    assert (answer.outcome, answer.cypher, writer.asked) == ("abstains", None, [])


def test_without_an_engine_the_plan_is_shown_and_nothing_is_written(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, writer = opened
    monkeypatch.setitem(sys.modules, "ladybug", None)  # as Python sees a package that is not installed
    answer = kb.tickets.ask(QUESTION, cypher=True)
    assert answer.cypher is not None
    assert (answer.cypher.text, answer.cypher.refused) == (plan_of(kb), None)
    assert (answer.outcome, writer.asked) == ("answered", [])
