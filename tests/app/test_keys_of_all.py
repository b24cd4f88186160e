"""The keys of many workspaces: read from each file once, and again when it has changed, whoever asks."""

from __future__ import annotations

import os
import shutil
import time
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.app.keys_of_all import SAME_MOMENT, KeysOfAll
from autokb.app.workspaces import FolderOfWorkspaces
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


@pytest.fixture
def folder(hand_made: Workspace, tmp_path: Path) -> Path:
    found = tmp_path / "many"
    for name in ("alpha", "beta", "gamma"):
        shutil.copytree(hand_made.folder, found / name)
    return found


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the workspaces whose files are opened from now on."""
    found: list[str] = []
    real = Workspace.open_file

    def count(workspace: Workspace) -> WorkspaceFile:
        found.append(workspace.folder.name)
        return real(workspace)

    monkeypatch.setattr(Workspace, "open_file", count)
    return found


def make_old(folder: Path) -> None:
    """Let what was written be older than the moment in which a file may change again and keep its time."""
    moment = time.time_ns() - 2 * SAME_MOMENT
    for file in folder.rglob("knowledge.db*"):
        os.utime(file, ns=(moment, moment))


def test_what_has_not_changed_is_not_opened_again(folder: Path, opened: list[str]) -> None:
    keys, made = KeysOfAll(FolderOfWorkspaces(folder)), SupportKB.open(folder / "beta").keys.create("agent")
    make_old(folder)
    assert keys.without() == ["alpha", "gamma"]
    assert {name: key.role for name, key in keys.find(made.key).items()} == {"beta": "agent"}
    opened.clear()
    assert not keys.find("akb_wrong") and keys.find(made.key) and keys.without() and opened == []
    os.utime(folder / "gamma" / "knowledge.db", ns=(1, 1))
    assert not keys.find("akb_wrong") and not keys.find("akb_other") and opened == ["gamma"]


def test_a_key_counts_from_the_moment_it_is_made_until_it_is_revoked(folder: Path) -> None:
    keys, beta = KeysOfAll(FolderOfWorkspaces(folder)), SupportKB.open(folder / "beta")
    for _ in range(5):  # within one tick of the file system's clock
        made = beta.keys.create("reader")
        assert list(keys.find(made.key)) == ["beta"]
        beta.keys.revoke(made.id)
        assert not keys.find(made.key)
    assert keys.without() == ["alpha", "gamma"], "who revokes the last key opens nothing"


def test_a_workspace_that_cannot_be_opened_has_nothing_for_anybody_until_it_can(folder: Path) -> None:
    keys, text = KeysOfAll(FolderOfWorkspaces(folder)), (folder / "beta" / "domain.yaml").read_text()
    (folder / "beta" / "domain.yaml").write_text("name: [", encoding="utf-8")
    (folder / "gamma" / "knowledge.db").write_bytes(b"no database at all" * 100)
    assert keys.without() == ["alpha"]
    (folder / "beta" / "domain.yaml").write_text(text, encoding="utf-8")
    shutil.rmtree(folder / "alpha")
    assert keys.without() == ["beta"]
    shutil.copytree(folder / "beta", folder / "later")
    assert keys.without() == ["beta", "later"]
