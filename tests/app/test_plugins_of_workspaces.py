"""What plug-ins add to a knowledge base: namespaces, commands, settings, tables; and what is said without them."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from fastapi.routing import iter_route_contexts

import installed_plugins
from autokb.app import SupportKB
from autokb.cli import COMMAND_FILES, main
from autokb.cli.manual import TASKS
from autokb.core.errors import AutokbError, AutokbWarning, BadEntryError, BadInputError
from autokb.core.plugins import BUILT_IN, PluginError
from autokb.core.settings import Settings, read_settings, section_of
from autokb.exchange import export_kb
from autokb.plugin import MENU, RESERVED, SUFFIXES
from autokb.plugins.mcp.tools import TOOLS
from autokb.sources import formats
from autokb.sources.record_files import RECORD_FORMATS
from autokb.stores.plugin_tables import plugin_tables
from autokb.stores.workspace import Workspace, open_workspace
from autokb.web.app import workspace_app
from autokb.web.pages.rendering import NAVIGATION

DECLARED = """
from autokb.plugin import Command, Plugin

plugin = Plugin(
    "memo",
    summary="Remembers words.",
    settings="memo_code:Settings",
    namespace="memo_code:Memo",
    commands=(Command("memo", "memo_code:memo", "Remember a word."),),
    tables=(
        "CREATE TABLE memo_word (word TEXT PRIMARY KEY, count INTEGER NOT NULL);"
        "CREATE INDEX memo_by ON memo_word (count)",
        "ALTER TABLE memo_word ADD COLUMN said TEXT",
    ),
)
"""
CODE = """
from pathlib import Path
from pydantic import BaseModel, ConfigDict
from autokb.app import SupportKB
from autokb.stores.plugin_tables import plugin_tables

class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid")
    most: int = 3

class Memo:
    def __init__(self, kb):
        self.kb = kb
    def keep(self, word):
        with plugin_tables(self.kb.workspace, "memo", write=True) as file:
            file.change("INSERT INTO memo_word (word, count) VALUES (?, 1)", (word,))
    def words(self):
        with plugin_tables(self.kb.workspace, "memo") as file:
            return [word for (word,) in file.rows("SELECT word FROM memo_word ORDER BY word")]

def memo(workspace: Path, word: str) -> None:
    kb = SupportKB.open(workspace)
    kb.memo.keep(word)
    print(" ".join(kb.memo.words()))
"""


@pytest.fixture
def memo(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "installed"
    installed_plugins.write(place, "memo", {"memo_plugin.py": DECLARED, "memo_code.py": CODE})
    with installed_plugins.on_path(place):
        yield place


def test_a_namespace_of_a_plugin_keeps_rows_in_tables_of_its_own(memo: Path, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.memo.keep("dock")  # type: ignore[attr-defined]
    assert kb.memo.words() == ["dock"]  # type: ignore[attr-defined]
    assert kb.memo is kb.memo  # type: ignore[attr-defined]
    with hand_made.file() as file:
        assert file.meta("plugin memo") == "2"
    with pytest.raises(AttributeError, match="no plug-in that is installed brings it"):
        kb.nothing  # type: ignore[attr-defined]  # noqa: B018
    kb.close()


WORDS = """
from autokb.core.files import write_file
from autokb.core.results import Exported

def write(workspace, target):
    write_file(target, workspace.spec.name, "")
    return Exported(str(target), lines=1)
