"""Plug-ins that fail, hang or claim what is not theirs are named and contained; nothing is lost.

See test_plugins.py for names that a plug-in may not claim, and test_plugins_of_workspaces.py for a migration that fails
half way.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import installed_plugins
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core import plugins as found_plugins
from autokb.core.errors import AutokbWarning
from autokb.core.plugins import PluginError
from autokb.plugins.mcp.tools import tools_of_plugins
from autokb.sources import read_documents, subprocess_converter
from autokb.stores.workspace import Workspace
from autokb.web.app import create_app

HERE = ("127.0.0.1", 50_000)
QUESTION = "the battery does not charge in the dock"
DECLARED = """
from autokb.plugin import *

plugin = Plugin(
    "hostile",
    namespace="hostile_code:Namespace",
    commands=(
        Command("hostile", "hostile_code:command", "Fails."), Command("hostile-ends", "hostile_code:ends", "Ends."),
    ),
    routes=(Route("/v1/hostile", "hostile_code:route", "reader"),),
    pages=(Page("/hostile", "hostile_missing:page", "reader", menu="Hostile"),),
    tools=(Tool("hostile_tool", "hostile_code:tool", "hostile_missing:Arguments", "Fails."),),
    settings="hostile_code:wrong",
    doctor="hostile_code:doctor",
    digest={"Hostile": "hostile_code:digest"},
    formats={".bad": "hostile_code:read", ".slow": "hostile_code:spin"},
    sources={
        "never": "hostile_code:source",
        **{name: f"hostile_code:{name}" for name in ("five", "no_steps", "no_items", "no_json")},
    },
    features={"wild": "hostile_code:feature"},
    studies={"raises": "hostile_code:study", "odd": "hostile_code:odd_study", "none": "hostile_code:empty_study"},
)
"""
CODE = """
import time

class Namespace:
    def __init__(self, kb):
        raise RuntimeError("no namespace")

def command(workspace: str, json: bool = False) -> None:
    raise RuntimeError("no command")

def ends(status: int) -> None:
    print("ends")
    raise SystemExit("nine" if status == 9 else status)

def route():
    raise RuntimeError("no route")

def tool(kb, role, asked):
    return {}

def doctor(workspace):
    yield "one line"
    time.sleep(600)

def digest(workspace, since):
    raise RuntimeError("no digest")

def read(data):
    raise RuntimeError("no reader")

def spin(data):
    while True:
        pass

def source(workspace, source, fetcher, progress):
    raise RuntimeError("no source")

def five(workspace, source, fetcher, progress):
    yield 5

def no_steps(workspace, source, fetcher, progress):
    return 5

def no_items(workspace, source, fetcher, progress):
    from autokb.feeds.items import Step
    yield Step(("one",), {"listing": 1}, complete=True)

def no_json(workspace, source, fetcher, progress):
    from autokb.core.nouns import Document
    from autokb.feeds.items import Item, Step
    from autokb.sources import SourceRecord
    text = SourceRecord(Document("one", "One", "# One\\n\\nTurn the key.\\n"), "", "one")
    yield Step((Item("one", {"changed": object()}, text),), {"listing": 1}, complete=True)
    yield

def study(kb):
    raise RuntimeError("no study")

def odd_study(kb):
    return {"systems": 3}

def empty_study(kb):
    return object()

def feature(workspace, question, found):
    raise RuntimeError("no feature")

