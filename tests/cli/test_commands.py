"""Every command from the outside: one JSON object on standard output, exit statuses, sentences."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import typer

import hand_made_kb
from autokb.cli import load_commands, main
from autokb.cli.commands import app
from autokb.cli.manual import EXIT_STATUS, TASKS
from autokb.core.errors import StoppedOnPurposeError
from autokb.stores.workspace import Workspace

load_commands()
Run = Callable[..., tuple[int, Any]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run a command with --json; returns its exit status and the one object it printed."""

    def call(*words: object) -> tuple[int, Any]:
        capsys.readouterr()
        status = main([*map(str, words), "--json"])
        out = capsys.readouterr().out
        assert out.endswith("\n") and out.count("\n") == 1, out
        found = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
        assert isinstance(found, dict)
        return status, found

    return call


def leaves(group: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for command in group.registered_commands:
        yield (*path, command.name or command.callback.__name__)
    for inner in group.registered_groups:
        yield from leaves(inner.typer_instance, (*path, inner.name))


COMMANDS = sorted(leaves(app))


@pytest.mark.with_plugins
def test_a_process_that_runs_many_commands_registers_each_once() -> None:
    for words in (["evaluate", "--help"], ["tickets", "--help"], ["checks", "--help"], ["--help"], ["--help"]):
        assert main(words) == 0
    found = sorted(leaves(app))
    assert found == sorted(set(found))


@pytest.mark.with_plugins
def test_the_commands_of_the_contract_are_there() -> None:
    assert "evaluate" in [g.name for g in app.registered_groups]
    names = {" ".join(c) for c in COMMANDS}
    assert {
        "init",
        "add",
        "draft-spec",
        "plan",
        "build",
        "show",
        "ask",
        "costs",
        "export",
        "import",
        "sources",
        "remove",
    } <= names
    assert {"evaluate retrieval", "evaluate quality", "evaluate compare"} <= names


@pytest.mark.with_plugins
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_help_is_a_page_of_a_manual(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """What it does, its arguments and options explained, an example that names it, how it ends, what belongs to it."""
    assert main([*command, "--help"]) == 0
    out = capsys.readouterr().out
    said = " ".join(out.split())
    assert said.startswith(f"Usage: autokb {' '.join(command)} ")
    summary = out.split("\n\n")[1]
    assert re.fullmatch(r" +[A-Z][^\n]+(\n[^\n]+)*[.]", summary) and len(summary) < 200, summary
    assert f"Example: autokb {' '.join(command)} " in f"{said.partition('Exit status:')[0]} " and "--json" in out
    assert [said.count(f" {number} {word}") for number, word in ((n, w.split()[0]) for n, w in EXIT_STATUS)] == [1] * 4
    also = said.rpartition("See also: ")[2].split(", ")
    assert also[-1] == "autokb --help" and f"autokb {command[0]}" not in also
    assert {one.removeprefix("autokb ") for one in also[:-1]} <= {path[0] for path in COMMANDS}


def test_every_argument_and_option_is_explained() -> None:
    def walk(command: Any, path: str = "autokb") -> Iterator[tuple[str, Any]]:
        for name, inner in getattr(command, "commands", {}).items():
            yield from walk(inner, f"{path} {name}")
        yield path, command

    found = [(path, one) for path, command in walk(typer.main.get_command(app)) for one in command.params]
    assert len(found) > 200
    assert not [f"{path} {one.name}" for path, one in found if not one.help and not one.hidden]


@pytest.mark.with_plugins
def test_the_first_page_and_the_readme_have_each_command_under_its_task(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert sorted(name for names in TASKS.values() for name in names) == sorted({path[0] for path in COMMANDS})
    places = [out.index(f"\n\n{task}:\n") for task in TASKS]
    assert places == sorted(places) and "..." not in out[places[0] : out.index("Files of a workspace")]
    for names in TASKS.values():
        for name in names:
            assert re.search(rf"^  {name}  +[A-Z]", out, re.MULTILINE), name
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z ]+) \| (`.+`) \|$", readme, re.MULTILINE)
    assert {row[0].capitalize(): tuple(row[1].replace("`", "").split(", ")) for row in rows} == TASKS


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_wrong_usage_ends_with_2_and_names_the_help(run: Run, command: tuple[str, ...]) -> None:
    needs_none = command in (("demo",), ("plugins",))
    for words in (("--nonsense",),) if needs_none else ((), ("--nonsense",)):
        status, shown = run(*command, *words)
        assert (status, list(shown)) == (2, ["error"])
        assert f"autokb {' '.join(command)} --help" in shown["error"]


WORKSPACE_COMMANDS = [
    ("add", "{ws}", "{here}"),
    ("sources", "{ws}"),
    ("remove", "{ws}", "a.md"),
    ("plan", "{ws}"),
    ("build", "{ws}"),
    ("show", "{ws}"),
    ("ask", "{ws}", "hello"),
    ("costs", "{ws}"),
    ("draft-spec", "{ws}"),
    ("export", "{ws}", "{here}/x.jsonl"),
    ("import", "{ws}", "{here}/x.jsonl"),
    ("evaluate", "quality", "{ws}"),
    ("trial", "{ws}", "--model", "openai:gpt-5-mini"),
    ("evaluate", "retrieval", "{ws}", "--queries", "{here}/q.jsonl", "--qrels", "{here}/q.tsv"),
]


@pytest.mark.parametrize("words", WORKSPACE_COMMANDS, ids=lambda w: " ".join(w[:2]))
@pytest.mark.parametrize("kind", ["missing", "folder", "file", "foreign", "wrong yaml"])
def test_what_is_no_workspace_ends_with_a_sentence(run: Run, tmp_path: Path, words: tuple[str, ...], kind: str) -> None:
    place = tmp_path / "ws"
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "x"}\n')
    (tmp_path / "q.tsv").write_text("1\ta\t1\n")
    hand_made_kb.write(tmp_path / "x.jsonl")
    if kind == "file":
        place.write_text("x")
    elif kind != "missing":
        place.mkdir()
    if kind in ("foreign", "wrong yaml"):
        (place / "domain.yaml").write_text("name: [\n" if kind == "wrong yaml" else "name: x\n")
        (place / "knowledge.db").write_bytes(b"no database at all " * 99)
    status, shown = run(*(w.format(ws=place, here=tmp_path) for w in words))
    assert (status, list(shown)) == (2, ["error"])
    assert len(shown["error"]) > 20