"""


def test_a_plugin_writes_an_export_by_its_suffix(tmp_path: Path, hand_made: Workspace) -> None:
    declared = "from autokb.plugin import Plugin\nplugin = Plugin('words', exports={'.words': 'words_code:write'})"
    installed_plugins.write(tmp_path, "words", {"words_plugin.py": declared, "words_code.py": WORDS})
    with installed_plugins.on_path(tmp_path):
        kb = SupportKB(hand_made)
        assert kb.export(tmp_path / "kb.words").lines == 1
        assert (tmp_path / "kb.words").read_text(encoding="utf-8") == hand_made.spec.name
        with pytest.raises(BadInputError, match=r"use one of \.jsonl, .*\.words\."):
            kb.export(tmp_path / "kb.other")
        kb.close()


def test_its_command_runs_and_stands_in_the_list(memo: Path, hand_made: Workspace) -> None:
    done = installed_plugins.run(memo, "memo", str(hand_made.folder), "dock")
    assert (done.returncode, done.stdout) == (0, "dock\n")
    shown = installed_plugins.run(memo, "--help").stdout
    assert "Plug-ins" in shown
    assert "Remember a word." in shown


def test_commands_of_several_plugins_run_in_one_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("first", "second"):
        declared = f"""
from autokb.plugin import Command, Plugin
plugin = Plugin("{name}", commands=(
    Command("{name}", "{name}_code:one", "Says {name}."), Command("{name}-group", "{name}_code:group", "Has several."),
))
"""
        code = f"""
import typer
def one() -> None:
    print("{name}")
group = typer.Typer()
@group.command()
def a() -> None:
    print("{name} a")
@group.command()
def b() -> None:
    print("{name} b")
