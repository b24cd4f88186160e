"""Whatever happens to the bytes of ``knowledge.db``, each command works or says in one sentence what to do."""

from __future__ import annotations

import json
import random
import shlex
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from test_front_door import CASES, GIVEN, LOST_EDIT, lay_files

import hand_made_kb
from autokb.app import SupportKB
from autokb.cli import main
from autokb.core.api_keys import ApiKey
from autokb.core.in_use import AssignedArm, LoggedQuestion
from autokb.core.ledger import Paid
from autokb.core.model_requests import ModelReply
from autokb.stores.api_keys import keep_api_key
from autokb.stores.ledger_table import LedgerTable
from autokb.stores.outcomes import keep_arms
from autokb.stores.published import keep_decisions
from autokb.stores.question_log import keep_questions
from autokb.stores.workspace import Workspace
from lost_edit import FINDING, keep_lost_edit

PAGE = 4096  # of SQLite, by default
COMMANDS = sorted(
    words.replace("{here}/emptied", "rain.md") if words.startswith("remove") else words
    for words, _ in CASES.values()
    if "{here}/kb" in words and not words.startswith("trial {here}/kb --sheet")  # which reads the sheet alone
)
LONG = ("evaluate retrievers", "evaluate paper", "gate calibrate")  # most take a hundredth of their time
QUICK = [command for command in COMMANDS if not command.startswith(LONG)]
TEXTS = [  # what a customer or a document says, line by line
    *(text for text, _, _ in hand_made_kb.RAW.values()),
    *(line for _, text in hand_made_kb.DOCUMENTS.values() for line in text.split("\n") if len(line) > 12),
]
Damage = Callable[[Path], None]