wrong = 7
"""


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    place = tmp_path / "installed"
    installed_plugins.write(place, "hostile", {"hostile_plugin.py": DECLARED, "hostile_code.py": CODE})
    installed_plugins.write(place, "raises", {"raises_plugin.py": "raise RuntimeError('no such engine')"})
    claims = "from autokb.plugin import *\nplugin = Plugin('claims', commands=(Command('ask', 'a:b', 'Asks.'),))"
    installed_plugins.write(place, "claims", {"claims_plugin.py": claims})
    page = "from autokb.plugin import *\nplugin = Plugin('page', pages=(Page('/page', 'a:b'),))"
    installed_plugins.write(place, "page", {"page_plugin.py": page})
    monkeypatch.setenv("PYTHONPATH", str(place), prepend=":")  # of the processes that convert files
    monkeypatch.setattr(found_plugins, "LONGEST_LINES", 0.2)
    with installed_plugins.on_path(place), warnings.catch_warnings():
        warnings.simplefilter("ignore", AutokbWarning)
        yield


@pytest.mark.usefixtures("hostile")
def test_each_is_named_and_a_question_is_answered_as_ever(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plugins", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in found["plugins"] if not one["built_in"]] == ["hostile"]
    said = "\n".join(found["problems"])
    for expected in (
        "no such engine",
        "'ask' must be claims or begin with claims-",
        "'/page' needs a role: reader, agent",
        "hostile_missing",
        "hostile_code:wrong is not a pydantic model",
    ):
        assert expected in said
    assert main(["ask", str(hand_made.folder), QUESTION, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "answered"


@pytest.mark.usefixtures("hostile")
def test_a_command_that_fails_is_named_as_the_plugins(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hostile", str(hand_made.folder), "--json"]) == PluginError.exit_status == 1
    found = capsys.readouterr()
    sentence = "The plug-in hostile: autokb hostile failed (RuntimeError: no command, hostile_code.py:9)."
    assert json.loads(found.out) == {"error": sentence}
    assert found.err.endswith(f"{sentence}\n") and "Traceback" in found.err and "fault in autokb" not in found.err
    assert main(["hostile", "no such word", "nor this"]) == 2
    assert "Got unexpected extra argument" in capsys.readouterr().err
    assert main(["hostile-ends", "0"]) == 0
    assert main(["hostile-ends", "7"]) == 7
    assert capsys.readouterr().out == "ends\nends\n"
    assert main(["hostile-ends", "9"]) == 1
    assert capsys.readouterr().err == "nine\n"
    done = installed_plugins.run(hand_made.folder.parent / "installed", "hostile", str(hand_made.folder))
    assert done.returncode == 1 and sentence in done.stderr


@pytest.mark.usefixtures("hostile")
def test_doctor_and_digest_name_what_hangs_and_what_raises(hand_made: Workspace) -> None:
    found = SupportKB.doctor(hand_made.folder)
    assert "The plug-in hostile: hostile_code:wrong is not a pydantic model." in found.problems
    assert not any("fault in autokb" in one for one in found.problems)
    assert any("hostile_code:doctor takes more than 0.2 seconds" in one for one in found.problems)
    assert any("no such engine" in one for one in found.notes)
    assert found.published["solution"] > 0
    kb = SupportKB(hand_made)
    page = kb.usage.digest("2026-01-01").markdown
    assert "## Hostile" in page and "no digest" in page and "## What helped" in page
    with pytest.raises(PluginError, match=r"The plug-in hostile: hostile_code:Namespace failed .*no namespace"):
        kb.hostile  # type: ignore[attr-defined]  # noqa: B018
    kb.close()


@pytest.mark.usefixtures("hostile")
def test_the_service_runs_without_the_paths_that_cannot_be_made(hand_made: Workspace) -> None:
    with pytest.warns(AutokbWarning, match="The plug-in hostile: /hostile is left out"):
        app = create_app(hand_made.folder)
    assert not list(tools_of_plugins())
    client = TestClient(app, base_url="http://127.0.0.1:8000", client=HERE, raise_server_exceptions=False)
    with client:
        assert client.get("/hostile").status_code == 404
        refused = client.get("/v1/hostile")
        assert refused.status_code == 500 and "no route" not in refused.text
        assert client.post("/v1/ask", json={"text": QUESTION}).json()["outcome"] == "answered"
        shown = client.get("/knowledge", headers={"accept": "text/html"})
        assert shown.status_code == 200 and "/hostile" not in shown.text, "nothing leads to a page that is not there"


FAILS = (
    "makes the plug-in {} fail (RuntimeError, hostile_code.py:29); if it opens elsewhere, report it to the author of "
    "the plug-in."
)


@pytest.mark.usefixtures("hostile")
def test_its_files_and_sources_are_skipped_with_a_reason(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "one.bad").write_text("one", encoding="utf-8")
    (tmp_path / "new" / "two.md").write_text("# Two\n\nTurn it.\n", encoding="utf-8")
    done = SupportKB(hand_made).add([tmp_path / "new"])
    assert done.added == 1
    assert [(one.path, one.reason) for one in done.skipped] == [("one.bad", FAILS.format("hostile"))]
    settings = "sources: {a: {type: hostile.never}, b: {type: hostile.missing}, c: {type: folder, path: ../new}}\n"
    (hand_made.folder / "settings.yaml").write_text(settings, encoding="utf-8")
    read = SupportKB.open(hand_made.folder).sync().sources
    assert re.fullmatch(r"The plug-in hostile fails: RuntimeError \(\w+\.py, line \d+\)\.", read["a"].error or "")
    assert "hostile has no 'missing' among its sources" in str(read["b"].error)
    assert read["c"].error is None


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize(("name", "gives"), [("five", "5"), ("no_steps", "5"), ("no_items", "'one'")])
def test_a_source_that_gives_no_steps_is_named_with_what_it_gives(name: str, gives: str, hand_made: Workspace) -> None:
    (hand_made.folder / "settings.yaml").write_text(f"sources: {{a: {{type: hostile.{name}}}}}\n", encoding="utf-8")
    error = str(SupportKB.open(hand_made.folder).sync().sources["a"].error)
    assert error.startswith(f"The plug-in hostile fails: its source {name} gives ") and gives in error


@pytest.mark.usefixtures("hostile")
def test_what_a_source_gives_that_cannot_be_stored_counts_as_nothing(hand_made: Workspace) -> None:
    (hand_made.folder / "settings.yaml").write_text("sources: {a: {type: hostile.no_json}}\n", encoding="utf-8")
    done = SupportKB.open(hand_made.folder).sync().sources["a"]
    assert str(done.error).startswith("The plug-in hostile fails") and (done.added, done.unchanged) == (0, 0)


@pytest.mark.usefixtures("hostile")
@pytest.mark.parametrize("name", ["raises", "odd", "none"])
def test_a_study_that_fails_is_named(name: str, hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", f"hostile.{name}", str(hand_made.folder)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert "hostile_code:" in said and "This is a fault in autokb" not in said


@pytest.mark.slow
@pytest.mark.usefixtures("hostile")
def test_a_reader_of_files_that_never_ends_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess_converter, "longest_seconds", lambda _kind, _data: 1)
    (tmp_path / "one.slow").write_text("one", encoding="utf-8")
    found = read_documents([tmp_path / "one.slow"])
    assert [one.reason for one in found.skipped] == ["takes more than 1 seconds to read; save it anew, or split it."]


@pytest.mark.usefixtures("hostile")
def test_a_feature_that_fails_says_nothing_of_any_row(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    before = kb.ask(QUESTION)
    with hand_made.file() as file, file.transaction():
        file.note("weights of plug-ins", '{"hostile.wild": 5.0}')
        file.count_generation()
    with pytest.warns(
        AutokbWarning, match=r"The ranking feature hostile\.wild fails .*no feature, hostile_code\.py:\d+"
    ):
        after = kb.ask(QUESTION)
    assert [one.id for one in after.shown] == [one.id for one in before.shown]
    kb.close()


def test_two_processes_that_migrate_at_once_run_each_migration_once(tmp_path: Path, hand_made: Workspace) -> None:
    from autokb.stores import plugin_tables

    declared = """
from autokb.plugin import Plugin
plugin = Plugin("race", tables=("CREATE TABLE race_one (id TEXT PRIMARY KEY)",))
"""
    installed_plugins.write(tmp_path / "installed", "race", {"race_plugin.py": declared})
    with installed_plugins.on_path(tmp_path / "installed"), hand_made.file() as file:
        stale = plugin_tables.noted_plugins
        answers = iter([{}, {"race": 1}])  # the other process was faster, between the look and the transaction
        with plugin_tables.plugin_tables(hand_made, "race"):
            pass
        plugin_tables.noted_plugins = lambda _file: next(answers)  # type: ignore[assignment]
        try:
            plugin_tables.update_tables(file, "race")
        finally:
            plugin_tables.noted_plugins = stale
        assert file.meta("plugin race") == "1"
