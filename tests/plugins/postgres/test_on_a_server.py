"""A workspace on a Postgres server: the same knowledge base and the same answers as in a file, to the byte."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from benchmarks.postgres_server import PostgresServer

from autokb.app import SupportKB
from autokb.core.errors import AutokbError, StoreAwayError, UnwritableWorkspaceError
from autokb.domains import examples_folder
from autokb.plugins.postgres.notices import Notices
from autokb.plugins.postgres.pool import pool_of
from autokb.stores.workspace import open_workspace
from real_postgres import needs_postgres

pytestmark = [needs_postgres, pytest.mark.slow]
QUESTIONS = (
    "my left earbud is silent, the right one is fine",
    "the headset does not pair with my phone",
    "how do I cook rice",
)


def fill(kb: SupportKB) -> None:
    """Ask and judge: what a team does in its first days."""
    first = next(iter(kb.ask(QUESTIONS[0]).matches)).solutions[0].id
    kb.usage.give_feedback("it is silent", "used", first)
    kb.curation.approve([first], author="ann")


def answers(kb: SupportKB) -> list[object]:
    found = []
    for question in QUESTIONS:
        said = kb.ask(question).as_json()
        said.pop("seconds")
        found.append(said)
    return found


def test_a_workspace_on_a_server_is_the_one_in_a_file(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exports, said = [], []
    manuals = examples_folder("headphones")
    assert manuals is not None
    table = (manuals / "issues" / "issues.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "issues.csv").write_text("".join(table[:1] + table[1::4]), encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "server"):
        if folder.name == "server":
            monkeypatch.setenv("AUTOKB_STORE", postgres.url(f"a{uuid4().hex}"))
        with closing(SupportKB.create(folder, "headphones")) as kb:
            kb.add(sorted((manuals / "documents").glob("*.md")))
            kb.add([tmp_path / "issues.csv"], "issues")
            kb.build()
            assert (folder / "knowledge.db").exists() == (folder.name == "file")
            fill(kb)
            kb.export(tmp_path / f"{folder.name}.jsonl")
            said.append(answers(kb))
        text = (tmp_path / f"{folder.name}.jsonl").read_text(encoding="utf-8")
        # Of the feedback and the approval, whose ids are hashes of them, too.
        text = re.sub(r"20\d\d-\d\d-\d\dT[\d:]+\+00:00", "DATE", text)
        exports.append(re.sub(r"(feedback|verdict)-[0-9a-f]{16}", r"\1", text))
    assert said[0] == said[1]
    assert exports[0] == exports[1] and "postgresql" not in exports[1]


@contextmanager
def kettles(postgres: PostgresServer, schema: str, place: Path) -> Iterator[SupportKB]:
    """A workspace in a folder of ``place`` whose store is a schema of the server, with one page, built."""
    (place / "kb").mkdir()
    (place / "kb" / "domain.yaml").write_text("name: kettles\n", encoding="utf-8")
    (place / "kb" / "settings.yaml").write_text(f"store: {postgres.url(schema)}\n", encoding="utf-8")
    manual = place / "kettle.md"
    manual.write_text("# Kettle\n\n## Lid does not open\n\nPress the button, then lift the lid.\n", encoding="utf-8")
    with closing(SupportKB.open(place / "kb", keep_log=True)) as kb:
        kb.add([manual])
        kb.build()
        yield kb


def test_forgotten_questions_are_in_no_table_of_the_server(postgres: PostgresServer, tmp_path: Path) -> None:
    schema = f"f{uuid4().hex}"
    with (
        kettles(postgres, schema, tmp_path) as kb,
        psycopg.connect(postgres.url(schema).partition("&schema")[0], autocommit=True) as db,
    ):

        def kept() -> bool:
            db.execute("CHECKPOINT")  # until it, the files of the tables may lack what was written last
            files = (postgres.folder / "data" / "base").rglob("*")
            return any(b"a violet zeppelin" in file.read_bytes() for file in files if file.is_file())

        kb.ask("the lid of my kettle looks like a violet zeppelin")
        kb.close()  # which waits for the log
        assert kept()
        assert kb.usage.forget_questions().forgotten == 1
        assert not kept()


def test_who_does_not_own_all_tables_is_told_that_nothing_was_vacuumed(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    schema, writer = f"v{uuid4().hex}", f"w{uuid4().hex}"
    with (
        kettles(postgres, schema, tmp_path) as kb,
        psycopg.connect(postgres.url(schema).partition("&schema")[0], autocommit=True) as db,
    ):
        assert kb.versions.vacuum().bytes_after > 0
        db.execute(f"CREATE ROLE {writer} LOGIN")
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {writer}")
        db.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {writer}")
    url = postgres.url(schema).replace("autokb@", f"{writer}@")
    (tmp_path / "kb" / "settings.yaml").write_text(f"store: {url}\n", encoding="utf-8")
    with (
        closing(SupportKB.open(tmp_path / "kb")) as kb,
        pytest.raises(UnwritableWorkspaceError, match="own all tables"),
    ):
        kb.versions.vacuum()


def test_a_user_who_may_only_read_is_served(postgres: PostgresServer, tmp_path: Path) -> None:
    schema, reader = f"b{uuid4().hex}", f"r{uuid4().hex}"
    settings, manual = tmp_path / "kb" / "settings.yaml", tmp_path / "kettle.md"
    with kettles(postgres, schema, tmp_path) as kb:
        first = kb.ask("the lid of my kettle does not open").as_json()
    with psycopg.connect(postgres.url(schema).partition("&schema")[0], autocommit=True) as db:
        db.execute(f"CREATE ROLE {reader} LOGIN")
        db.execute(f"GRANT USAGE ON SCHEMA {schema} TO {reader}")
        db.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}")
    settings.write_text(f"store: {postgres.url(schema).replace('autokb@', f'{reader}@')}\n", encoding="utf-8")
    with open_workspace(tmp_path / "kb").file() as file:
        assert file.read_only
    with closing(SupportKB.open(tmp_path / "kb")) as kb:
        again = kb.ask("the lid of my kettle does not open").as_json()
        assert {**again, "seconds": 0} == {**first, "seconds": 0} and again["outcome"] == "answered"
        assert [one.title for one in kb.views.documents().items] == ["Kettle"]
        with pytest.raises((UnwritableWorkspaceError, AutokbError), match=r"written|right"):
            kb.add([manual], update=True)
            kb.build()


def test_connections_that_nobody_uses_are_closed_at_the_end_of_the_process(postgres: PostgresServer) -> None:
    program = (
        "import atexit, sys\nkept = []\natexit.register(lambda: print([db.closed for db in kept]))\n"
        "from autokb.plugins.postgres.pool import pool_of\n"
        "with pool_of(sys.argv[1]).connection() as db: kept.append(db)\n"
        "assert not db.closed\n"
    )
    command = [sys.executable, "-c", program, postgres.url(f"e{uuid4().hex}")]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "[True]\n"


def test_a_connection_that_cannot_hear_is_closed(postgres: PostgresServer) -> None:
    db = pool_of(postgres.url("public")).connect()
    db.execute("BEGIN")
    with pytest.raises(psycopg.Error):
        db.execute("SELECT 1 / 0")
    with pytest.raises(StoreAwayError):
        Notices(db, "public")
    assert db.closed


def test_tables_of_a_later_version_are_refused(postgres: PostgresServer, tmp_path: Path) -> None:
    schema = f"c{uuid4().hex}"
    (tmp_path / "domain.yaml").write_text("name: kettles\n", encoding="utf-8")
    with psycopg.connect(postgres.url(schema).partition("&schema")[0], autocommit=True) as db:
        db.execute(f"CREATE SCHEMA {schema}")
        db.execute(f"CREATE TABLE {schema}.meta (key text, value text)")
        db.execute(f"INSERT INTO {schema}.meta VALUES ('schema', '999')")
    (tmp_path / "settings.yaml").write_text(f"store: {postgres.url(schema)}\n", encoding="utf-8")
    with pytest.raises(AutokbError, match="version '999'"):
        SupportKB.open(tmp_path).views.documents()
