"""Plug-ins are found by their entry points; what fails is named, and everything else works."""

from __future__ import annotations

import sys
import types
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import installed_plugins
from autokb.core import plugins as found_plugins
from autokb.core.errors import AutokbWarning
from autokb.core.plugins import NoNamespaceError, PluginError, implementation, plugins, with_namespace
from autokb.core.settings import read_settings, section_of
from autokb.plugin import OF_OURS, RESERVED, SIGNED, SUFFIXES, Command, Counter, Page, Plugin, Route, Tool

GOOD = """
from autokb.plugin import Plugin

plugin = Plugin("good", summary="Works.", chunkers={"lines": "good_code:lines"})
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for the plug-ins of a test, which are the only ones."""
    monkeypatch.setattr(found_plugins, "BUILT_IN", ())
    with installed_plugins.on_path(tmp_path), warnings.catch_warnings():
        warnings.simplefilter("ignore", AutokbWarning)
        yield tmp_path


def test_a_plugin_is_known_with_its_package_and_its_code_is_imported_when_it_is_used(place: Path) -> None:
    installed_plugins.write(place, "good", {"good_plugin.py": GOOD, "good_code.py": "def lines(): return 7\n"})
    one = plugins().installed["good"]
    assert (one.package, one.version, one.plugin.summary) == ("good-plugin", "1.0", "Works.")
    assert "good_code" not in sys.modules
    assert implementation("chunkers", "good.lines")() == 7
    assert "good_code" in sys.modules


def test_one_that_fails_to_load_is_named_with_its_error_and_the_others_work(place: Path) -> None:
    texts = {
        "raises": "raise RuntimeError('no such engine')",
        "ends": "import sys\nsys.exit(3)",
        "other": "plugin = 7",
        "renamed": "from autokb.plugin import Plugin\nplugin = Plugin('another')",
        "roleless": "from autokb.plugin import *\nplugin = Plugin('roleless', pages=(Page('/roleless', 'a:b', ''),))",
    }
    for name, text in texts.items():
        installed_plugins.write(place, name, {f"{name}_plugin.py": text})
    installed_plugins.write(place, "good", {"good_plugin.py": GOOD})
    found = plugins()
    assert list(found.installed) == ["good"]
    said = {name: next(one for one in found.problems if one.startswith(f"The plug-in {name}")) for name in texts}
    assert "RuntimeError: no such engine" in said["raises"]
    assert "raises-plugin 1.0" in said["raises"]
    assert "SystemExit: 3" in said["ends"]
    assert "no Plugin of that name" in said["other"]
    assert "no Plugin of that name" in said["renamed"]
    assert "needs a role" in said["roleless"]
    with pytest.raises(PluginError, match="not installed, or does not load"):
        implementation("chunkers", "raises.lines")


def test_a_process_is_told_once_of_what_does_not_load(tmp_path: Path) -> None:
    installed_plugins.write(tmp_path, "raises", {"raises_plugin.py": "raise RuntimeError('no such engine')"})
    with installed_plugins.on_path(tmp_path), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        plugins()
        plugins()
    (one,) = told
    assert one.category is AutokbWarning
    assert "no such engine" in str(one.message)


def test_of_two_that_claim_one_name_or_one_suffix_neither_is_used(place: Path) -> None:
    for package in ("good-plugin", "good-too"):
        installed_plugins.write(place, "good", {"good_plugin.py": GOOD}, package=package)
    for name in ("one", "two"):
        suffixes = f"{{'.note': 'a:b', '.{name}': 'a:b'}}"
        text = f"from autokb.plugin import Plugin\nplugin = Plugin('{name}', formats={suffixes}, exports={suffixes}, "
        text += f"records={suffixes})"
        installed_plugins.write(place, name, {f"{name}_plugin.py": text})
    found = plugins()
    assert list(found.installed) == ["one", "two"]
    assert found.formats == found.exports == found.records == {".one": "one", ".two": "two"}
    assert any("good-plugin and good-too bring a plug-in good; none" in one for one in found.problems)
    assert any("one and two read .note files" in one for one in found.problems)
    assert any("one and two write .note files" in one for one in found.problems)