@pytest.mark.with_plugins
def test_a_workspace_that_was_never_built(run: Run, tmp_path: Path) -> None:
    ws = tmp_path / "kb"
    assert run("init", ws, "--domain", "headphones") == (
        0,
        {"workspace": str(ws), "domain": "headphones", "documents": 0, "issues": 0},
    )
    status, shown = run("show", ws)
    assert (status, shown["trees"], shown["solutions"]) == (0, [], 0)
    for suffix in ("jsonl", "md", "csv"):
        assert run("export", ws, tmp_path / f"x.{suffix}")[0] == 0
    assert (tmp_path / "x.jsonl").read_text() == ""
    status, shown = run("ask", ws, "hello")
    assert status == 2 and "autokb build" in shown["error"]
    status, shown = run("show", ws, "issue-1")
    assert status == 2 and "issue-1" in shown["error"]
    status, shown = run("costs", ws)
    nothing = {"calls": 0, "cached": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0}, "cost": 0.0}
    assert (status, shown) == (0, {**nothing, "stages": {}, "tasks": {}})
    status, shown = run("plan", ws)
    assert (status, shown["calls"], shown["cost"], shown["seconds"]) == (0, 0, 0.0, None)
    assert {"economical", "paper"} == set(shown["modes"]) and shown["batch"] == {"cost": 0.0}
    status, shown = run("evaluate", "quality", ws)
    assert (status, shown["q_m"]["value"], shown["q_d"]["value"], shown["q_c"]["value"]) == (0, None, None, None)


def test_init_refuses_what_it_cannot_make(run: Run, tmp_path: Path) -> None:
    assert run("init", tmp_path / "kb")[0] == 0
    (tmp_path / "file").write_text("x")
    for words, reason in (
        ((tmp_path / "kb",), "already"),
        ((tmp_path / "file",), "is a file"),
        ((tmp_path / "new", "--domain", "mars"), "no shipped domain"),
        ((tmp_path / "new", "--examples"), "--domain"),
        ((tmp_path / "new", "--domain", "thunderbird", "--examples"), "--domain"),
    ):
        status, shown = run("init", *words)
        assert status == 2 and reason in shown["error"]
    assert not (tmp_path / "new").exists()


