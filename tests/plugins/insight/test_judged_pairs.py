"""Contradictions by a model: asked on the command line alone, kept, and shown from then on without asking."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.core.spending import Figures
from autokb.plugins.insight import findings
from autokb.plugins.insight.findings import Finding
from autokb.stores.published import read_published
from autokb.web.app import create_app
from stub_server import StubServer
from two_manuals import build_two_manuals

NAME = "openai:stub"
ROUTER = """\
# Router

## Reset the router

1. Hold the reset button of the router for 10 seconds.
2. Put the router upright on the shelf.
"""
BOX = """\
# Box

## Reset your router

1. Hold the reset button of the router for 10 seconds again.
2. Lay the router flat on the shelf.
"""
ISSUES = "id,text\n1,how do I reset the router\n2,reset router to factory settings please\n"
Script = Callable[[str], dict[str, Any]]
PAIR = re.compile(r"<pair number=\"(\d+)\">\n(.*?)\n</pair>", re.DOTALL)


def upright_or_flat(pair: str) -> dict[str, Any]:
    """Find what only a reader of the words can: one puts it upright, the other lays it flat."""
    numbers = {word: re.findall(rf"^\[(\d+)\] .*\b{word}\b", pair, re.MULTILINE) for word in ("upright", "flat")}
    if not all(numbers.values()):
        return {"reason": "Both can be done.", "disagree": "no", "lines": []}
    lines = sorted(int(found[0]) for found in numbers.values())
    return {"reason": "It <b>stands</b> here and lies there.", "disagree": "yes", "lines": lines}


class Model:
    """Answers with what its script says of each pair."""

    script: Script = staticmethod(upright_or_flat)

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        pairs = PAIR.findall(body["messages"][1]["content"])
        return {"answers": [{"number": int(number), **self.script(text)} for number, text in pairs]}


@pytest.fixture(scope="module")
def _built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_two_manuals(tmp_path_factory.mktemp("pairs"), ROUTER, BOX, ISSUES)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def server(model: Model) -> Iterator[StubServer]:
    with StubServer(model) as stub:
        yield stub


@pytest.fixture
def folder(_built: Path, tmp_path: Path, server: StubServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace whose settings name a model, which nobody may ask for a page."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    found = Path(shutil.copytree(_built / "kb", tmp_path / "kb"))
    own = SupportKB.open(found)
    own.remove([_built / "manuals"])
    own.add([shutil.copytree(_built / "manuals", tmp_path / "manuals")])
    own.close()
    settings = f"base_url: {server.url}\nretries: 0\nmodel: {NAME}\nprices: {{stub: {{input: 1.0, output: 2.0}}}}\n"
    (found / "settings.yaml").write_text(settings, encoding="utf-8")
    return found


def contradictions(folder: Path) -> list[Finding]:
    return list(SupportKB.open(folder).curation.stale("contradiction").findings)


def test_what_a_model_found_is_kept_and_shown_without_asking_again(
    folder: Path, server: StubServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert contradictions(folder) == [] and server.requests == 0
    assert main(["stale", str(folder), "--model", NAME, "--json"]) == 0
    out, err = capsys.readouterr()
    asked, said = server.requests, json.loads(out)
    assert asked > 0 and said["judged"]["spending"]["calls"] == asked
    assert said["judged"]["disagree"] == 1 and said["judged"]["failures"] == []
    assert re.search(r"To ask about: \d+ pairs? in \d+ requests?, \$0\.\d+\.\n", err)
    assert re.search(r"1 of \d+ pairs? disagree; it cost \$0\.\d+\.\n", err)
    (found,) = contradictions(folder)
    assert found.text == "It <b>stands</b> here and lies there." and found.id == said["findings"][0]["id"]
    with SupportKB.open(folder).workspace.file() as file:
        documents = read_published(file).kb.documents
    assert {documents[p.document].text[p.start : p.end] for p in found.places} == {p.quote for p in found.places}
    assert sorted(p.quote[3:] for p in found.places) == [
        "Lay the router flat on the shelf.",
        "Put the router upright on the shelf.",
    ]
    app = create_app(folder)
    with TestClient(app, base_url="http://127.0.0.1:8000", client=("127.0.0.1", 50_000)) as client:
        page = client.get("/stale?kind=contradiction", headers={"accept": "text/html"}).text
    assert "It &lt;b&gt;stands&lt;/b&gt; here" in page and server.requests == asked
    assert main(["stale", str(folder), "--model", NAME]) == 0  # nothing is paid twice
    assert server.requests == asked and "To ask about: 0 pairs in 0 requests" in capsys.readouterr().err
    SupportKB.open(folder).curation.settle_finding(found.id, "dismissed", author="ann")
    assert contradictions(folder) == []


def test_a_model_decides_where_it_was_asked(folder: Path, model: Model) -> None:
    kb = SupportKB.open(folder, model=NAME)
    change(kb, "box.md", BOX.replace("10 seconds again", "30 seconds"))
    (by_rules,) = contradictions(folder)
    assert by_rules.text.startswith("They name different amounts")
    model.script = lambda _pair: {"reason": "Both can be done.", "disagree": "no", "lines": []}
    assert kb.curation.judge_contradictions().disagree == 0
    assert contradictions(folder) == []


def test_a_text_that_changes_is_not_asked_about_by_itself(folder: Path, server: StubServer) -> None:
    kb = SupportKB.open(folder, model=NAME)
    kb.curation.judge_contradictions()
    asked = server.requests
    change(kb, "box.md", BOX.replace("flat on the shelf", "flat on the table"))
    assert contradictions(folder) == [] and server.requests == asked
    kb.curation.judge_contradictions()
    assert len(contradictions(folder)) == 1 and server.requests > asked


@pytest.mark.parametrize("lines", [[1, 99], [1, 2], [], "rubbish"])
def test_a_reply_that_names_no_two_lines_is_a_failure(folder: Path, model: Model, lines: Any) -> None:
    model.script = lambda _pair: {"reason": "So it is.", "disagree": "yes", "lines": lines}
    judged = SupportKB.open(folder, model=NAME).curation.judge_contradictions()
    assert judged.disagree == 0 and len(judged.failures) == judged.pairs > 0
    assert {failure.stage for failure in judged.failures} == {"contradictions"}
    assert contradictions(folder) == []


def test_the_budget_is_kept_and_what_may_be_asked_is_told_before(folder: Path, server: StubServer) -> None:
    kb = SupportKB.open(folder, model=NAME)
    told: list[tuple[int, Figures]] = []
    with pytest.raises(StoppedOnPurposeError):
        kb.curation.judge_contradictions(budget=0.0, told=lambda pairs, figures: told.append((pairs, figures)))
    ((pairs, figures),) = told
    assert server.requests == 0 and pairs > 0 and figures.calls > 0 and figures.cost
    assert contradictions(folder) == []
    judged = kb.curation.judge_contradictions(budget=1.0)
    assert judged.spending.calls == server.requests == figures.calls


def test_a_run_that_is_killed_goes_on_with_what_was_paid_for(folder: Path, server: StubServer) -> None:
    kb = SupportKB.open(folder, model=NAME)
    kb.curation.judge_contradictions()
    asked = server.requests
    with sqlite3.connect(folder / "knowledge.db") as db:  # as a kill leaves it: replies paid for, answers not kept yet
        assert db.execute("DELETE FROM work WHERE stage = 'contradictions'").rowcount > 0
    assert contradictions(folder) == []
    judged = kb.curation.judge_contradictions()
    assert server.requests == asked and judged.disagree == 1 and judged.spending.cached > 0
    assert len(contradictions(folder)) == 1


def test_the_pairs_most_alike_are_asked_about(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = SupportKB.open(folder, model=NAME)
    lamp = "# Reset the router by voice\n\n1. Say the word to the lamp beside the router.\n2. Hold the button.\n"
    change(kb, "lamp.md", lamp)
    told: list[int] = []
    with monkeypatch.context() as patch:
        patch.setattr(findings, "MOST_JUDGED", 1)
        judged = kb.curation.judge_contradictions(told=lambda pairs, _figures: told.append(pairs))
    assert judged.pairs == 1 and judged.disagree == 1 and told == [1]
    more = kb.curation.judge_contradictions()
    assert more.pairs > 1 and more.disagree == 1 and not more.failures


def test_the_last_model_that_was_asked_has_the_word(folder: Path, model: Model, server: StubServer) -> None:
    SupportKB.open(folder, model=NAME).curation.judge_contradictions()
    model.script = lambda _pair: {"reason": "Both can be done.", "disagree": "no", "lines": []}
    SupportKB.open(folder, model="openai:other").curation.judge_contradictions()
    assert contradictions(folder) == []
    asked = server.requests
    SupportKB.open(folder, model=NAME).curation.judge_contradictions()
    assert len(contradictions(folder)) == 1 and server.requests == asked


def test_without_a_model_nobody_is_asked(folder: Path, server: StubServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["stale", str(folder)]) == 0 and server.requests == 0
    with pytest.raises(BadInputError, match="needs a model"):
        SupportKB.open(folder, model="offline").curation.judge_contradictions()
    capsys.readouterr()
    assert main(["stale", str(folder), "--budget", "1"]) == 2
    assert "--budget goes with --model" in capsys.readouterr().err and server.requests == 0


def change(kb: SupportKB, name: str, text: str) -> None:
    """Write a manual anew, and build offline."""
    manuals = kb.workspace.folder.parent / "manuals"
    (manuals / name).write_text(text, encoding="utf-8")
    offline = SupportKB.open(kb.workspace.folder, model="offline")
    offline.add([manuals])
    offline.build()
    offline.close()