@pytest.mark.parametrize(
    ("kind", "wrong", "said"),
    [
        ("commands", Command("ask", "a:b", "Ask otherwise."), "begin with notes-"),
        ("pages", Page("/review", "a:b", "reader"), "begin with /notes/"),
        ("pages", Page("/notes", "a:b", "owner"), "needs a role"),
        ("routes", Route("/v1/ask", "a:b", "reader"), "begin with /v1/notes/"),
        ("routes", Route("/v1/notes", "no code", "reader"), "names no code"),
        ("routes", Route("/v1/notes", "a:b", SIGNED), "needs a role"),
        ("counters", Counter("autokb_notes", "Notes.", ()), "for plug-ins that come with autokb"),
        ("tools", Tool("ask", "a:b", "a:B", "Asks."), "begin with notes_"),
        ("tables", "DROP TABLE record", "called notes_"),
        ("tables", "PRAGMA writable_schema = 1", "called notes_"),
        ("tables", "CREATE TABLE notes_one (id TEXT PRIMARY KEY); DELETE FROM api_key", "called notes_"),
    ],
)
def test_what_is_not_its_own_to_name_is_refused(kind: str, wrong: object, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Plugin("notes", **{kind: (wrong,)})  # type: ignore[arg-type]


def test_a_suffix_of_autokbs_own_is_refused_by_name_and_the_rest_of_the_plugin_works(place: Path) -> None:
    kinds = {kind: dict.fromkeys((*suffixes, ".note"), "a:b") for kind, suffixes in SUFFIXES.items()}
    text = f"from autokb.plugin import Plugin\nplugin = Plugin('notes', **{kinds})"
    installed_plugins.write(place, "notes", {"notes_plugin.py": text})
    found = plugins()
    assert found.formats == found.records == found.exports == {".note": "notes"}
    for kind, suffixes in SUFFIXES.items():
        for suffix in suffixes:
            assert any(f"notes has {suffix} among its {kind}" in one for one in found.problems)


def test_a_page_behind_or_on_one_that_is_not_there_is_named(place: Path) -> None:
    text = """
from autokb.plugin import Page, Plugin
plugin = Plugin("notes", pages=(
    Page("/notes", "a:b", "reader", menu="Notes", after="/know"),
    Page("/notes/all", "a:b", "reader", menu="All", after="/notes"),
    Page("/notes/more", "a:b", "reader", menu="More", on="/themes"),
))
"""
    installed_plugins.write(place, "notes", {"notes_plugin.py": text})
    found = plugins()
    assert list(found.installed) == ["notes"]
    last, nowhere = found.problems
    assert "notes: /notes stands last, for '/know'" in last
    assert "nothing leads to /notes/more, for '/themes' is none of /review, /in-use, /knowledge" in nowhere


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"formats": [".note"]}, "'formats' of a plug-in must be Mapping"),
        ({"commands": Command("notes", "a:b", "Notes.")}, "'commands' of a plug-in must be tuple"),
        ({"tables": "CREATE TABLE notes_one (id TEXT)"}, "'tables' of a plug-in must be tuple"),
        ({"tables": (7,)}, "'tables' of a plug-in must be tuple"),
        ({"pages": (Tool("notes", "a:b", "a:B", "Notes."),)}, "'pages' of a plug-in must be tuple"),
        ({"tools": (Tool("notes", "a:b", "a:B", ""),)}, "the tool 'notes' needs its 'description'"),
        ({"tools": (Tool("notes", "a:b", 7, "Notes."),)}, "'arguments' of the tool 'notes' must be str"),  # type: ignore[arg-type]
        ({"settings": 7}, "'settings' of a plug-in must be str"),
    ],
)
def test_a_value_of_another_type_is_named(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Plugin("notes", **wrong)


def test_what_code_names_has_to_be_what_its_field_says(place: Path) -> None:
    text = "from autokb.plugin import Plugin\nplugin = Plugin('notes', chunkers={'one': 'notes_code:one'})"
    installed_plugins.write(place, "notes", {"notes_plugin.py": text, "notes_code.py": "one = 7"})
    with pytest.raises(PluginError, match="The plug-in notes: notes_code:one is not a function or class"):
        implementation("chunkers", "notes.one")


@pytest.mark.parametrize("name", ["ask", "views", "plugins", "N", "two words", "a-b", "a_b", "search", "ticket"])
def test_no_plugin_is_called_as_a_part_of_autokb(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the name"):
        Plugin(name)


def test_one_of_our_own_may_use_our_words_and_no_other_package_may_declare_one(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = types.ModuleType("autokb.plugins.trends")
    commands = (Command("trends", "a:b", "Show trends."), Command("digest", "a:b", "Write the digest."))
    pages, tools = (Page("/stale", "a:b", "reader"),), (Tool("ask_trends", "a:b", "a:B", "Asks."),)
    ours.plugin = Plugin("trends", commands=commands, pages=pages, tools=tools, built_in=True)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, ours.__name__, ours)
    monkeypatch.setattr(found_plugins, "BUILT_IN", ("trends",))
    theirs = "from autokb.plugin import *\nplugin = Plugin('stale', built_in=True)"
    installed_plugins.write(place, "stale", {"stale_plugin.py": theirs})
    plugins.cache_clear()
    found = plugins()
    assert [(one.plugin.name, one.package) for one in found.installed.values()] == [("trends", "autokb")]
    (said,) = found.problems
    assert "stale says that it is built in; only those of autokb are. It comes with stale-plugin 1.0" in said
    with pytest.raises(ValueError, match="for plug-ins that come with autokb"):
        Plugin("notes", findings="a:b")
    for kind in OF_OURS:
        with pytest.raises(ValueError, match=f"{kind} are for plug-ins that come with autokb"):
            Plugin("notes", **{kind: {"notes": "a:b"}})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"suffix such as \.note"):
        Plugin("notes", exports={"note": "a:b"})
    with pytest.raises(ValueError, match="needs a role"):
        Plugin("trends", pages=(Page("/trends", "a:b", SIGNED),), built_in=True)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="begin with trends-"):
        Plugin("trends", commands=(Command("notes", "a:b", "Notes."),), built_in=True)


