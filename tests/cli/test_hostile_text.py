"""No text of a customer, document, file name or server steers a terminal: every view, and every way to one."""

from __future__ import annotations

import ast
import inspect
import json
import pkgutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

import autokb.cli
import hand_made_kb
from autokb.app import SupportKB
from autokb.cli import main
from autokb.cli.output import emit, make_console, say, spinner, stage_bars, write_markdown
from autokb.plugins.lab.evaluation.report import answer_tables, terminal_tables
from autokb.stores.workspace import Workspace
from autokb.text.control_characters import for_terminal
from pseudo_terminal import HOSTILE, SAFE, terminal

PRINTS = frozenset({"str", "Text", "Panel", "Table", "Tree", "Group", "RenderableType"})
# Where the classes are that views take; a class from elsewhere ends the tests with its name.
RESULTS = (
    "autokb.answering.answer",
    "autokb.answering.explain",
    "autokb.core.checks",
    "autokb.core.spending",
    "autokb.app.add",
    "autokb.app.create",
    "autokb.app.sources",
    "autokb.app.synced",
    "autokb.exchange.imported",
    "autokb.llm.batch.awaited",
    "autokb.pipeline.build_report",
    "autokb.pipeline.plan",
    "autokb.pipeline.versions",
    "autokb.stores.moving",
    "autokb.stores.version_events",
    "autokb.views.versions",
    "autokb.core.nouns",
    "autokb.core.api_keys",
    "autokb.app.api_keys",
    "autokb.app.doctor",
    "autokb.app.plugins",
    "autokb.pipeline.fit_features",
    "autokb.stores.health",
    "autokb.app.workspace_keys",
    "autokb.views.kinds",
    "autokb.views.show",
    "autokb.plugins.tickets.answers.open_tickets",
    "autokb.plugins.tickets.accept",
    "autokb.pipeline.calibrate_gate",
    "autokb.usage.feedback",
    "autokb.usage.gaps",
    "autokb.usage.in_use",
    "autokb.usage.outcomes",
    "autokb.stats.bootstrap",
    "autokb.stats.shares",
    "autokb.core.in_use",
    "autokb.plugins.tickets.answers.ask_tickets",
    "autokb.plugins.tickets.draft_template",
    "autokb.plugins.tickets.answers.knowledge",
    "autokb.plugins.tickets.answers.report",
    "autokb.app.namespaces.curation",
    "autokb.plugins.insight.findings",
    "autokb.plugins.insight.stale",
    "autokb.core.findings",
    "autokb.pipeline.gate.checks",
    "autokb.stats.bootstrap",
    "autokb.plugins.insight.trends",
    "autokb.curation.review",
    "autokb.curation.solution_history",
    "autokb.core.changes",
    "autokb.pipeline.draft_spec",
    "autokb.plugins.lab.studies.draft_cases",
    "autokb.pipeline.chunk_files",
    "autokb.answering.answer",
    "autokb.answering.suggest",
    "autokb.chunking.chunk_result",
    "autokb.plugins.lab.evaluation.report",
    "autokb.plugins.lab.evaluation.suggestions.cases",
    "autokb.plugins.lab.evaluation.blind_sheet",
    "autokb.plugins.lab.studies.trial",
)
NO_VIEWS = {
    "cli._commands_of_plugins": "finds commands, and prints none",
    "cli._told": "takes an error; those are below",
    "cli._fault": "takes an error; those are below",
    "cli._usage": "takes an error; those are below",
    "console._harmless": "is the edge itself",
    "issue_views._panel": "takes what is to be printed already",
    "output.json_line": "writes JSON, which test_json_of_hostile_results_is_the_same_value looks at",
}


def modules() -> list[Any]:
    """Return every module of the command line."""
    names = [f"autokb.cli.{m.name}" for m in pkgutil.iter_modules(autokb.cli.__path__) if m.name != "__main__"]
    names += ["autokb.plugins.sync.commands", "autokb.plugins.sync.views", "autokb.plugins.mcp.commands"]
    names += [f"autokb.plugins.insight.{name}" for name in ("stale_commands", "trend_commands", "trend_views")]
    return [autokb.cli, *map(import_module, names)]


def views() -> dict[str, Callable[..., Any]]:
    """Return every function of the command line that returns something to print, found by what it returns."""
    found = {}
    for module in modules():
        for name, function in inspect.getmembers(module, inspect.isfunction):
            place = f"{module.__name__.rpartition('.')[2]}.{name}"
            answer = str(function.__annotations__.get("return", ""))
            words = set(answer.replace("[", " ").replace("]", " ").replace("|", " ").replace(",", " ").split())
            if function.__module__ == module.__name__ and words & PRINTS and place not in NO_VIEWS:
                found[place] = function
    return found


