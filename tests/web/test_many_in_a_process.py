"""``autokb serve FOLDER`` as a real process: what was acknowledged is there after kill -9, and what is refused."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path

import httpx2
import pytest

from autokb.app.workspaces import FolderOfWorkspaces
from autokb.cli import main
from autokb.stores.workspace import Workspace
from served_process import SECONDS, served, stopped

QUESTION = {"text": "my robot does not charge in the dock"}


def make_folder(hand_made: Workspace, folder: Path) -> Path:
    for name in ("alpha", "beta"):
        shutil.copytree(hand_made.folder, folder / name)
    return folder


@pytest.mark.slow
def test_what_was_acknowledged_before_it_was_killed_is_there_after_it_was_started_again(
    hand_made: Workspace, tmp_path: Path
) -> None:
    folder = make_folder(hand_made, tmp_path / "many")
    kept: dict[str, list[str]] = {"alpha": [], "beta": []}
    with served(folder, "--memory", "1K") as (process, said):
        assert said["needs_key"] is False
        with httpx2.Client(base_url=said["url"], timeout=SECONDS) as client:
            assert client.get("/v1/ready").status_code == 200
            for turn in range(20):
                name = ("alpha", "beta")[turn % 2]
                body = {"query": f"{name} {turn}", "verdict": "helpful"}
                answer = client.post(f"/w/{name}/v1/feedback", json=body)
                assert answer.status_code == 200
                kept[name].append(body["query"])
                assert client.post(f"/w/{name}/v1/ask", json=QUESTION).json()["matches"]
        os.kill(process.pid, signal.SIGKILL)
        process.wait(SECONDS)
    with served(folder) as (process, said), httpx2.Client(base_url=said["url"], timeout=SECONDS) as client:
        for name, queries in kept.items():
            items = client.get(f"/w/{name}/v1/feedback").json()["items"]
            assert [one["query"] for one in items] == queries
        status, log = stopped(process)
    assert status == 0
    asked = [one for one in log if one["path"] == "/v1/feedback"]
    assert [one["workspace"] for one in asked] == ["alpha", "beta"]


def test_what_a_folder_of_workspaces_is_not_served_with(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_folder(hand_made, tmp_path / "many")
    for words, sentence in (
        ([str(folder), "--workers", "2"], "served by one process"),
        ([str(folder), "--memory", "much"], "A size is a number"),
        ([str(folder / "alpha"), "--memory", "1G"], "--memory is for a folder of workspaces"),
    ):
        assert main(["serve", *words, "--port", "0"]) == 2
        assert sentence in capsys.readouterr().err


def test_the_keys_of_a_folder_are_made_listed_and_revoked(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_folder(hand_made, tmp_path / "many")
    assert main(["keys", "list", str(folder)]) == 0 and "no key in any" in capsys.readouterr().out
    assert main(["keys", "create", str(folder), "--role", "agent"]) == 2
    assert "--workspaces" in capsys.readouterr().err
    words = ["--role", "agent", "--workspaces", "alpha,beta", "--name", "desk"]
    assert main(["keys", "create", str(folder), *words, "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["workspaces"] == ["alpha", "beta"] and made["role"] == "agent"
    assert all(made["key"].encode() not in (folder / n / "knowledge.db").read_bytes() for n in ("alpha", "beta"))
    assert FolderOfWorkspaces(folder).names() == ["alpha", "beta"]
    assert main(["keys", "list", str(folder)]) == 0 and f"{made['id']}  agent" in capsys.readouterr().out
    assert main(["keys", "revoke", str(folder), made["id"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["workspaces"] == []
    assert main(["keys", "revoke", str(folder), "key-none"]) == 2