def test_a_section_of_our_settings_is_read_by_one_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="stand in plugins: notes:"):
        Plugin("notes", settings="a:b", section="sources")
    with pytest.raises(ValueError, match="methods are for plug-ins that come"):
        Plugin("notes", methods={"usage.trends": "a:b"})
    given = {"sources": {"manuals": {"type": "folder", "path": "x"}}}
    found = read_settings(given)
    assert section_of(found, "sync") == found.sources and found.sources["manuals"].path == "x"
    monkeypatch.setattr(found_plugins, "BUILT_IN", ())
    for section, value in {**given, "helpdesks": {"zendesk": {"url": "https://d.example", "user": "a"}}}.items():
        with pytest.warns(AutokbWarning, match=f"reads {section}: of settings.yaml. What it brings is out of reach"):
            rest = read_settings({section: value, "model": "openai:m"})
        assert getattr(rest, section) == {} and rest.model == "openai:m"


def test_a_namespace_of_one_of_our_own_has_the_name_that_it_has_always_had() -> None:
    with pytest.raises(ValueError, match=r"its namespace is kb\.notes"):
        Plugin("notes", namespace="a:b", attribute="memo")
    plugins.cache_clear()
    assert with_namespace("evaluate").name == "lab"
    with pytest.raises(NoNamespaceError, match="SupportKB has no 'lab'"):
        with_namespace("lab")


def test_our_own_have_names_that_no_other_can_have() -> None:
    plugins.cache_clear()
    found = plugins()
    assert [name for name, one in found.installed.items() if one.plugin.built_in] == sorted(found_plugins.BUILT_IN)
    assert set(found_plugins.BUILT_IN) <= RESERVED


@pytest.mark.with_plugins
def test_a_declaration_of_ours_imports_nothing_but_the_types() -> None:
    folder = Path(found_plugins.__file__).parents[1] / "plugins"
    assert {one.parent.name for one in folder.glob("*/__init__.py")} == set(found_plugins.BUILT_IN)
    for name in found_plugins.BUILT_IN:
        lines = (folder / name / "__init__.py").read_text(encoding="utf-8").splitlines()
        imports = [line for line in lines if line.startswith(("import ", "from "))]
        assert len(imports) == 1 and imports[0].startswith("from autokb.plugin import ")