def names() -> dict[str, Any]:
    """Return what stands behind the names in annotations, also those imported for type checkers alone."""
    known = {name: value for module in RESULTS for name, value in vars(import_module(module)).items()}
    return {"RenderableType": RenderableType, **known}


def hostile(hint: Any, pick: int, within: tuple[Any, ...] = ()) -> Any:  # noqa: C901 - one case a kind of type
    """Return a value of a type with hostile text wherever it can hold any; ``pick`` chooses among variants.

    Of a type that holds its own kind, what is third ``within`` such ones holds none any more.
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is str or hint is Any:
        return HOSTILE
    if hint is bool:
        return pick % 2 == 0
    if hint in (int, float):
        return 3
    if hint is Path:
        return Path(HOSTILE.replace("\0", ""))
    if hint is NoneType:
        return None
    if origin is Literal:
        return inner[pick % len(inner)]
    if origin in (Union, UnionType):
        options = [option for option in inner if option is not NoneType] or [NoneType]
        return None if pick == 2 and NoneType in inner else hostile(options[pick % len(options)], pick, within)
    if origin is tuple:
        kinds = inner[:1] * 2 if len(inner) == 2 and inner[1] is Ellipsis else inner
        return tuple(hostile(kind, pick, within) for kind in kinds)
    if origin in (frozenset, Set, set):
        return frozenset({hostile(inner[0], pick, within)})
    if origin in (list, Sequence, Iterable, Iterator):
        return [hostile(inner[0], pick, within)] * 2
    if origin in (dict, Mapping):
        value = hostile(inner[1], pick, within)
        return defaultdict(
            lambda: value, {hostile(inner[0], pick, within): value}
        )  # a view may ask for a key of its own
    if isinstance(hint, type) and issubclass(hint, Enum):
        return list(hint)[pick % len(hint)]
    if is_dataclass(hint):
        types = get_type_hints(hint, localns=names())
        own = [f for f in fields(hint) if f.init and (within.count(hint) < 2 or f.default is MISSING)]
        return hint(**{f.name: hostile(types[f.name], pick, (*within, hint)) for f in own})
    if hint is type(Text()):
        return Text(HOSTILE)
    raise AssertionError(f"{hint} is a type that this test cannot fill with hostile texts yet")


def call(view: Callable[..., Any], pick: int) -> Any:
    types = get_type_hints(view, globalns={**names(), **view.__globals__})
    result = view(*(hostile(types[name], pick) for name in inspect.signature(view).parameters))
    return Group(*result) if isinstance(result, Iterator | list) else result


def test_the_views_are_found() -> None:
    assert {"views.build_view", "issue_views.answer_view", "chunk_views.chunked_view", "commands._created"} < set(
        views()
    )
    assert len(views()) > 25
    assert not set(NO_VIEWS) & set(views())


@pytest.mark.slow
def test_no_field_of_a_view_steers_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for view, draw in sorted(views().items()):
        for pick in (0, 1, 2):
            with terminal(monkeypatch) as there:
                emit(False, {}, lambda draw=draw, pick=pick: call(draw, pick))
            printed = there.check()
            assert SAFE in printed or not view.endswith("_view"), (view, pick, printed)


@pytest.mark.parametrize("columns", [40, 100])
def test_tables_of_evaluations_do_not_steer_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    figure = {"value": 0.5, "low": 0.1, "high": 0.9}
    system = {"metrics": {HOSTILE: figure}, "levels": {HOSTILE: {"metrics": {HOSTILE: figure}}}}
    difference = {"system": HOSTILE, "baseline": HOSTILE, "metric": HOSTILE, **figure}
    retrieval = {"systems": {HOSTILE: system}, "differences": [difference], HOSTILE: [HOSTILE], "made_by": HOSTILE}
    body = {
        "chunks": 1,
        "size": {"mean": 1.0, "p95": 2.0},
        "seconds": 0.1,
        "tenets": {HOSTILE: {**figure, "unreadable": 1}},
        "mechanical": {HOSTILE: figure},
        "retrieval": {HOSTILE: figure},
    }
    tables = [*answer_tables(retrieval), *answer_tables({"methods": {HOSTILE: body}})]
    with terminal(monkeypatch, columns) as there:
        emit(False, {}, lambda: Group(*terminal_tables(tables)))
        emit(False, {}, lambda: Group(*terminal_tables(tables, columns)))
    assert there.check().count(SAFE) > 20


@pytest.mark.parametrize(
    "shown",
    [
        HOSTILE,
        Text(HOSTILE, style="link https://h.example"),
        Text.from_ansi(f"{SAFE} \x1b]8;;https://h.example\x1b\\l\x1b]8;;\x1b\\"),
        Panel(HOSTILE, title=HOSTILE, subtitle=HOSTILE),
        Tree(HOSTILE),
        Columns([HOSTILE, Text(HOSTILE)]),
        Group(HOSTILE, Group(Text.assemble((HOSTILE, "red"), "b"))),
    ],
    ids=lambda shown: type(shown).__name__,
)
def test_the_edge_holds_for_whatever_a_new_view_is_made_of(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        emit(False, {}, lambda: shown)
    assert SAFE in there.check()
    assert b"\x1b]8" not in there.received


def test_a_table_of_hostile_strings_keeps_its_own_styling(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(HOSTILE, title=HOSTILE, caption=HOSTILE)
    table.add_column(Text("green", style="green"))
    table.add_row(HOSTILE, Text(HOSTILE, style="red"))
    with terminal(monkeypatch) as there:
        emit(False, {}, lambda: table)
    assert there.check().count(SAFE) == 5
    assert b"\x1b[31m" in there.received and b"\x1b[1;32mgreen" in there.received  # a header is bold


def test_the_frame_of_a_hostile_text_is_straight(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, 60) as there:
        emit(False, {}, lambda: Panel(Text("a\x1b[2Jb\x9bc\u202ed"), title=Text("t\x07\x1bt")))
    assert {len(line) for line in there.check().split("\n") if line} == {60}


def test_a_sentence_is_neither_markup_nor_a_code_of_an_emoji(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch) as there:
        emit(False, {}, lambda: "Made /tmp/:bomb:/[bold]kb[/bold].")
    assert there.text() == "Made /tmp/:bomb:/[bold]kb[/bold].\n"


def test_progress_and_messages_do_not_steer_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    with terminal(monkeypatch, 300) as there:
        with spinner(HOSTILE) as tell:
            tell(f"folder\n{HOSTILE}")
        with stage_bars() as progress:
            progress(HOSTILE, 1, 2)
        say([HOSTILE])
        make_console(stderr=True).print(Text(HOSTILE))
    assert there.check(moving=True).count(SAFE) >= 4


def test_markdown_steers_no_terminal_and_is_whole_for_another_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_markdown(HOSTILE)
    assert capsys.readouterr().out == HOSTILE + "\n"
    with terminal(monkeypatch) as there:
        write_markdown(HOSTILE)
    assert SAFE in there.check()


def test_only_the_edge_writes_to_streams() -> None:
    for module in modules():
        if module.__name__ in ("autokb.cli.output", "autokb.cli.console"):
            continue
        tree = ast.parse(inspect.getsource(module))
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        attributes = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute)]
        used |= {f"{a.value.id}.{a.attr}" for a in attributes if isinstance(a.value, ast.Name)}
        used |= {a.name for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names}
        allowed = {"sys.stdout", "sys.stderr"} if module is autokb.cli else set()  # main and entry: flush, close, guard
        writing = {
            "print",
            "Console",
            "sys.stdout",
            "sys.stderr",
            "typer.echo",
            "typer.secho",
            "echo",
            "Live",
            "Status",
        }
        assert not (used & writing) - allowed, module.__name__


# -- through real commands --------------------------------------------------------------------------------------------


@pytest.fixture
def invaded(tmp_path: Path) -> Path:
    """Return a workspace into which a hostile file was imported: every text of it is hostile."""
    lines = hand_made_kb.lines()
    for line in lines:
        for name in ("title", "text", "reason", "author", "name"):
            if isinstance(line.get(name), str) and not (line["kind"] == "document" and name == "text"):
                line[name] = f"{HOSTILE} {line[name]}"
        if line["kind"] == "solution":
            line["steps"] = [f"{HOSTILE} {step}" for step in line["steps"]]
            line["rules"] = [{**rule, "reason": HOSTILE} for rule in line["rules"]]
        if line["kind"] == "document":
            line["text"] += HOSTILE
            line["url"] = HOSTILE
    file = hand_made_kb.write(tmp_path / "kb.jsonl", lines)
    assert main(["init", str(tmp_path / "kb")]) == 0
    assert main(["import", str(tmp_path / "kb"), str(file)]) == 0
    return tmp_path


HOSTILE_NAME = HOSTILE.replace("\0", "").replace("/", "")
COMMANDS = (
    "show {here}/kb",
    "show {here}/kb rain",
    "show {here}/kb blades",
    "ask {here}/kb safe-robot-stops-in-the-rain",
    "ask {here}/kb {hostile}",
    "costs {here}/kb",
    "export {here}/kb {here}/out-{hostile}.csv",
    "import {here}/kb {here}/bad.jsonl",
    "add {here}/kb {here}/manuals",
    "add {here}/kb {here}/issues.csv --as issues --id-field number",
    "add {here}/kb {here}/issues.csv --as issues --title-field {hostile}",
    # what is wrong with a command
    "show {here}/kb {hostile}",
    "show {here}/{hostile}",
    "add {here}/kb {here}/{hostile}",
    "add {here}/kb {here} --as {hostile}",
    "import {here}/kb {here}/{hostile}.jsonl",
    "export {here}/kb {here}/kb.{hostile}",
    "evaluate quality {here}/kb --report {here}/none/{hostile}.html",
    "evaluate compare {here}/{hostile} {here}/{hostile}",
    "trial {here}/kb --model openai:{hostile}",
    "trial {here}/kb --sheet {here}/{hostile}.csv",
    "ask {here}/kb rain --attribute {hostile}=x",
    "ask {here}/kb rain --k {hostile}",
    "ask {here}/kb rain --{hostile}",
    "{hostile}",
    "evaluate {hostile}",
    "chunk {here}/{hostile} --method {hostile}",
    "--help {hostile}",
    "show --help {hostile}",
)
SLOW_COMMANDS = (
    "add {here}/kb {here}/manuals",
    "build {here}/kb",
    "draft-spec {here}/kb",
    "evaluate chunking {here}/manuals --methods fixed",
    "chunk {here}/manuals",
    "chunk {here}/manuals --markdown",
    "evaluate quality {here}/kb --sheet {here}/sheet.csv",
    "plan {here}/kb",
)


@pytest.fixture
def invaded_folder(invaded: Path) -> Path:
    """Return that folder with hostile files beside the workspace, their names included."""
    manuals = invaded / "manuals"
    manuals.mkdir()
    (manuals / f"{HOSTILE_NAME}.md").write_text(f"# {HOSTILE}\n\nPress the {HOSTILE} key.\n", encoding="utf-8")
    (manuals / f"{HOSTILE_NAME}.html").write_text(f"<h1>{HOSTILE}</h1><p>Press {HOSTILE}.</p>", encoding="utf-8")
    (manuals / f"{HOSTILE_NAME}.pdf").write_text(HOSTILE, encoding="utf-8")
    issue = HOSTILE.replace("\0", "").replace("\r", "")
    (invaded / "issues.csv").write_text(f"number,text\n{issue},{issue}\n{issue},{issue}\n", encoding="utf-8")
    (invaded / "bad.jsonl").write_text(
        json.dumps({"kind": HOSTILE, "id": HOSTILE}) + "\n" + json.dumps({"kind": "theme", "id": "t", "name": "x"}),
        encoding="utf-8",
    )
    return invaded


@pytest.mark.parametrize("as_json", [False, True], ids=["view", "json"])
@pytest.mark.parametrize(
    "commands", [COMMANDS, pytest.param(SLOW_COMMANDS, marks=pytest.mark.slow)], ids=["quick", "slow"]
)
def test_no_command_steers_the_terminal(
    invaded_folder: Path, commands: tuple[str, ...], as_json: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for command in commands:
        words = [word.format(here=invaded_folder, hostile=HOSTILE_NAME) for word in command.split()]
        with terminal(monkeypatch) as there:
            main([*words, "--json"] if as_json else words)
        # On a terminal JSON has progress beside it, whose lines move.
        assert there.check(moving=True).strip() or as_json, command


def test_a_fault_does_not_steer_the_terminal(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError(HOSTILE) from OSError(5, HOSTILE, HOSTILE)

    monkeypatch.setattr("autokb.app.SupportKB.open", fail)
    with terminal(monkeypatch) as there:
        assert main(["show", str(hand_made.folder)]) == 1
    printed = there.check()
    assert "Traceback" in printed and printed.count(SAFE) >= 3


def test_json_of_hostile_results_is_the_same_value(invaded: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(invaded / "kb"), "rain", "--json"]) == 0
    printed = capsys.readouterr().out
    one = SupportKB.open(invaded / "kb").views.show_issue("rain")
    assert HOSTILE in one.text
    assert json.loads(printed) == one.as_json()
    assert for_terminal(printed) == printed


def test_what_others_write_to_standard_error_does_not_steer_the_terminal() -> None:
    code = (
        "import atexit, sys, warnings\n"
        "from autokb.cli import entry\n"
        f"atexit.register(lambda: warnings.warn({HOSTILE!r}))\n"
        "sys.argv = ['autokb', 'show', '/nowhere']\n"
        "entry()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    printed = done.stderr.decode("utf-8")
    assert SAFE in printed and for_terminal(printed) == printed