"""
        installed_plugins.write(tmp_path / "installed", name, {f"{name}_plugin.py": declared, f"{name}_code.py": code})

    def said(*words: str) -> tuple[int, str]:
        status = main(words)
        found = capsys.readouterr()
        return status, found.out + found.err

    with installed_plugins.on_path(tmp_path / "installed"):
        for _ in range(2):
            for words in (["second"], ["first"], ["second-group", "b"], ["first-group", "a"]):
                assert said(*words) == (0, f"{' '.join(words).replace('-group', '')}\n")
            assert all(f"{name}-group" in said("--help")[1] for name in ("first", "second"))
            status, sentence = said("xyzzy")
            assert status == 2 and sentence.startswith("No such command 'xyzzy'")
        assert "rank" in said("--help")[1]
    assert "first-group" not in said("--help")[1]
    assert said("first")[1].startswith("No such command 'first'")


def test_plugins_lists_where_each_comes_from_and_what_it_brings(memo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "--json"]) == 0
    (one,) = (one for one in json.loads(capsys.readouterr().out)["plugins"] if not one["built_in"])
    assert (one["name"], one["package"], one["version"]) == ("memo", "memo-plugin", "1.0")
    assert one["brings"] == {
        "settings": ["memo"],
        "namespace": ["memo"],
        "commands": ["memo"],
        "tables": ["migration 1", "migration 2"],
    }
    (memo / "memo_code.py").write_text("import no_such_engine", encoding="utf-8")
    with installed_plugins.on_path(memo):
        assert main(["plugins"]) == 0
    shown = capsys.readouterr().out
    assert "memo  memo-plugin 1.0  Remembers words." in shown
    assert "cannot load memo_code:Memo (ModuleNotFoundError: No module named 'no_such_engine', memo_code.py:1)" in shown


def test_its_section_of_the_settings_is_read_by_its_model(memo: Path) -> None:
    assert section_of(read_settings({"plugins": {"memo": {"most": "5"}}}), "memo").most == 5
    assert section_of(Settings(), "memo").most == 3
    for section, said in (
        ({"most": "many"}, "plugins: memo: most must be a whole number, not 'many'"),
        ({"least": 1}, "plugins: memo: unknown key 'least'"),
    ):
        with pytest.raises(BadEntryError, match=said):
            section_of(read_settings({"plugins": {"memo": section}}), "memo")
    with pytest.raises(BadEntryError, match="must be a mapping"):
        read_settings({"plugins": {"memo": 3}})


def test_a_workspace_opens_without_its_plugin_and_says_what_is_out_of_reach(
    memo: Path, hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = SupportKB(hand_made)
    kb.memo.keep("dock")  # type: ignore[attr-defined]
    kb.close()
    settings = {"plugins": {"memo": {"most": 4}}, "chunker": "memo.words", "sources": {"a": {"type": "memo.vault"}}}
    (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    with installed_plugins.on_path(memo.parent / "elsewhere"):
        memo.rename(memo.parent / "gone")
        with pytest.warns(AutokbWarning, match="memo.*out of reach"):
            kb = SupportKB.open(hand_made.folder)
        assert kb.ask("the battery does not charge in the dock").outcome == "answered"
        kb.close()
        assert main(["plugins", str(hand_made.folder)]) == 0
        shown = capsys.readouterr().out
        assert "settings.yaml names the plug-in memo" in shown
        assert "The tables of the plug-in memo are kept" in shown


def test_a_migration_that_fails_half_way_leaves_the_tables_as_they_were(memo: Path, hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    kb.memo.keep("dock")  # type: ignore[attr-defined]
    kb.close()
    worse = DECLARED.replace(
        'said TEXT",', 'said TEXT",\n "ALTER TABLE memo_word ADD COLUMN more TEXT; DROP TABLE memo_no",'
    )
    (memo / "memo_plugin.py").write_text(worse, encoding="utf-8")
    with installed_plugins.on_path(memo):
        failed = pytest.raises(PluginError, match=r"migration 3 of its tables failed .*memo_no")
        with failed, plugin_tables(hand_made, "memo"):
            pass
        assert SupportKB.open(hand_made.folder).ask("the battery does not charge").outcome == "answered"
    with hand_made.file() as file:
        assert file.meta("plugin memo") == "2"
        assert [row[1] for row in file.rows("PRAGMA table_info(memo_word)")] == ["word", "count", "said"]
        assert file.rows("SELECT word FROM memo_word") == [("dock",)]


def test_tables_of_a_later_version_are_left_alone(memo: Path, hand_made: Workspace) -> None:
    with hand_made.file() as file, file.transaction():
        file.note("plugin memo", "9")
    with pytest.raises(AutokbError, match="install the version that wrote them"), plugin_tables(hand_made, "memo"):
        pass


def test_no_plugin_can_be_called_as_a_command_a_namespace_or_a_page(hand_made: Workspace) -> None:
    commands = {one for names in TASKS.values() for one in names} | COMMAND_FILES.keys()
    first = {str(route.path).removeprefix("/v1").split("/")[1] for route in iter_route_contexts(workspace_app().routes)}
    words = {*commands, *dir(SupportKB), *vars(SupportKB(hand_made)), *first}
    assert {word for word in words if word.isalnum() and word.islower() and len(word) > 1} <= RESERVED


def test_no_plugin_can_claim_our_suffixes_tools_tables_or_places(hand_made: Workspace) -> None:
    assert {one for one in SUFFIXES["formats"] if one != ".gz"} == formats._SUFFIXES.keys()
    assert SUFFIXES["exports"] == set(export_kb.SUFFIXES)
    assert {one for one in SUFFIXES["records"] if one != ".gz"} == {
        suffix for suffix, kind in formats._SUFFIXES.items() if kind in RECORD_FORMATS
    }
    with hand_made.file() as file:
        tables = {str(name) for (name,) in file.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    names = {one for one in (*tables, *(tool.name for tool in TOOLS)) if "_" in one}
    assert {one.partition("_")[0] for one in names} <= RESERVED
    assert {path for path, _, _ in NAVIGATION} <= set(MENU)


def test_settings_that_name_no_plugin_look_for_none(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autokb.core.plugins._entry_points", lambda: pytest.fail("looked for plug-ins"))
    with warnings.catch_warnings(), installed_plugins.on_path(hand_made.folder):
        kb = SupportKB(open_workspace(hand_made.folder))
        assert kb.ask("the battery does not charge in the dock").outcome == "answered"
        kb.close()


WITHOUT_OURS = """
import sys
from autokb.core import plugins
plugins.BUILT_IN = ()
from autokb.cli import main
from autokb.web.app import create_app
from starlette.testclient import TestClient
folder, exported = sys.argv[1:]
assert main(["--help"]) == 0
assert main(["suggest", folder, "the battery does not charge in the dock"]) == 0
assert main(["plan", folder]) == 0
assert main(["export", folder, exported]) == 0
with open(exported, "a") as lines:
    lines.write('{"kind": "ticket", "id": "APP-1", "title": "It hums"}\\n')
