"""``autokb doctor``: what is wrong is said with the right status, and nothing private is in what is pasted."""

from __future__ import annotations

import getpass
import json
import shutil
import socket
import sqlite3
import warnings
from collections.abc import Callable
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest.mock import Mock
from uuid import uuid4

import pytest
from benchmarks.postgres_server import PostgresServer
from filelock import FileLock

import stub_server as stub
from autokb.app import SupportKB
from autokb.app.doctor import examine
from autokb.app.synced import SyncedSource
from autokb.cli import main
from autokb.core.errors import AutokbWarning
from autokb.llm.embedders import packaged
from autokb.plugins.sync.side_by_side import SideBySide
from autokb.stores.workspace import LOCK_FILE, Workspace, create_workspace
from real_postgres import needs_postgres
from unwritable import unwritable_copy

Run = Callable[..., tuple[int, dict[str, Any], str]]
PASSWORD, KEY, HOST, OWNER = "pw-7Qz41xLm", "sk-hidden-4711-0815", "db.acme-internal.example", "acmeowner"
STORE = f"postgresql://{OWNER}:{PASSWORD}@{HOST}:5999/acmebase?schema=acme_schema"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run doctor twice; returns the status of both, the object, and what a person sees."""

    def call(*words: object) -> tuple[int, dict[str, Any], str]:
        capsys.readouterr()
        status = main(["doctor", *map(str, words), "--json"])
        found = json.loads(capsys.readouterr().out)
        assert main(["doctor", *map(str, words)]) == status == found["exit_status"]
        printed = capsys.readouterr()
        assert printed.err == ""
        return status, found, printed.out

    return call


@pytest.fixture
def keys_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY", "AUTOKB_STORE"):
        monkeypatch.delenv(name, raising=False)


def test_a_workspace_that_is_well(hand_made: Workspace, run: Run) -> None:
    kb = SupportKB(hand_made)
    gone = kb.keys.create("agent")
    for role in ("admin", "agent", "agent"):
        kb.keys.create(role)
    kb.keys.revoke(gone.id)
    status, found, text = run(hand_made.folder)
    assert (status, found["problems"]) == (0, [])
    assert found["encoder"] == packaged.PackagedEmbedder.name and found["encoder"] in text
    store = found["store"]
    assert (store["kind"], store["version"], store["intact"], store["writable"], store["busy"]) == (
        "SQLite",
        sqlite3.sqlite_version,
        True,
        True,
        "",
    )
    assert store["bytes"] == hand_made.knowledge_path.stat().st_size
    assert found["keys"] == {"admin": 1, "agent": 2, "revoked": 1}
    assert found["published"]["document"] == len(kb.views.documents(100).items)
    assert [one["what"] for one in found["speed"]] == [
        "Encoding a question",
        "The first question of a process",
        "A later question",
    ]
    assert found["extras"].keys() >= {"umap", "postgres", "ray"} and not found["extras"].keys() & {"test", "check"}
    assert all(f"{name} " in text for name in ("autokb", "Python", "onnxruntime", "SQLite"))


def test_what_is_slow_is_said(hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    doctor = import_module("autokb.app.doctor")
    for name in ("OPENING", "ANSWERING", "ENCODING"):
        monkeypatch.setattr(doctor, name, 1e-9)
    assert len([one for one in run(hand_made.folder)[1]["notes"] if "is slow" in one]) == 3
    for name in ("OPENING", "ANSWERING", "ENCODING"):
        monkeypatch.setattr(doctor, name, 1e9)
    status, found, text = run(hand_made.folder)
    assert (status, found["notes"]) == (0, []) and "slow" not in text


def test_nothing_is_published_yet(tmp_path: Path, run: Run) -> None:
    create_workspace(tmp_path / "kb", "name: fresh\n")
    status, found, _ = run(tmp_path / "kb")
    assert status == 0 and any("autokb build" in one for one in found["notes"])


def _damage(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4096 : len(content) // 2] = bytes(len(content) // 2 - 4096)
    path.write_bytes(content)


def _set(schema: str, program: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db, db:
            db.execute("UPDATE meta SET value = ? WHERE key = 'schema'", (schema,))
            db.execute("UPDATE meta SET value = ? WHERE key = 'written_by'", (program,))

    return change


def _spoil_rows(path: Path) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute('UPDATE record SET body = \'{"text": "the words of a customer\'')


CASES: dict[str, tuple[Callable[[Path], object], int, str]] = {
    "a folder that is not there": (lambda path: shutil.rmtree(path.parent), 2, "WORKSPACE is no workspace"),
    "no knowledge": (
        Path.unlink,
        2,
        "WORKSPACE has its domain.yaml, and its knowledge.db is gone; restore your backup of it, or begin an empty one "
        "beside your domain.yaml: autokb init WORKSPACE",
    ),
    "no domain": (lambda path: (path.parent / "domain.yaml").unlink(), 2, "domain.yaml is gone"),
    "settings that are none": (
        lambda path: (path.parent / "settings.yaml").write_text(f"model: [{KEY}\n", encoding="utf-8"),
        2,
        "settings.yaml",
    ),
    "another program's file": (lambda path: path.write_bytes(b"no database " * 99), 2, "was not made by autokb"),
    "an empty file": (lambda path: path.write_bytes(b""), 2, "WORKSPACE/knowledge.db is empty"),
    "damaged pages": (_damage, 1, "is damaged"),
    "damaged rows": (_spoil_rows, 1, "is damaged"),
    "a newer version": (_set("99", "7.1"), 1, "was written by autokb 7.1"),
    "a version that is none": (_set("'; a customer", "a customer"), 1, "is damaged"),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_one_sentence_and_the_status_that_commands_have(
    name: str, hand_made: Workspace, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    spoil, expected, sentence = CASES[name]
    spoil(hand_made.knowledge_path)
    before = hand_made.knowledge_path.read_bytes() if hand_made.knowledge_path.exists() else b""
    status, found, text = run(hand_made.folder)
    assert status == expected and any(sentence in one for one in found["problems"]), found["problems"]
    assert sentence in text and KEY not in text and "customer" not in text and "fault in autokb" not in text
    assert found["encoder"] and found["versions"]["autokb"]  # which are there whatever the workspace is
    assert before == b"" or hand_made.knowledge_path.read_bytes() == before
    assert main(["ask", str(hand_made.folder), "the robot stops"]) == status
    capsys.readouterr()


ACME = "quokka"  # stands in all that somebody has written
BAD_SETTINGS = {
    "helpdesks: chatwoot: url must be an address such as https://desk.example.com.": (
        f"helpdesks: {{chatwoot: {{url: chat.{ACME}.example, account: 7}}}}"
    ),
    "helpdesks: intercom: admin must be a number or a word.": f"helpdesks: {{intercom: {{admin: Anna {ACME}}}}}",
    "helpdesks: takes chatwoot, zendesk, intercom or PLUGIN.NAME.": f"helpdesks: {{{ACME}: {{}}}}",
    "secret_env must be the NAME of": f"helpdesks: {{intercom: {{admin: 1, secret_env: tok-{ACME}}}}}",
    "token_env must be the NAME of": f"helpdesks: {{intercom: {{admin: 1, token_env: xYz7GkTq9{ACME}}}}}",
    "the source HIDDEN: token_env must be": (
        f"sources: {{{ACME}: {{type: github, repo: a/b, token_env: ghp-{ACME}}}}}"
    ),
    "embed: origins must be a list of sites such as https://help.example.com, without a path.": (
        f"embed: {{origins: [help.{ACME}.example/x]}}"
    ),
    "sources must be a mapping.": f"sources: [{ACME}]",
    "the source HIDDEN: write a mapping with a type": f"sources: {{{ACME}: x}}",
    "settings.yaml, line 3: HIDDEN is not a setting; the settings are answer": f"\nmodel: offline\n{ACME}: 1",
    "the price of HIDDEN needs input and output": f"prices: {{'openai:ft:gpt-4o:{ACME}::x': 1}}",
    "the reasoning_effort of HIDDEN must be one of none": f"reasoning_effort: {{'openai:ft:gpt-4o:{ACME}::x': much}}",
    "the source HIDDEN: write a mapping with a type: folder, git, web, zendesk, jira, github.": (
        f"sources: {{{ACME}: {{type: {ACME}}}}}"
    ),
    "there is no chunker HIDDEN; choose one of: auto_chunker": f"chunker: {ACME}",
    "context must be document, chained or woven.": f"context: {ACME}",
    "the reranker HIDDEN is not known": f"reranker: {ACME}",
    "executor must be local, ray or ray://HOST:PORT.": f"executor: {ACME}",
    "tasks: there is no task HIDDEN": f"tasks: {{{ACME}: offline}}",
    "line 2: HIDDEN stands twice": f"{ACME}: 1\n{ACME}: 2",
    "is not valid YAML in line 1: put a text that begins with * into quotes.": f"model: *{ACME}",
    "the embedder HIDDEN is not known": f"embedder: {ACME}",
    "OPENAI_API_KEY": f"model: openai:ft:gpt-4o-mini-2024-07-18:{ACME}::9xYz",
    "store, or AUTOKB_STORE, must be an address such as postgresql://USER@HOST/DATABASE?schema=NAME.": (
        f"store: postgresql//{ACME}:pw@db.{ACME}.example/kb"
    ),
    "HIDDEN is no model": f"model: {ACME}",
    "HIDDEN is no provider of models": f"model: '{ACME}:x'",
    "base_url must begin with http:// or https://.": f"model: openai:gpt-5-mini\nbase_url: llm.{ACME}.example",
}


@pytest.mark.with_plugins
@pytest.mark.usefixtures("keys_unset")
@pytest.mark.parametrize("sentence", BAD_SETTINGS)
def test_settings_that_are_refused_are_named_by_their_path_and_never_by_what_they_are(
    sentence: str, hand_made: Workspace, run: Run
) -> None:
    (hand_made.folder / "settings.yaml").write_text(f"{BAD_SETTINGS[sentence]}\n", encoding="utf-8")
    status, found, text = run(hand_made.folder)
    assert status == 2 and sentence in " ".join(found["problems"]), found["problems"]
    assert ACME not in text + json.dumps(found)
    assert len(set(found["problems"])) == len(found["problems"])


NO_HINT = (
    "in capitals with an underscore",
    "AUTOKB_STORE",
    "put a text that begins with",
)  # sentences that nobody's words belong to


@pytest.mark.with_plugins
@pytest.mark.usefixtures("keys_unset")
@pytest.mark.parametrize("sentence", BAD_SETTINGS)
def test_the_last_line_says_where_the_hidden_words_are(
    sentence: str, hand_made: Workspace, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = hand_made.folder / "settings.yaml"
    settings.write_text(f"{BAD_SETTINGS[sentence]}\n", encoding="utf-8")
    _, found, text = run(hand_made.folder)
    last = text.rstrip().splitlines()[-1]
    assert last.split(maxsplit=1) == (["hint", found["hint"]] if found["hint"] else last.split(maxsplit=1))
    if "autokb plan" in found["hint"]:
        assert main(["plan", str(hand_made.folder)]) == 2
        assert ACME in capsys.readouterr().err
    else:
        said = " ".join(found["problems"])
        assert ("settings.yaml" in found["hint"]) is not any(one in said for one in NO_HINT), (found["hint"], said)


BAD_DOMAINS = {
    "attribute 2: kind must be closed or open.": f"attributes: {{os: {{values: [a]}}, {ACME}: {{kind: {ACME}}}}}",
    "attribute 1: values must be a list; write it as [one, two].": f"attributes: {{{ACME}: {{values: '{ACME}, US'}}}}",
    "attribute 1: HIDDEN is not one of its values.": (
        f"attributes: {{{ACME}: {{values: [{ACME}], synonyms: {{b: [x]}}}}}}"
    ),
    "attribute 1: labels: HIDDEN is not one of its values.": (
        f"attributes: {{{ACME}: {{values: [{ACME}], labels: {{{ACME}2: x}}}}}}"
    ),
    "attribute 1: synonyms of HIDDEN must be a list": f"attributes: {{a: {{values: [b], synonyms: {{{ACME}: {{}}}}}}}}",
    "attribute 1: the label of HIDDEN must be text": f"attributes: {{a: {{values: [b], labels: {{{ACME}: []}}}}}}",
    "attribute 1: implies of HIDDEN names the attribute HIDDEN, which": (
        f"attributes: {{{ACME}: {{values: [{ACME}], implies: {{{ACME}: {{{ACME}2: [x]}}}}}}}}"
    ),
    "attribute 1: implies of HIDDEN: HIDDEN is not a value of HIDDEN.": (
        f"attributes: {{{ACME}: {{values: [{ACME}], implies: {{{ACME}: {{{ACME}: [{ACME}2]}}}}}}}}"
    ),
    "rule 2: patterns: HIDDEN is not a valid regular expression.": (
        f"rules: [Be kind., {{id: {ACME}, text: x, patterns: ['write to (Anna Meier or {ACME}']}}]"
    ),
    "rule 1: patterns: HIDDEN is not a valid regular expression. ": (
        f"rules: [{{text: x, patterns: ['(?P={ACME})']}}]"
    ),
    "rule 1 needs a text.": f"rules: [{{id: {ACME}}}]",
    "rule 1: text must be text": f"rules: [{{id: {ACME}, text: []}}]",
    "rule 1: forbid: HIDDEN has no word in it": f"rules: [{{id: {ACME}, text: x, forbid: ['!!']}}]",
    "rule 1: forbid: HIDDEN has too many alternatives": (
        f"rules: [{{id: {ACME}, text: x, forbid: ['{ACME}/b/c/d a/b/c/d a/b/c/d a/b/c/d a/b/c/d a/b/c/d']}}]"
    ),
    "urgent 1 takes name, when, with, unless, section, document.": f"urgent: [{{name: {ACME}, {ACME}: x}}]",
    "urgent 1 needs what customers write": f"urgent: [{{name: {ACME}}}]",
    "urgent 1 needs the heading of its section": f"urgent: [{{name: {ACME}, when: [{ACME}]}}]",
    "templates: HIDDEN must be text": f"templates: {{{ACME}: []}}",
    "review: show must be all or approved.": f"review: {{show: {ACME}}}",
    "review: approvals must be a whole number from 1 to 9.": f"review: {{approvals: {ACME}}}",
    "language must be a code of two letters such as en or de.": f"language: {ACME}",
    "scope names the attribute HIDDEN, which is not configured.": f"scope: {{{ACME}: [x]}}",
    "scope: HIDDEN is not a value of HIDDEN.": f"attributes: {{a: {{values: [b]}}}}\nscope: {{a: [{ACME}]}}",
    "scope: HIDDEN needs its values, for example {HIDDEN: [One]}.": (
        f"attributes: {{{ACME}: {{values: [b]}}}}\nscope: {{{ACME}: []}}"
    ),
    "domain.yaml: unknown key HIDDEN. Did you mean rules?": f"rulez: [{ACME}]",
}


@pytest.mark.parametrize("sentence", BAD_DOMAINS)
def test_a_domain_that_is_refused_is_named_by_the_place_and_never_by_what_it_says(
    sentence: str, hand_made: Workspace, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (hand_made.folder / "domain.yaml").write_text(f"name: x\n{BAD_DOMAINS[sentence]}\n", encoding="utf-8")
    status, found, text = run(hand_made.folder)
    assert status == 2 and sentence.strip() in " ".join(found["problems"]), found["problems"]
    assert ACME not in text + json.dumps(found) and "Anna" not in text
    assert text.rstrip().endswith("autokb plan WORKSPACE shows the words that are hidden here.")
    for words in (["plan"], ["build", "--yes"], ["ask", "the robot stops"]):
        assert main([words[0], str(hand_made.folder), *words[1:]]) == 2
        said = capsys.readouterr().err
        assert ACME in said or "rulez" in said
        assert not any(mark in said for mark in "\x02\x03") and "HIDDEN" not in said


def test_what_could_not_be_read_is_not_called_nothing(hand_made: Workspace, run: Run) -> None:
    (hand_made.folder / "settings.yaml").write_text(f"{ACME}: 1\n", encoding="utf-8")
    _, found, text = run(hand_made.folder)
    assert found["not_read"] == ["keys", "models", "published", "settings"]
    lines = {line.split()[0]: line.split(maxsplit=1)[1] for line in text.splitlines()}
    assert all(lines[name] == "not read" for name in found["not_read"])
    (hand_made.folder / "settings.yaml").write_text("", encoding="utf-8")
    _, found, text = run(hand_made.folder)
    assert found["not_read"] == [] and "settings     defaults" in text and "keys         none" in text
    assert found["hint"] == "" and "hint" not in text
    (hand_made.folder / "domain.yaml").write_text("rulez: []\n", encoding="utf-8")
    _, found, text = run(hand_made.folder)
    assert found["not_read"] == ["keys", "published"] and "settings     defaults" in text


@pytest.mark.with_plugins
def test_folders_of_sources_that_are_not_there_are_a_problem(
    hand_made: Workspace, tmp_path: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    (hand_made.folder / "settings.yaml").write_text(
        f"sources:\n  here: {{type: folder, path: .}}\n  {ACME}: {{type: folder, path: '../{ACME}'}}\n",
        encoding="utf-8",
    )
    status, found, text = run(hand_made.folder)
    assert status == 1 and ACME not in text + json.dumps(found)
    assert [one for one in found["problems"] if "the folder of source 2" in one and "autokb sync" in one]
    assert len(found["problems"]) == 1
    assert main(["sync", str(hand_made.folder), "--source", ACME]) == status
    printed = capsys.readouterr()
    assert f"{ACME} does not exist" in printed.err and "does not exist" not in printed.out
    (hand_made.folder.parent / ACME).mkdir()
    assert run(hand_made.folder)[1]["problems"] == []


@pytest.mark.with_plugins
@pytest.mark.usefixtures("keys_unset")
@pytest.mark.parametrize("sentence", BAD_SETTINGS)
def test_serving_ends_without_showing_what_settings_that_are_refused_are(
    sentence: str, hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    (hand_made.folder / "settings.yaml").write_text(f"{BAD_SETTINGS[sentence]}\n", encoding="utf-8")
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:  # so that it ends where it would begin
        port = str(taken.getsockname()[1])
        for words in (["serve"], *([["mcp", "--http"]] if find_spec("mcp") else [])):
            assert main([words[0], str(hand_made.folder), *words[1:], "--port", port]) == 2
            said = "".join(capsys.readouterr())
            assert "embedder" not in sentence or sentence in said
            assert (sentence in said or f"port {port}, cannot be listened on" in said) and ACME not in said


@pytest.mark.usefixtures("keys_unset")
@pytest.mark.parametrize("sentence", [one for one in BAD_SETTINGS if one != "OPENAI_API_KEY"])  # a model is no value
def test_a_sync_says_what_is_wrong_with_settings_and_not_what_they_are(
    sentence: str, hand_made: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = SideBySide.ended

    def once(reads: SideBySide, wait: float) -> tuple[str, SyncedSource] | None:
        if not reads.running:
            raise KeyboardInterrupt
        return ended(reads, wait)

    monkeypatch.setattr(SideBySide, "ended", once)
    monkeypatch.setattr("autokb.plugins.sync.watch.time", Mock(sleep=Mock(side_effect=KeyboardInterrupt)))
    (hand_made.folder / "manuals").mkdir()
    (hand_made.folder / "manuals" / "pair.md").write_text("# Pair\n\nHold the button.\n", encoding="utf-8")
    source = "" if "sources:" in BAD_SETTINGS[sentence] else "sources: {manuals: {type: folder, path: manuals}}\n"
    (hand_made.folder / "settings.yaml").write_text(f"{source}{BAD_SETTINGS[sentence]}\n", encoding="utf-8")
    for words in (["--watch"], [], ["--json"]):  # the first finds the source not read yet
        main(["sync", str(hand_made.folder), "--build", *words])
        said = "".join(capsys.readouterr())
        assert ACME not in said, words


@pytest.mark.parametrize("name", ["ghp_QUOKKA", "QUOKKA_4711"])
def test_a_secret_in_the_place_of_its_variable_is_never_shown(
    name: str, hand_made: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = f"sources: {{guide: {{type: github, repo: a/b, token_env: {name}}}}}\n"
    (hand_made.folder / "settings.yaml").write_text(settings, encoding="utf-8")
    assert main(["sync", str(hand_made.folder)]) == 1
    said = "".join(capsys.readouterr())
    assert "guide: The environment variable that token_env names is not set" in said and name not in said
    monkeypatch.setenv(name, " ")
    assert main(["sync", str(hand_made.folder)]) == 1
    assert f"{name} holds no secret" in capsys.readouterr().err


@pytest.mark.with_plugins
@pytest.mark.usefixtures("keys_unset")
def test_variables_are_shown_that_are_set_and_named_by_the_settings_or_by_us(
    hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (hand_made.folder / "settings.yaml").write_text(
        "helpdesks: {intercom: {admin: 1, secret_env: OUR_DESK_SECRET, token_env: PASTED_SECRET}}\n"
        "sources: {guide: {type: github, repo: a/b, token_env: GUIDE_TOKEN}}\n"
    )
    for name in ("GUIDE_TOKEN", "OUR_DESK_SECRET", "RERANKER_API_KEY"):
        monkeypatch.setenv(name, KEY)
    _, found, text = run(hand_made.folder)
    assert {"GUIDE_TOKEN", "OUR_DESK_SECRET", "RERANKER_API_KEY"} <= set(found["environment"])
    assert "PASTED_SECRET" not in text + json.dumps(found) and KEY not in text


def test_an_earlier_version_is_left_as_it_is(hand_made: Workspace, run: Run) -> None:
    _set("8", "0.0.9")(hand_made.knowledge_path)
    before = hand_made.knowledge_path.read_bytes()
    status, found, _ = run(hand_made.folder)
    assert status == 0 and any("brings them up to date" in one for one in found["notes"])
    assert hand_made.knowledge_path.read_bytes() == before


def test_a_folder_that_cannot_be_written_is_told_and_fails_nothing(hand_made: Workspace, run: Run) -> None:
    with unwritable_copy(hand_made.folder) as folder:
        status, found, _ = run(folder)
    assert (status, found["store"]["writable"], found["store"]["intact"]) == (0, False, True)
    assert any("cannot be written" in one for one in found["notes"])
    assert found["speed"][1:]  # it was asked all the same


@pytest.mark.slow
def test_who_is_at_work_is_told(hand_made: Workspace, run: Run) -> None:
    with FileLock(hand_made.folder / LOCK_FILE):
        assert run(hand_made.folder)[1]["store"]["busy"] == "a build is at work"
    with closing(sqlite3.connect(hand_made.knowledge_path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        status, found, text = run(hand_made.folder)
    assert status == 0 and found["store"]["busy"] == "another process is writing" and "in use" in text


def test_an_encoder_with_other_bytes_is_a_problem(
    hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged, "MODEL_SHA256", "0" * 64)
    status, found, _ = run(hand_made.folder)
    assert status == 1 and any("SHA-256 differs" in one for one in found["problems"])


def test_no_secret_and_no_name_is_in_it(
    hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home" / "anna-karenina"
    shutil.copytree(hand_made.folder, home / "Secret Project" / "kb")
    for name, value in {
        "HOME": str(home),
        "USER": "anna-karenina",
        "LOGNAME": "anna-karenina",
        "OPENAI_API_KEY": KEY,
        "AUTOKB_STORE": STORE,
        "AUTOKB_BASE_URL": f"https://{OWNER}:{PASSWORD}@{HOST}/v1/acmepath",
        "AUTOKB_MODEL": f"openai:{KEY}",
        "PGPASSWORD": PASSWORD,
        "AUTOKB_EMBEDDER": f"local:{home}/Secret Project/encoder",
    }.items():
        monkeypatch.setenv(name, value)
    assert getpass.getuser() == "anna-karenina"
    private = (PASSWORD, KEY, HOST, OWNER, "acme", "anna-karenina", "Secret Project", "5999", str(tmp_path))
    private += (socket.gethostname(),) if len(socket.gethostname()) > 3 else ()
    settings = home / "Secret Project" / "kb" / "settings.yaml"
    for written in ("", f"sources: {{acme: {{type: jira, url: 'https://{HOST}', jql: x}}}}\n", f"store: [{STORE}]\n"):
        settings.write_text(written, encoding="utf-8")
        for online in ([], ["--online"]):
            status, found, text = run(home / "Secret Project" / "kb", *online)
            assert status and found["problems"]
            for one in private:
                assert one.casefold() not in (json.dumps(found) + text).casefold(), one
    assert {"AUTOKB_STORE", "AUTOKB_MODEL", "OPENAI_API_KEY"} <= set(found["environment"])


@pytest.mark.usefixtures("keys_unset")
def test_a_model_without_its_key_is_what_a_build_would_say(
    hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTOKB_MODEL", "anthropic:claude-opus-4-6")
    status, found, _ = run(hand_made.folder)
    assert status == 2 and any("ANTHROPIC_API_KEY" in one for one in found["problems"])
    (model,) = found["models"]
    assert (model["key"], model["has_key"]) == ("ANTHROPIC_API_KEY", False) and "not asked" in model["answer"]


def listing(_body: dict[str, Any], _content: str | None, _finish: str = "stop", _refused: str | None = None) -> bytes:
    """A list of models, in the words of all three providers."""
    return json.dumps({"data": [{"id": "m"}], "models": [{"name": "models/m"}]}).encode()


@pytest.mark.parametrize("model", ["openai:m", "anthropic:m", "google:m", "openai:another"])
def test_online_asks_for_the_list_of_models_and_nothing_else(
    model: str, hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stub.StubServer(lambda _body: "{}", wires={"/models": listing}) as server:
        root = server.url.removesuffix("/v1")
        for name, value in {
            "AUTOKB_MODEL": model,
            "AUTOKB_BASE_URL": server.url,
            "ANTHROPIC_BASE_URL": root,
            "GOOGLE_GEMINI_BASE_URL": root,
            "OPENAI_API_KEY": KEY,
            "ANTHROPIC_API_KEY": KEY,
            "GOOGLE_API_KEY": KEY,
        }.items():
            monkeypatch.setenv(name, value)
        assert run(hand_made.folder)[0] == 0 and server.bodies == []
        status, found, text = run(hand_made.folder, "--online")
        assert status == 0 and server.bodies == [{}, {}]  # one for each run, without a body
        (asked,) = found["models"]
        assert asked["answer"].startswith("HTTP 200") and KEY not in text
        assert asked["answer"].endswith("lists the model") is (model != "openai:another")
        assert (KEY in server.keys) is model.startswith("openai")
        server.reply = lambda _body: stub.status(401)
        status, found, text = run(hand_made.folder, "--online")
        assert status == 2 and any("was refused" in one for one in found["problems"]) and KEY not in text
    status, found, _ = run(hand_made.folder, "--online")  # there is no server any more
    assert status == 1 and found["models"][0]["answer"] == "no reply"


def test_a_failure_that_nobody_expects_shows_nothing_of_its_text(
    hand_made: Workspace, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_path: Path) -> None:
        raise RuntimeError(KEY)

    monkeypatch.setattr("autokb.app.doctor.look_at_file", fail)
    status, _, text = run(hand_made.folder)
    assert status == 1 and "RuntimeError" in text and KEY not in text


@needs_postgres
@pytest.mark.slow
@pytest.mark.usefixtures("keys_unset")
def test_a_workspace_on_a_server(
    postgres: PostgresServer, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    schema = f"a{uuid4().hex}"
    url = postgres.url(schema)
    settings = tmp_path / "kb" / "settings.yaml"
    create_workspace(tmp_path / "kb", "name: fresh\n", f"store: {url}\n")
    status, found, text = run(tmp_path / "kb")
    assert status == 1 and "no tables of a workspace" in text and schema not in text  # and none were made
    with SupportKB.open(tmp_path / "kb").workspace.file() as file:
        status, found, text = run(tmp_path / "kb")
        assert (status, found["problems"], found["settings"]) == (0, [], ["store"])
        store = found["store"]
        assert (store["kind"], store["intact"], store["writable"], store["busy"]) == ("Postgres", None, True, "")
        assert int(store["version"].partition(".")[0]) >= 14 and store["bytes"] > 0
        with file.transaction():
            assert run(tmp_path / "kb")[1]["store"]["busy"] == "another process is writing"
    with SupportKB.open(tmp_path / "kb").workspace.build_lock():
        assert run(tmp_path / "kb")[1]["store"]["busy"] == "a build is at work"
    assert url not in text and schema not in text and "postgresql://" not in text
    settings.write_text(f"store: {STORE.replace(HOST, '127.0.0.1').replace('5999', '9')}\n", encoding="utf-8")
    status, found, text = run(tmp_path / "kb")  # nobody listens there
    assert status == 1 and "cannot be reached" in text and PASSWORD not in text and OWNER not in text


def test_a_warning_of_every_question_is_noted_once(hand_made: Workspace) -> None:
    class Warns:
        def ask(self, text: str, *, log: bool) -> None:
            warnings.warn("A feature fails.", AutokbWarning, stacklevel=2)

        def close(self) -> None:
            pass

    assert examine(lambda _workspace: Warns(), hand_made.folder).notes.count("A feature fails.") == 1