def test_add_by_the_command(run: Run, tmp_path: Path) -> None:
    ws = tmp_path / "kb"
    run("init", ws)
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "a.md").write_text("# A\n\nWords.\n")
    (tmp_path / "i.csv").write_text("nr,msg\n1,It stops\n2,It rains\n")
    assert run("add", ws, tmp_path / "m") == (
        0,
        {"added": 1, "updated": 0, "unchanged": 0, "removed": 0, "skipped": []},
    )
    status, shown = run("add", ws, tmp_path / "i.csv", "--as", "issues", "--text-field", "msg", "--id-field", "nr")
    assert (status, shown["added"]) == (0, 2)
    status, shown = run("add", ws, tmp_path / "i.csv", "--as", "issues")
    assert (status, shown["added"]) == (2, 0) and "--text-field" in shown["skipped"][0]["reason"]
    (tmp_path / "m" / "bad.pdf").write_bytes(b"%PDF-1.4 broken")
    status, shown = run("add", ws, tmp_path / "m", "--sync")
    assert (status, shown["unchanged"], shown["skipped"][0]["path"]) == (0, 1, "bad.pdf")
    status, shown = run("add", ws, tmp_path / "m", "--as", "poems")
    assert status == 2 and "poems" in shown["error"]
    status, shown = run("add", ws, tmp_path / "nowhere")
    assert status == 2 and "does not exist" in shown["error"]
    status, shown = run("show", ws)
    assert shown["staged"] == {"documents": 1, "issues": 2}


