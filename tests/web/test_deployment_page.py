"""The page about running the service: its backup is taken and put back, its names and limits are those of the code."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.cli import serve_commands
from autokb.stores.workspace import Workspace
from autokb.web import connections, rate_limit
from autokb.web.figures import ServiceFigures
from autokb.web.following import LOOK_EVERY
from autokb.web.middleware import ServiceLimits

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "deployment.md").read_text(encoding="utf-8")
QUESTION = "my robot does not charge in the dock"
SYNC_UNITS = {"autokb-sync.service": "autokb sync", "autokb-sync.timer": "OnCalendar"}


def block(kind: str, word: str = "") -> str:
    """Return the one block of a kind that has a word."""
    (found,) = (one for one in re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) if word in one)
    return str(found)


def test_the_backup_is_whole_while_others_write_and_can_be_put_back(hand_made: Workspace, tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    script = block("sh", "a.backup(b)").replace("/var/backups", str(tmp_path / "backups"))
    script = script.replace("/var/lib/autokb/kb", str(hand_made.folder)).replace(
        "/opt/autokb/bin/python", sys.executable
    )
    kb = SupportKB(hand_made)
    with kb._memory.shared_connection():  # a connection that stays open, as a service's: its journal is not merged
        key = kb.keys.create("agent")
        kb.usage.give_feedback(QUESTION, "helpful")
        kb.curation.hide(["s-contacts"])
        assert hand_made.knowledge_path.with_name("knowledge.db-wal").stat().st_size > 0
        subprocess.run(["sh", "-e", "-c", script], check=True)
    copies = {one.name: one for one in (tmp_path / "backups").iterdir()}
    assert set(copies) == {"knowledge.db", "domain.yaml", "settings.yaml"}
    assert all(one.stat().st_mode & 0o077 == 0 for one in copies.values())
    kb.curation.hide(["s-contacts"], undo=True)  # after it
    restored = tmp_path / "restored"
    shutil.copytree(tmp_path / "backups", restored)
    again = SupportKB.open(restored)
    assert again.keys.find(key.key) is not None and [one.query for one in again.usage.feedback().items] == [QUESTION]
    assert "'s-contacts'" not in str(again.ask(QUESTION).as_json())
    with again.workspace.file() as file, file.reading() as db:
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)  # in which readers wait for nobody


def test_the_page_names_the_limits_of_the_code() -> None:
    limits = ServiceLimits()
    for said in (
        f"whole after {connections.HEAD_SECONDS:g} seconds",
        f"may take {limits.seconds:g} seconds",
        f"{limits.body_bytes >> 20} MiB of body",
        f"after {connections.UNREAD_BYTES >> 20} MiB",
        f"holds {connections.MOST_CONNECTIONS:,}\n",
        f"{limits.at_once:,} requests under way",
        f"`--rate` ({rate_limit.A_MINUTE:,} requests a minute",
        f"({serve_commands.GRACE_SECONDS} seconds at most)",
        f"LimitNOFILE={serve_commands.OPEN_FILES}",
    ):
        assert said in PAGE, said
    assert "four times a second" in PAGE and LOOK_EVERY == 1 / 4 and rate_limit.BURST_SHARE == 10
    stop = re.search(r"TimeoutStopSec=(\d+)", PAGE)
    assert stop and int(stop[1]) > serve_commands.GRACE_SECONDS > limits.seconds


@pytest.mark.with_plugins
def test_the_alerts_ask_for_figures_that_there_are() -> None:
    figures = ServiceFigures()
    figures.note("POST", "/v1/suggest", 200, 0.01)
    figures.outcomes.labels("/v1/suggest", "abstains").inc()
    figures.counters["autokb_helpdesk_messages"].labels("zendesk", "failed").inc()
    text = figures.text().decode()
    named = set(re.findall(r"\bautokb_\w+", block("yaml", "groups:")))
    assert len(named) >= 4 and all(f"\n{name}" in text for name in named), named
    assert 'le="0.1"' in text  # the bound of the third


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
@pytest.mark.parametrize("units", [{"autokb.service": "autokb serve"}, SYNC_UNITS])
def test_systemd_takes_the_units(units: dict[str, str], tmp_path: Path) -> None:
    for name, word in units.items():
        unit = block("ini", word).replace("/opt/autokb/bin/autokb", sys.executable)
        (tmp_path / name).write_text(unit, encoding="utf-8")
    words = ["systemd-analyze", "verify", *(str(tmp_path / name) for name in units)]
    ran = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, "")