@pytest.fixture(scope="module")
def built(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a built workspace, in which every table has a row, and what the commands read beside it."""
    here = tmp_path_factory.mktemp("built")
    shutil.copytree(_imported, here / "kb")
    SupportKB.open(here / "kb").build()
    with SupportKB.open(here / "kb").workspace.file() as file, file.transaction():
        file.spend([("trees", "grow_tree", 1, 0, 10, 5, 0.1)])
        keep_api_key(file, ApiKey("key-1", "editor", "2026-01-01"), "hash")
        LedgerTable(file).keep([Paid("k", "b", "trees", "grow_tree", "m", (), "paid", ModelReply("x", 1, 2), 0.1)])
    lay_files(here)
    (here / "emptied").mkdir()
    kb = SupportKB.open(here / "kb")
    chats = here / "chats.csv"
    chats.write_text("conversation,role,text\n1,customer,My kettle is cold\n1,agent,Please switch it on.\n")
    kb.add([chats], "chats")
    kb.add([here / "tickets.json"], "tickets")
    kb.tickets.build()
    kb.sync()
    shown = [node for tree in kb.views.show().trees for node in (tree, *tree.children) if node.displayed]
    solutions = [s.id for node in shown for s in kb.views.show_issue(node.id).solutions if s.status == "displayed"]
    kb.curation.approve([solutions[1], solutions[3]])  # the first of them is what `undo` takes back
    given = kb.usage.give_feedback("my kettle does not charge", "used", solutions[3])
    kb.usage.report_outcome("c1", resolved=True)
    with kb.workspace.file() as file, file.transaction():
        keep_questions(file, [LoggedQuestion("a garden gnome", "abstains", "ask", "2026-03-01")])
        keep_arms(file, [AssignedArm("c1", "", "control", "2026-03-01")])
        keep_decisions(file, [replace(LOST_EDIT, number=file.last_number() + 1)])
        published = {(kind, i): body for kind, i, body in file.lines()}
        kinds = sorted({kind for kind, _ in published})
        reworded = {("issue", shown[0].id): published["issue", shown[0].id].replace('"text":"', '"text":"Again: ')}
        file.publish({**published, **reworded}, kinds)  # a version of its own, whose text before is kept
        file.publish(published, kinds)
        file.keep_candidate({**published, **reworded}, {"date": "2026-03-01", "by": "build"})
    kb.usage.dismiss_gap(kb.usage.gaps().questions[0].id)
    kb.checks.add(here / "checks.jsonl")
    keep_lost_edit(kb.workspace)
    kb.curation.settle_finding(FINDING)
    item = kb.evaluate.sheet_item().item
    assert item is not None
    kb.evaluate.annotate(item.id, "1", True, author="ann")
    # the ids of the hand-made knowledge base in the commands' words, as they are after the build
    ids = {"s-pair": solutions[0], "s-rain": solutions[1], "s-contacts": solutions[2], "charge": shown[0].id}
    ids[GIVEN] = given.feedback.id
    (here / "ids.json").write_text(json.dumps(ids), encoding="utf-8")
    return here


@pytest.fixture(scope="module")
def reads(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[tuple[str, str]]]:
    """The columns (table, name) that each command's statements name, as SQLite's authorizer heard of them."""
    here = tmp_path_factory.mktemp("reads") / "here"
    heard: set[tuple[str, str]] = set()

    def hear(action: int, table: str | None, column: str | None, *_: str | None) -> int:
        if action == sqlite3.SQLITE_READ and table and column:
            heard.add((table, column))
        return sqlite3.SQLITE_OK

    connect = sqlite3.connect

    def connect_and_hear(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = connect(*args, **options)
        connection.set_authorizer(hear)
        return connection

    found = {}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sqlite3, "connect", connect_and_hear)
        for command in COMMANDS:
            heard.clear()
            assert run(command, built, here) == 0
            found[command] = set(heard)
    return found


def run(command: str, built: Path, here: Path, damage: Damage = lambda path: None) -> int:
    """Run a command on a copy of the built folder, after damage to its database; returns its status."""
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(built, here, symlinks=True)
    damage(here / "kb" / "knowledge.db")
    ids = json.loads((here / "ids.json").read_text(encoding="utf-8"))
    return main([ids.get(word, word) for word in shlex.split(command.format(here=here))])


def check(command: str, damage: Damage, built: Path, here: Path, capsys: pytest.CaptureFixture[str]) -> bool:
    """Run a command on a damaged copy; returns whether it refused it, in one sentence without anybody's words."""
    status = run(command, built, here, damage)
    said = capsys.readouterr().err
    assert status in (0, 1, 2), said
    if status:
        assert said.count("\n") == 1 and "fault in autokb" not in said, said
        assert not [text for text in TEXTS if text in said]
        assert str(here / "kb") in said and ("restore your backup" in said or "is a workspace already" in said), said
    return status != 0


def overwritten(at: int, data: bytes) -> Damage:
    def damage(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[at : at + len(data)] = data
        path.write_bytes(content)

    return damage


def cut(size: int) -> Damage:
    return lambda path: path.write_bytes(path.read_bytes()[:size])


def changed(table: str, change: str, where: str = "1") -> Damage:
    def damage(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"UPDATE {table} SET {change} WHERE {where}")
            db.commit()

    return damage


HEAD: dict[str, Damage] = {
    "empty": cut(0),
    "cut in the header": cut(50),
    "cut after the first page": cut(PAGE),
    "zeros for a header": overwritten(0, bytes(100)),
    "zeros for the schema": overwritten(100, bytes(PAGE - 100)),
    "a schema that is no text": overwritten(PAGE - 400, b"\xff" * 300),
}


@pytest.mark.parametrize("where", HEAD)
def test_without_its_head_no_command_opens_it(
    where: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command meets one kind of damage: they all open the file in one place; every pair takes minutes."""
    for command in COMMANDS[list(HEAD).index(where) :: len(HEAD)]:
        refused = check(command, HEAD[where], built, tmp_path / "here", capsys)
        # a schema that is no text may hit the free part of the page
        assert refused or where == "a schema that is no text", command


BODIES = {
    "staged": "body",
    "record": "body",
    "version": "body",
    "past_record": "body",
    "candidate": "body",
    "checks": "body",
    "decision": "body",
    "work": "reply",
    "vector": "data",
    "meta": "value",
    "request": "stage",
    "spend": "stage",
    "ticket": "body",
    "ticket_section": "text",
    "ticket_piece": "vector",
    "ticket_edge": "type",
    "question": "body",
    "closed_gap": "status",
    "arm": "arm",
    "outcome": "resolved",
    "annotation": "is_correct",
    "finding": "body",
    "feedback": "body",
    "api_key": "role",
    "sync_source": "body",
    "sync_item": "body",
}
IN_USE = ("question", "closed_gap", "arm", "outcome", "annotation", "finding", "feedback", "api_key")
DAMAGED_VALUES = {
    "no JSON": '\'{"text": "it does not\'',
    "another kind of JSON": "'[]'",
    "an object without its fields": "'{}'",
    "a number": "5",
    "bytes": "x'ff00'",
    "no UTF-8": "CAST(x'637573746f6d6572fffe' AS TEXT)",
    "half of it": "substr(COLUMN, 1, length(COLUMN) / 2)",
    "another letter": "replace(COLUMN, '\"te', '\"ze')",
}
LONG = ("evaluate retrievers", "evaluate paper", "gate calibrate")  # most take a hundredth of their time


@pytest.mark.parametrize(
    ("table", "value"),
    [
        (table, value)
        if table == "record" and value in ("no JSON", "an object without its fields")
        else pytest.param(table, value, marks=pytest.mark.slow)
        for t, table in enumerate(BODIES)
        for v, value in enumerate(DAMAGED_VALUES)
        if table == "record" or (t + v) % 2 == 0  # tables are read in one way: each meets half of the kinds
    ],
)
def test_damaged_rows_of_any_table(
    table: str,
    value: str,
    built: Path,
    reads: dict[str, set[tuple[str, str]]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The commands whose statements name the column meet it: nothing of it can reach another one."""
    column = BODIES[table]
    change = f"{column} = {DAMAGED_VALUES[value].replace('COLUMN', column)}"
    damage = changed(table, change, "key <> 'schema'" if table == "meta" else "1")
    readers = [command for command in COMMANDS if (table, column) in reads[command]]
    assert readers
    short = [command for command in readers if command in QUICK]
    if table != "record" and len(short) > 2:
        # Commands share what reads a table, so half of them meet each kind, the other half the kinds beside it; those
        # that take long meet one kind each.
        turn = list(BODIES).index(table) + list(DAMAGED_VALUES).index(value)
        long = [command for command in readers if command not in QUICK]
        readers = short[turn // 2 % 2 :: 2] + long[turn % len(DAMAGED_VALUES) :][:1]
    refused = {command for command in readers if check(command, damage, built, tmp_path / "here", capsys)}
    verbs = {command.split()[0] for command in refused}
    if table == "record" and value != "another letter":
        assert verbs >= {"show", "ask", "export", "build", "evaluate"}
    if table in IN_USE and value != "another letter":
        assert verbs  # what people did cannot be made again, and is never counted wrongly
    if table in ("work", "vector") and value not in ("no UTF-8", "another letter"):
        assert not verbs  # what can be made again is


@pytest.mark.slow
def test_damage_anywhere_in_the_file(built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every page with zeros and with noise, and 100 places with some bytes of noise; quick commands drawn by a seed.

    Four of five pages hold kept vectors and nothing else; they are alike, so every eighth of them is enough.
    """
    file = built / "kb" / "knowledge.db"
    content = file.read_bytes()
    with closing(sqlite3.connect(file)) as db:
        kept = [data for (data,) in db.execute("SELECT data FROM vector")]
    # those of tokens are longer than a page: a piece of each half of one is looked for
    pieces = {data[start : start + 64] for data in kept for start in range(0, len(data) - 63, PAGE // 2)}
    vectors = sorted({content.find(piece) // PAGE for piece in pieces} - {-1})
    others = sorted(set(range(len(content) // PAGE)) - set(vectors))
    assert vectors[0] >= 0 and len(others) > 30
    refused = 0
    for pages, commands in ((others, 2), (vectors[::8], 1)):
        for number in pages:
            noise = random.Random(number)
            for data in (bytes(PAGE), noise.randbytes(64)):
                for command in noise.sample(QUICK, commands):
                    refused += check(command, overwritten(number * PAGE, data), built, tmp_path / "here", capsys)
    for number in range(100):
        noise = random.Random(number)
        at = noise.choice(others) * PAGE + noise.randrange(PAGE)
        damage = overwritten(at, noise.randbytes(noise.choice([1, 2, 30])))
        for command in noise.sample(QUICK, 1):
            refused += check(command, damage, built, tmp_path / "here", capsys)
    for command in COMMANDS:
        refused += check(command, cut(len(content) // 2), built, tmp_path / "here", capsys)
    assert refused > 50


BESIDE = ["knowledge.db-wal", "knowledge.db-shm", "knowledge.db-journal"]


@pytest.mark.slow
@pytest.mark.parametrize("beside", BESIDE)
def test_noise_beside_the_file_changes_nothing(
    beside: str, built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def damage(path: Path) -> None:
        path.with_name(beside).write_bytes(random.Random(beside).randbytes(3 * PAGE))

    # A third of the commands each: all of them open the file in one place.
    for command in COMMANDS[BESIDE.index(beside) :: 3]:
        assert not check(command, damage, built, tmp_path / "here", capsys)


def test_a_damaged_page_of_the_write_ahead_log_is_not_merged(hand_made: Workspace, tmp_path: Path) -> None:
    with hand_made.file() as file:
        with file.transaction():
            file.note("generation", "7")
        for name in ("knowledge.db", "knowledge.db-wal", "domain.yaml"):
            shutil.copyfile(hand_made.folder / name, tmp_path / name)
    log = tmp_path / "knowledge.db-wal"
    overwritten(log.stat().st_size - 100, b"\xff" * 50)(log)
    assert main(["show", str(tmp_path)]) == 0
    with SupportKB.open(tmp_path).workspace.file() as file:
        assert file.meta("generation") != "7"
