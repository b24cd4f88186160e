"""A damaged knowledge.db, what lies beside it, and folders that cannot be written."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from benchmarks.hostile_cases.case import MEGABYTE, Case, Command, write_parts

CASES: list[Case] = []
PAGE = 4096  # of SQLite, by default
COMMANDS = (
    Command("show {here}/kb", on_terminal=True),
    Command("ask {here}/kb 'the robot does not pair with my phone'"),
    Command("export {here}/kb {here}/kb.jsonl"),
    Command("build {here}/kb"),
)
Damage = Callable[[Path], object]


def damage(name: str, make: Damage, *, heavy: bool = False, commands: tuple[Command, ...] = COMMANDS) -> None:
    """Add a case of a damaged file; a command may fail, with a sentence."""
    CASES.append(
        Case(
            "damage",
            name,
            lambda here: make(here / "kb" / "knowledge.db"),
            commands,
            "built",
            exits=frozenset({0, 1, 2}),
            heavy=heavy,
        )
    )


def overwrite(at: int, data: bytes) -> Damage:
    """Return what writes bytes over those that are there."""

    def make(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(at, os.SEEK_SET if at >= 0 else os.SEEK_END)
            file.write(data)

    return make


def cut(size: Callable[[int], int]) -> Damage:
    """Return what shortens the file."""
    return lambda path: os.truncate(path, size(path.stat().st_size))


def noise(seed: int, places: int, length: int) -> Damage:
    """Return what writes random bytes at random places behind the first hundred."""

    def make(path: Path) -> None:
        dice = random.Random(seed)
        size = path.stat().st_size
        with path.open("r+b") as file:
            for _ in range(places):
                file.seek(dice.randrange(100, size - length))
                file.write(dice.randbytes(length))

    return make


def rows(table: str, change: str) -> Damage:
    """Return what changes all rows of a table."""

    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            db.execute(f"UPDATE OR IGNORE {table} SET {change}")
            db.commit()

    return make


def sql(*statements: str) -> Damage:
    """Return what runs statements of SQL on the file."""

    def make(path: Path) -> None:
        with closing(sqlite3.connect(path)) as db:
            for statement in statements:
                db.execute(statement)
            db.commit()

    return make


def beside(suffix: str, *parts: bytes) -> Damage:
    """Return what writes a file beside the database."""
    return lambda path: write_parts(Path(f"{path}{suffix}"), *parts)


def instead(make: Damage) -> Damage:
    """Return what puts something else in the file's place."""

    def replace(path: Path) -> object:
        path.unlink()
        return make(path)

    return replace


