"""``autokb move``: it prints what its method returns, and never a password."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from benchmarks.postgres_server import PostgresServer

from autokb.app import SupportKB
from autokb.cli import main
from real_postgres import needs_postgres


@pytest.mark.slow  # it starts a server
@needs_postgres
def test_the_command_prints_what_its_method_returns(
    _imported: Path, postgres: PostgresServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = (Path(shutil.copytree(_imported, tmp_path / name)) for name in ("first", "second"))
    url = postgres.url("move_command").replace("autokb@", "autokb:hunter2@")
    assert main(["move", str(first), "--to", url, "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    returned = SupportKB.open(second).move(postgres.url("move_method")).as_json()
    assert printed["to"] == postgres.url("move_command") and set(printed) == set(returned)
    assert printed["tables"] == returned["tables"]
    assert main(["move", str(first), "--to", url]) == 2
    said = capsys.readouterr()
    assert "is kept on a server already" in said.err and "hunter2" not in said.err
    assert main(["move", str(first), "--to", str(tmp_path / "back")]) == 0
    shown = capsys.readouterr().out
    assert str(tmp_path / "back") in shown and "hunter2" not in shown
    assert main(["move", str(second), "--to", str(tmp_path / "other"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["to"] == str(tmp_path / "other")
    assert main(["move", str(tmp_path / "other"), "--to", url.replace("move_command", "move_again")]) == 0
    shown = capsys.readouterr().out
    assert "AUTOKB_STORE" in shown and "knowledge.db.moved" in shown and "hunter2" not in shown


@pytest.mark.with_plugins
@pytest.mark.parametrize("to", ["mysql://host/db", "{kb}"])
def test_what_is_no_target_is_refused(
    to: str, _imported: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kb = Path(shutil.copytree(_imported, tmp_path / "kb"))
    assert main(["move", str(kb), "--to", to.format(kb=kb)]) == 2
    assert "postgresql://USER@HOST/DATABASE?schema=NAME" in capsys.readouterr().err