assert main(["import", folder, exported]) == 0
assert main(["import", folder, exported, "--replace"]) == 1
assert main(["export", folder, exported + ".graphml"]) == 2
assert main(["export", folder, exported]) == 0
assert main(["ask", folder, "the battery does not charge in the dock"]) == 0
assert main(["build", folder, "--candidate"]) == 0
with TestClient(create_app(folder), base_url="http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
    assert client.post("/v1/ask", json={"text": "the battery does not charge in the dock"}).status_code == 200
    assert client.post("/v1/hooks/zendesk", json={}).status_code == 404
    assert client.get("/v1/tickets").status_code == 404
    assert "Documents" in client.get("/knowledge").text and "/tickets" not in client.get("/knowledge").text
assert main(["doctor", folder]) == 0
assert main(["mcp", folder]) == 2
assert main(["tickets", "show", folder]) == 2
assert main(["evaluate", "quality", folder]) == 2
from autokb.app import SupportKB
from autokb.core.errors import AutokbError
kb = SupportKB.open(folder)
assert kb.suggest("the battery does not charge in the dock").outcome == "answered"
assert not hasattr(kb, "evaluate")
calls = (lambda: kb.evaluate.quality(), lambda: kb.study("lab.first"), lambda: SupportKB.compare("a", "b"))
for call in calls:
    try:
        call()
    except AutokbError as error:
        print(error)
assert not [name for name in sys.modules if name.startswith("autokb.plugins")]
"""


def test_the_core_runs_without_a_plugin_of_ours(hand_made: Workspace, tmp_path: Path) -> None:
    command = [sys.executable, "-c", WITHOUT_OURS, str(hand_made.folder), str(tmp_path / "kb.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "No such command 'mcp'" in done.stderr and "No such command 'evaluate'" in done.stderr
    assert done.stdout.count("SupportKB has no 'evaluate', and no plug-in that is installed brings it.") == 2
    assert "The plug-in lab is not installed" in done.stdout
    assert "No such command 'tickets'" in done.stderr
    assert "No plug-in that is installed brings 'tickets' among its takes." in done.stderr
    assert "use one of .jsonl, .md, .csv." in done.stderr
    assert "  mcp " not in done.stdout and "  serve " in done.stdout


WITH_ONE_OF_OURS = """
import sys
from autokb.core import plugins
name, folder, *demo = sys.argv[1:]
plugins.BUILT_IN = (name,)
from autokb.app import SupportKB
from autokb.cli import main
from autokb.web.app import create_app
from starlette.testclient import TestClient
question = "the battery does not charge in the dock"
for words in (*[["demo", one] for one in demo], ["--help"], ["ask", folder, question], ["build", folder], ["plugins"]):
    assert main(words) == 0, words
assert SupportKB.open(folder).suggest("the battery does not charge in the dock").outcome == "answered"
with TestClient(create_app(folder), base_url="http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
    for path in ("/", "/knowledge", "/review", "/in-use", "/v1/issues"):
        assert client.get(path).status_code == 200, path
others = {one.split(".")[2] for one in sys.modules if one.startswith("autokb.plugins.")} - {name}
assert not others, others
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", BUILT_IN)
def test_the_core_runs_with_one_plugin_of_ours(hand_made: Workspace, tmp_path: Path, name: str) -> None:
    given = [name, str(hand_made.folder)]
    if name == BUILT_IN[0]:  # building the demo takes most of the time
        given.append(str(tmp_path / "demo"))
    done = subprocess.run(
        [sys.executable, "-c", WITH_ONE_OF_OURS, *given], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert f"\n{name} " in done.stdout, done.stdout