damage("empty", cut(lambda _size: 0))
damage("cut in its header", cut(lambda _size: 50))
damage("cut after a page", cut(lambda _size: PAGE))
damage("cut in half", cut(lambda size: size // 2))
damage("cut by a byte", cut(lambda size: size - 1))
damage("a header of zeros", overwrite(0, bytes(100)))
damage("a schema of zeros", overwrite(100, bytes(PAGE - 100)))
damage("all zeros", lambda path: path.write_bytes(bytes(path.stat().st_size)))
damage("random bytes only", lambda path: path.write_bytes(random.Random(1).randbytes(path.stat().st_size)))
damage(
    "random bytes behind its head",
    lambda path: overwrite(100, random.Random(2).randbytes(path.stat().st_size - 100))(path),
)
damage("500 MB of nothing at its end", lambda path: os.truncate(path, 500 * MEGABYTE), heavy=True)
damage("a page size of its own", overwrite(16, b"\x02\x00"))
damage("a file format of tomorrow", overwrite(18, b"\x09\x09"))
damage("counts of its header", overwrite(28, b"\xff" * 8))
for _seed in range(6):
    damage(f"random bytes at {10 ** (_seed % 3)} places, seed {_seed}", noise(_seed, 10 ** (_seed % 3), 64))
damage("random bytes at 1,000 places", noise(7, 1_000, 16))
damage(
    "another program's database",
    instead(sql("CREATE TABLE notes (id INTEGER, text TEXT)", "INSERT INTO notes VALUES (1, 'mine')")),
)
damage("a text file", instead(lambda path: path.write_text("notes of mine\n" * 1_000, encoding="utf-8")))
damage("a folder", instead(lambda path: path.mkdir()))
damage("a pipe", instead(os.mkfifo))
damage("a device", instead(lambda path: path.symlink_to("/dev/zero")))
damage("a link to nowhere", instead(lambda path: path.symlink_to("nowhere.db")))
damage("gone", instead(lambda path: path))
for _table, _column in {
    "staged": "body",
    "record": "body",
    "decision": "body",
    "work": "reply",
    "vector": "data",
    "meta": "value",
    "request": "items",
    "spend": "stage",
}.items():
    damage(f"rows of {_table}: half of them", rows(_table, f"{_column} = substr({_column}, 1, length({_column}) / 2)"))
    damage(f"rows of {_table}: another kind", rows(_table, f"{_column} = '[[]]'"))
    damage(f"rows of {_table}: bytes", rows(_table, f"{_column} = x'1b5d35323bff00'"))
damage("records 5,000 deep", rows("record", "body = replace(printf('%.5000c', '['), '[', '[')"))
damage("records of huge numbers", rows("record", 'body = replace(body, \'"start":\', \'"start":1e999, "s":\')'))
damage("vectors of NaN", rows("vector", "data = zeroblob(length(data))"))
damage(
    "a record of 200 MB",
    rows("record", "body = printf('%.200000000c', 'x') WHERE id = (SELECT min(id) FROM record)"),
    heavy=True,
)
damage("a table is gone", sql("DROP TABLE record"))
damage("a column is gone", sql("ALTER TABLE staged RENAME COLUMN body TO bodies"))
damage(
    "a trigger of somebody",
    sql("CREATE TRIGGER t BEFORE INSERT ON work BEGIN SELECT RAISE(ABORT, 'customer words'); END"),
)
damage(
    "a view for a table",
    sql(
        "ALTER TABLE record RENAME TO r",
        "CREATE VIEW record AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT 'document' AS kind, i AS id, '{}' AS body FROM n",
    ),
    heavy=True,
)
damage("a newer schema", sql("UPDATE meta SET value = '9999' WHERE key = 'schema'"))
damage("a schema that is no number", sql("UPDATE meta SET value = 'new' WHERE key = 'schema'"))
damage("no schema", sql("DELETE FROM meta"))
damage("noise in -wal", beside("-wal", random.Random(3).randbytes(50_000)))
damage(
    "zeros in -wal and noise in -shm",
    lambda path: (beside("-wal", bytes(50_000))(path), beside("-shm", random.Random(4).randbytes(32_768))(path)),
)
damage("noise in -journal", beside("-journal", random.Random(5).randbytes(50_000)))
damage("a folder named -wal", lambda path: Path(f"{path}-wal").mkdir())
damage("a pipe named -wal", lambda path: os.mkfifo(f"{path}-wal"))
damage("noise in the lock file", lambda path: write_parts(path.with_name(".build.lock"), b"\x00noise"))
damage(
    "a folder for a lock file",
    lambda path: (path.with_name(".build.lock").unlink(missing_ok=True), path.with_name(".build.lock").mkdir()),
)
damage(
    "a pipe for a lock file",
    lambda path: (path.with_name(".build.lock").unlink(missing_ok=True), os.mkfifo(path.with_name(".build.lock"))),
)


def _read_only(path: Path) -> None:
    for one in path.parent.iterdir():
        one.chmod(0o444)
    path.parent.chmod(0o555)
    path.parent.parent.chmod(0o777)


NOBODY = tuple(Command(one.words, one.on_terminal, as_nobody=True) for one in COMMANDS[::2])
damage("a read-only folder", _read_only, commands=NOBODY)


def _forbidden(path: Path) -> None:
    _read_only(path)
    path.chmod(0)


damage("a database nobody may read", _forbidden, commands=NOBODY)


@contextmanager
def _locked(here: Path) -> Iterator[None]:
    """Hold the database as a program does that writes into it and hangs."""
    with closing(sqlite3.connect(here / "kb" / "knowledge.db", isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield


CASES.append(
    Case(
        "damage",
        "another program writes for ever",
        lambda _here: None,
        COMMANDS[:3],
        "built",
        exits=frozenset({0, 1, 2}),
        meanwhile=_locked,
    )
)
