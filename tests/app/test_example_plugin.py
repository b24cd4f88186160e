"""The example of a plug-in, built as a wheel and installed, does all that it says without a changed line in autokb."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from benchmarks.postgres_server import PostgresServer
from starlette.testclient import TestClient

import installed_plugins
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.errors import AutokbWarning, BadInputError
from autokb.core.plugins import PluginError, plugins
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.web.app import create_app
from real_postgres import needs_postgres

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "autokb-plugin-notes"
HERE = ("127.0.0.1", 50_000)
NOTE = "Quiet hours\nurl: https://notes.example/quiet\n\nMow at noon.\n\n* Open the app.\n* Tap Quiet hours.\n"
PIP = [sys.executable, "-m", "pip", "-q", "--disable-pip-version-check"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the wheel of the example is installed in; nothing is fetched."""
    here = tmp_path_factory.mktemp("notes")
    shutil.copytree(EXAMPLE, here / "source", ignore=shutil.ignore_patterns("build", "*.egg-info"))
    offline = ["--no-deps", "--no-index", "--no-build-isolation"]
    for words in (
        [*PIP, "wheel", *offline, "-w", str(here / "wheels"), str(here / "source")],
        [*PIP, "install", *offline, "--target", str(here / "site"), *()],
    ):
        built = [str(one) for one in (here / "wheels").glob("*.whl")] if "install" in words else []
        subprocess.run([*words, *built], check=True, timeout=300, capture_output=True)
    return here / "site"