def test_sources_are_listed_and_removed_by_the_command(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ws = tmp_path / "kb"
    assert run("init", ws)[0] == 0
    assert run("sources", ws) == (0, {"sources": []})
    (tmp_path / "my manuals").mkdir()
    for name in ("a.md", "b c.md", "-d.md"):
        (tmp_path / "my manuals" / name).write_text(f"# {name}\n\nWords.\n")
    (tmp_path / "i.csv").write_text("id,text\n-7,it hums\nnumber 8,it smells\n")
    run("add", ws, tmp_path / "my manuals")
    run("add", ws, tmp_path / "i.csv", "--as", "issues")
    folder = {
        "kind": "folder",
        "path": str(tmp_path / "my manuals"),
        "documents": 3,
        "issues": 0,
        "tickets": 0,
        "chats": 0,
    }
    file = {"kind": "file", "path": str(tmp_path / "i.csv"), "documents": 0, "issues": 2, "tickets": 0, "chats": 0}
    assert run("sources", ws) == (0, {"sources": [folder, file]})
    status, shown = run("remove", ws, "b c.md", "nothing such")
    assert (status, list(shown)) == (2, ["error"]) and "'nothing such'" in shown["error"]
    assert run("remove", ws, "b c.md", "number 8") == (
        0,
        {"removed": 2, "documents": 1, "issues": 1, "tickets": 0, "chats": 0},
    )
    capsys.readouterr()
    assert main(["remove", "--json", str(ws), "--", "-d.md", "-7"]) == 0
    assert json.loads(capsys.readouterr().out) == {"removed": 2, "documents": 1, "issues": 1, "tickets": 0, "chats": 0}
    assert run("remove", ws, "-x")[0] == 2  # without the two dashes it is an option
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my manuals" / "a.md").unlink()
    (tmp_path / "my manuals" / "b c.md").unlink()
    (tmp_path / "my manuals" / "-d.md").unlink()
    status, shown = run("add", ws, "my manuals", "--sync")
    assert (status, list(shown)) == (2, ["error"]) and "--yes" in shown["error"]
    assert run("add", ws, "my manuals", "--sync", "--yes")[1]["removed"] == 1
    run("add", ws, "i.csv", "--as", "issues")
    (tmp_path / "j.csv").write_text("id,text\n-7,it is loud\n")
    status, shown = run("add", ws, "j.csv", "--as", "issues")
    assert (status, list(shown)) == (2, ["error"]) and "--update" in shown["error"]
    assert run("add", ws, "j.csv", "--as", "issues", "--update")[1]["updated"] == 1
    (tmp_path / "my manuals").rmdir()
    assert run("remove", ws, "i.csv", "./j.csv") == (
        0,
        {"removed": 2, "documents": 0, "issues": 2, "tickets": 0, "chats": 0},
    )


def test_ask_show_export_import_by_the_command(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    ws = hand_made.folder
    status, shown = run("ask", ws, "the robot does not pair with the app", "--attribute", "os=iOS", "--k", 1)
    assert (status, shown["outcome"], len(shown["matches"]), len(shown["documents"])) == (0, "answered", 1, 1)
    assert shown["matches"][0]["issue"]["id"] == "pair-ios"
    status, shown = run("show", ws)
    assert (status, shown["trees_in_all"], len(run("show", ws, "--most", 2)[1]["trees"])) == (0, 4, 2)
    status, shown = run("show", ws, "blades")
    assert (status, [s["status"] for s in shown["solutions"]], shown["theme"]) == (0, ["withheld"], "cutting")
    assert shown["solutions"][0]["reason"] == "It sends the customer to support."
    assert [(r["rule"], r["verdict"]) for r in shown["solutions"][0]["rules"]] == [("no-support", "broken")]
    assert run("show", ws, "blades-h")[1]["theme"] == "cutting"  # the first letters are enough
    status, shown = run("show", ws, "pair-i")
    assert status == 2 and "2 issues" in shown["error"]
    status, shown = run("export", ws, tmp_path / "kb.jsonl")
    assert (status, shown["lines"]) == (0, len(hand_made_kb.lines()) + 2)  # the verdicts that two statuses tell
    lines = shown["lines"]
    assert run("export", ws, tmp_path / "kb.md")[1]["solutions"] == len(hand_made_kb.SOLUTIONS)
    status, shown = run("import", ws, tmp_path / "kb.jsonl")
    assert (status, shown) == (0, {"taken": 0, "unchanged": lines, "skipped": [], "notes": []})
    for words in (("export", ws, tmp_path / "kb.pdf"), ("import", ws, tmp_path / "kb.pdf")):
        assert run(*words)[0] == 2


@pytest.mark.parametrize("text", ["", "   ", "🔋" * 300, "rain\x00", "\udcff\udcfe", "x" * 200_000])
def test_odd_questions(run: Run, hand_made: Workspace, text: str) -> None:
    status, shown = run("ask", hand_made.folder, text)
    assert status == (0 if text.strip() else 2)
    assert ("error" in shown) == (not text.strip())


@pytest.mark.parametrize("words", [("--k", "0"), ("--k", "many"), ("--attribute", "os"), ("--attribute", "moon=full")])
def test_wrong_options_of_ask(run: Run, hand_made: Workspace, words: tuple[str, ...]) -> None:
    status, shown = run("ask", hand_made.folder, "rain", *words)
    assert (status, list(shown)) == (2, ["error"])


@pytest.mark.with_plugins
def test_evaluate_retrieval_by_the_command(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(
        '{"id": "1", "text": "the robot stops in the rain"}\n{"query_id": "2", "query": "pairing with the app"}\n'
    )
    (tmp_path / "q.tsv").write_text("query\tdocument\tgrade\n1\train.md\t1\n2\tpairing\t1\n")
    words = (
        "evaluate",
        "retrieval",
        hand_made.folder,
        "--queries",
        tmp_path / "q.jsonl",
        "--qrels",
        tmp_path / "q.tsv",
    )
    status, shown = run(*words, "--report", tmp_path / "r.html")
    assert status == 0
    assert {"raw", "raw+cc", "bm25", "vectors", "autokb", "autokb+hr"} <= set(shown["systems"])
    ranked = {"hit_rate@1", "hit_rate@3", "hit_rate@5", "hit_rate@10", "mrr", "ndcg@10"}
    shows = {"shown@1", "shown@3", "shown@5", "shown@10"}
    for name, system in shown["systems"].items():
        assert set(system["metrics"]) == (ranked | shows if name == "autokb+hr" else ranked)
        assert set(system["metrics"]["mrr"]) >= {"value", "low", "high"}
        assert set(system["rankings"]) == {"1", "2"}
    best = shown["systems"]["autokb+hr"]
    assert best["metrics"]["hit_rate@1"]["value"] == 1.0
    assert best["rankings"]["2"][0] == "app/pairing.md"
    assert all(set(d) >= {"system", "baseline", "metric", "value", "low", "high"} for d in shown["differences"])
    assert "<html" in (tmp_path / "r.html").read_text()
    assert list(run(*words, "--systems", "raw,bm25")[1]["systems"]) == ["raw", "bm25"]
    for system in ("llm-wk", "oracle"):
        assert run(*words, "--systems", system)[0] == 2
    assert run(*words[:-1], tmp_path / "none.tsv")[0] == 2


@pytest.mark.with_plugins
def test_evaluate_quality_and_compare_by_the_command(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    ws = hand_made.folder
    status, shown = run("evaluate", "quality", ws, "--sheet", tmp_path / "s.csv")
    # 10 displayed solutions over model (3 values), os (2) and device (3): the means are written out in the test of Q_M
    assert status == 0 and 0 < shown["q_m"]["value"] < 1
    assert (shown["q_d"]["value"], shown["q_c"]["value"]) == (1.0, None)
    head = (tmp_path / "s.csv").read_text(encoding="utf-8-sig").split("\n")[0]
    assert {"item", "annotator", "answer"} <= set(head.strip().split(","))
    before, after = tmp_path / "b.json", tmp_path / "a.json"
    before.write_text(json.dumps(shown))
    after.write_text(json.dumps(shown | {"q_d": {"value": 0.5}}))
    assert run("evaluate", "compare", before, before, "--metric", "q_d", "--gate", 0.1)[0] == 0
    status, shown = run("evaluate", "compare", before, after, "--metric", "q_d", "--gate", 0.1)
    assert status == 1 and "error" not in shown
    assert run("evaluate", "compare", before, tmp_path / "none.json")[0] == 2


def fails_with(error: BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("autokb.pipeline.plan.plan", fail)


@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (KeyboardInterrupt(), 3, "Stopped"),
        (StoppedOnPurposeError("The budget is reached."), 3, "budget"),
        (MemoryError(), 1, "memory"),
        (OSError(28, "No space left on device", "/x/y"), 1, "No space left on device: /x/y"),
        (PermissionError(13, "Permission denied", "kb"), 1, "Permission denied: kb"),
        (ZeroDivisionError("by nought"), 1, "fault in autokb (ZeroDivisionError: by nought)"),
    ],
)
def test_what_ends_a_command_is_said(
    run: Run, hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, error: BaseException, status: int, words: str
) -> None:
    fails_with(error, monkeypatch)
    found, shown = run("plan", hand_made.folder)
    assert (found, list(shown)) == (status, ["error"])
    assert words in shown["error"]


def test_without_json_errors_go_to_standard_error_only(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "autokb init" in err


def test_a_database_of_another_version_is_said(run: Run, hand_made: Workspace) -> None:
    db = sqlite3.connect(hand_made.knowledge_path)
    db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    db.commit()
    db.close()
    status, shown = run("show", hand_made.folder)
    assert status == 1 and "install a newer version of autokb" in shown["error"]


def test_a_table_that_is_damaged_is_said(run: Run, hand_made: Workspace) -> None:
    db = sqlite3.connect(hand_made.knowledge_path)
    db.execute("DROP TABLE record")
    db.commit()
    db.close()
    status, shown = run("show", hand_made.folder)
    assert status == 1 and "is damaged (SQLITE_ERROR); restore your backup" in shown["error"]


def test_the_version_is_that_of_the_package(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"autokb {version('autokb')}\n"


def test_a_misspelt_field_ends_with_two(run: Run, hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "i.csv").write_text("id,message\n1,Hello there\n")
    status, shown = run("add", hand_made.folder, tmp_path / "i.csv", "--as", "issues", "--text-field", "mesage")
    assert status == 2 and "the fields are: id, message" in shown["error"]


def test_a_misspelt_command_is_told_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shwo"]) == 2
    assert capsys.readouterr().err == "No such command 'shwo'. Did you mean 'show'? See: autokb --help\n"
    assert main(["show"]) == 2
    assert capsys.readouterr().err == "Missing argument 'WORKSPACE'. See: autokb show --help\n"


@pytest.mark.parametrize(
    ("command", "also"),
    [("build", ("publish", "discard", "checks")), ("add", ("build",)), ("gaps", ("write", "add"))],
)
def test_a_help_names_what_is_wanted_next(
    command: str, also: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    named = " ".join(capsys.readouterr().out.split()).rpartition("See also: ")[2].split(", ")
    assert {f"autokb {one}" for one in also} <= set(named) and len(set(named)) == len(named)


def test_gaps_and_review_say_what_is_not_counted(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("gaps", "review"):
        assert main([command, str(hand_made.folder)]) == 0
        assert "Questions from the command line are not counted." in " ".join(capsys.readouterr().out.split()), command
