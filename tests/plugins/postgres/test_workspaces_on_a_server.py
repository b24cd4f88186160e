"""Workspaces whose stores are on a server, many in one process."""

from __future__ import annotations

import time
from pathlib import Path
from uuid import uuid4

import pytest
from benchmarks.postgres_server import PostgresServer

import hand_made_kb
from autokb.app import workspaces as workspaces_module
from autokb.app.workspaces import FolderOfWorkspaces, Workspaces
from autokb.exchange.import_kb import import_file
from autokb.plugins.postgres.pool import pool_of
from autokb.stores.workspace import open_workspace
from real_postgres import needs_postgres

QUESTION = "my robot does not charge in the dock"
SECONDS = 30.0  # that the server may take to end what was closed


@pytest.mark.slow
@needs_postgres
def test_one_that_is_closed_keeps_no_connection(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exported = hand_made_kb.write(tmp_path / "kb.jsonl")
    urls = {name: postgres.url(f"s{uuid4().hex}") for name in ("alpha", "beta")}
    for name, url in urls.items():
        place = tmp_path / "many" / name
        place.mkdir(parents=True)
        (place / "domain.yaml").write_text("name: fresh\n", encoding="utf-8")
        (place / "settings.yaml").write_text(f"store: {url}\n", encoding="utf-8")
        assert import_file(open_workspace(place), exported).skipped == ()

    def open_at_server(pids: list[int]) -> int:
        with pool_of(postgres.url("public")).connection() as db:
            row = db.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = ANY(%s)", (pids,)).fetchone()
        return int(row[0]) if row else -1

    many = Workspaces(FolderOfWorkspaces(tmp_path / "many"), memory=1)
    monkeypatch.setattr(workspaces_module, "resident_bytes", lambda: len(many.opened))
    with many.use("alpha") as alpha:
        assert alpha.kb.ask(QUESTION).matches
        pids = [db.info.backend_pid for db in pool_of(urls["alpha"])._idle]
        assert pids and open_at_server(pids) == len(pids)
    with many.use("beta") as beta:
        assert beta.kb.ask(QUESTION).matches
    assert [one.name for one in many.opened] == ["beta"]
    end = time.monotonic() + SECONDS
    while open_at_server(pids):
        assert time.monotonic() < end
        time.sleep(0.02)
    with many.use("alpha") as alpha:
        assert alpha.kb.ask(QUESTION).matches
    many.close()
    assert not pool_of(urls["alpha"])._idle and not pool_of(urls["beta"])._idle