@pytest.fixture
def installed(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PYTHONPATH", str(wheel), prepend=":")  # of the processes that convert files
    with installed_plugins.on_path(wheel):
        yield


def output(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


@pytest.mark.usefixtures("installed")
def test_it_is_listed_with_its_package_and_loads(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "--json"]) == 0
    found = output(capsys)
    (one,) = (one for one in found["plugins"] if not one["built_in"])
    assert (one["name"], one["package"], one["version"]) == ("notes", "autokb-plugin-notes", "1.0")
    assert found["problems"] == []
    assert {"formats", "sources", "features", "tables", "tools", "doctor", "digest"} <= one["brings"].keys()
    assert one["brings"]["sources"] == ["notes.vault"] and one["brings"]["formats"] == [".note"]  # as settings say it


@pytest.mark.usefixtures("installed")
def test_its_file_format_and_its_source_are_read(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "quiet.note").write_text(NOTE, encoding="utf-8")
    (tmp_path / "new" / "bad.note").write_bytes(b"\xff\xfe\xfa")
    done = SupportKB(hand_made).add([tmp_path / "new"])
    assert done.added == 1
    assert [(one.path, one.reason) for one in done.skipped] == [("bad.note", "is no UTF-8 text; save it as such.")]
    with hand_made.file() as file:
        body = file.staged_some("documents", ["quiet.note"])["quiet.note"].body
    assert body["title"] == "Quiet hours"
    assert body["url"] == "https://notes.example/quiet"
    assert body["text"] == "# Quiet hours\n\nMow at noon.\n\n1. Open the app.\n2. Tap Quiet hours.\n"

    vault = hand_made.folder / "vault.jsonl"
    lines = [{"id": f"n{n}", "title": f"Note {n}", "text": f"Turn knob {n}.", "changed": "1"} for n in range(3)]
    vault.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    settings = {"sources": {"team": {"type": "notes.vault", "path": "vault.jsonl"}}}
    (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    kb = SupportKB.open(hand_made.folder)
    first, again = kb.sync().sources["team"], kb.sync().sources["team"]
    assert (first.added, first.error) == (3, None)
    assert (again.added, again.unchanged) == (0, 3)
    vault.write_text("no JSON", encoding="utf-8")
    assert kb.sync().sources["team"].error == "A line of the vault is no JSON; mend it."


@pytest.mark.usefixtures("installed")
def test_its_command_setting_page_route_tool_and_lines(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(hand_made.folder)
    (hand_made.folder / "settings.yaml").write_text("plugins: {notes: {most_pins: 1}}\n", encoding="utf-8")
    assert main(["notes", "pin", folder, "charging.md", "--author", "ann", "--reason", "New docks", "--json"]) == 0
    assert output(capsys) == {"pins": [{"document": "charging.md", "author": "ann", "reason": "New docks"}]}
    assert main(["notes", "pin", folder, "rain.md"]) == 2
    assert "1 documents are pinned already" in capsys.readouterr().err
    found = SupportKB.doctor(hand_made.folder)
    assert "notes: 1 of 1 pins are used" in found.notes
    kb = SupportKB.open(hand_made.folder)
    assert "## What was pinned\n\n- charging.md" in kb.usage.digest("2026-01-01").markdown
    with TestClient(create_app(hand_made.folder), base_url="http://127.0.0.1:8000", client=HERE) as client:
        assert client.get("/v1/notes").json()["pins"][0]["document"] == "charging.md"
        assert client.post("/v1/notes", json={"document": "rain.md"}).status_code == 422
        assert "/v1/notes" in client.get("/openapi.json").json()["paths"]
        page = client.get("/notes", headers={"accept": "text/html"}).text
        assert "New docks" in page
        assert page.index(">Knowledge<") < page.index(">Notes<") < page.index(">Review<")
        reader = SupportKB.open(hand_made.folder).keys.create("reader")
        headers = {"authorization": f"Bearer {reader.key}"}
        assert client.get("/v1/notes", headers=headers).status_code == 200
        assert client.post("/v1/notes", json={"document": "rain.md"}, headers=headers).status_code == 403
        assert client.get("/v1/notes").status_code == 401
    from autokb.plugins.mcp.tools import tools_of_plugins

    (tool,) = tools_of_plugins()
    assert (tool.name, tool.role) == ("notes_pinned", "reader")
    assert tool.work(kb, "reader", tool.takes())["pins"][0]["reason"] == "New docks"


@pytest.mark.usefixtures("installed")
def test_its_feature_is_used_where_it_gains_on_the_workspaces_own_checks(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = SupportKB(hand_made)
    with pytest.raises(BadInputError, match="20 are needed"):
        kb.evaluate.fit_features()
    before = kb.ask("what do I do with the robot", explain=True).as_json()["explain"]
    # What this team wants to come first, whatever is asked.
    words = "now today here later again outside then daily".split()
    beginnings = ("what do I do with the robot", "how do I look after the robot", "any advice on the mower")
    asked = [f"{beginning} {word}" for beginning in beginnings for word in words]
    for n, text in enumerate(asked):
        kb.checks.add_one({"id": f"c{n}", "text": text, "document": "garage.md"})
    fitted = kb.evaluate.fit_features()
    assert [one.used for one in fitted.features] == [False], "nothing is pinned, so nothing can gain"
    kb.notes.add("garage.md", "ann")  # type: ignore[attr-defined]
    fitted = kb.evaluate.fit_features()
    (one,) = fitted.features
    assert one.used and one.weight > 0 and one.gain > 2 * one.standard_error
    assert fitted.after > fitted.before
    told = kb.ask("what do I do with the robot", explain=True).as_json()["explain"]
    assert told["features"] == [*before["features"], "notes.pinned"]  # type: ignore[index]
    assert told["weights"]["notes.pinned"] == one.weight  # type: ignore[index]
    shown = {place["document"]: place["values"][-1] for place in told["candidates"]}  # type: ignore[index]
    assert shown["garage.md"] == 1.0 and sum(shown.values()) == 1.0
    places = [[place["document"] for place in one["candidates"]].index("garage.md") for one in (before, told)]  # type: ignore[index]
    assert places[1] < places[0]
    for failing, said in ((lambda *_: 1 / 0, "ZeroDivisionError"), (lambda *_: [math.nan] * 40, "one finite number")):
        with monkeypatch.context() as patched, pytest.raises(PluginError, match=said):
            patched.setattr("autokb_plugin_notes.pins.pinned", failing)
            kb.evaluate.fit_features()
    told = kb.ask("what do I do with the robot", explain=True).as_json()["explain"]
    assert told["weights"]["notes.pinned"] == one.weight, "a feature that fails keeps the weight it had"  # type: ignore[index]
    kb.close()
    assert main(["rank", "fit", str(hand_made.folder)]) == 0
    assert "notes.pinned  gain +" in capsys.readouterr().out


@pytest.mark.usefixtures("installed")
def test_its_study_is_an_evaluation_with_an_interval(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = SupportKB(hand_made)
    kb.notes.add("charging.md", "ann")  # type: ignore[attr-defined]
    asked = ("the battery does not charge in the dock", "the blades are worn, how do I change them")
    for n, text in enumerate(asked):
        kb.checks.add_one({"id": f"c{n}", "text": text, "document": "garage.md"})
    found = kb.study("notes.first").as_json()
    kb.close()
    assert (found["pins"], found["answered"], found["pinned_first"]["value"]) == (1, 2, 0.5)
    assert found["pinned_first"]["low"] == 0.0 and found["pinned_first"]["high"] == 1.0
    words = ["evaluate", "notes.first", str(hand_made.folder)]
    assert main([*words, "--json"]) == 0
    assert output(capsys) == found
    assert main([*words, "--report", str(tmp_path / "report.html")]) == 0
    assert "0.500 [0.000, 1.000]" in capsys.readouterr().out
    assert "pinned_first" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert main(["evaluate", "notes.second", str(hand_made.folder)]) == 1
    assert "The plug-in notes has no 'second' among its studies; it has first." in capsys.readouterr().err


def test_without_it_its_workspace_answers_as_before_and_says_what_is_out_of_reach(
    wheel: Path, hand_made: Workspace
) -> None:
    with installed_plugins.on_path(wheel):
        kb = SupportKB(hand_made)
        kb.notes.add("garage.md", "ann")  # type: ignore[attr-defined]
        with hand_made.file() as file, file.transaction():
            file.note("weights of plug-ins", '{"notes.pinned": 9.0}')
        assert kb.ask("the battery does not charge").shown[0].evidence[0].document == "garage.md"
        kb.close()
    plugins.cache_clear()
    kb = SupportKB.open(hand_made.folder)
    with pytest.warns(AutokbWarning, match=r"notes\.pinned is out of reach"):
        assert kb.ask("the battery does not charge in the dock").shown[0].evidence[0].document == "charging.md"
    assert any("tables of the plug-in notes are kept" in one for one in SupportKB.doctor(hand_made.folder).notes)
    kb.close()


@needs_postgres
@pytest.mark.slow
@pytest.mark.usefixtures("installed")
def test_its_table_is_moved_to_postgres_and_back(tmp_path: Path, postgres: PostgresServer, wheel: Path) -> None:
    workspace = create_workspace(tmp_path / "kb", "name: fresh\n", "")
    from autokb_plugin_notes.pins import Pin, read_pins  # type: ignore[import-not-found]

    from autokb.stores.plugin_tables import plugin_tables

    with plugin_tables(workspace, "notes", write=True) as file:
        file.change("INSERT INTO notes_pin (document, author, reason) VALUES ('a.md', 'ann', 'Because')")
    url = postgres.url("m_notes")
    done = SupportKB(workspace).move(url)
    assert done.tables["notes_pin"] == 1
    moved = open_workspace(tmp_path / "kb")
    assert moved.is_on_server
    assert read_pins(moved) == [Pin("a.md", "ann", "Because")]
    with plugin_tables(moved, "notes", write=True) as file:
        file.change("UPDATE notes_pin SET reason = ?", ("Still",))
    sys.path.remove(str(wheel))
    plugins.cache_clear()
    with pytest.raises(BadInputError, match="must be there to move them"):
        SupportKB(moved).move(tmp_path / "nowhere")
    sys.path.insert(0, str(wheel))
    plugins.cache_clear()
    SupportKB(moved).move(tmp_path / "back")
    assert read_pins(open_workspace(tmp_path / "back")) == [Pin("a.md", "ann", "Still")]
    moved.let_go()
