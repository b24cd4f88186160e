"""A small build through a real model: requests answered, replies read or listed, nothing paid for twice."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow  # a real model answers

DOMAIN = """\
name: kettles
description: Kettles.
attributes:
  kind: {kind: closed, values: [Glass, Steel]}
rules:
  - {id: no-support, text: Do not send anyone to support., patterns: [contact support]}
"""
# The tasks with the longest prompts are answered offline: this model reads some ninety tokens a second.
SETTINGS = """\
model: openai:smollm2
tasks: {grow_tree: offline, extract_attributes: offline}
base_url: BASE_URL
concurrency: 2
window: 4096
max_output: 256
context: document
failure_tolerance: 1
"""
DOCUMENT = "# Leaks\n\nIf the glass kettle leaks:\n\n1. Press the seal into the lid.\n2. Close the lid.\n"
ISSUES = ["The glass kettle leaks", "My glass kettle leaks water"]
ASKED = {"context", "themes", "assign", "solutions", "rules"}


@pytest.fixture
def workspace(chat_url: str, tmp_path: Path) -> Path:
    """A workspace whose tasks ask the local model, with one document and two issues added."""
    folder = tmp_path / "kb"
    (tmp_path / "domain.yaml").write_text(DOMAIN, encoding="utf-8")
    (tmp_path / "leaks.md").write_text(DOCUMENT, encoding="utf-8")
    lines = (json.dumps({"id": f"k{n}", "text": text}) + "\n" for n, text in enumerate(ISSUES))
    (tmp_path / "issues.jsonl").write_text("".join(lines), encoding="utf-8")
    autokb("init", str(folder), "--domain", str(tmp_path / "domain.yaml"))
    (folder / "settings.yaml").write_text(SETTINGS.replace("BASE_URL", chat_url), encoding="utf-8")
    autokb("add", str(folder), str(tmp_path / "leaks.md"), "--as", "documents")
    autokb("add", str(folder), str(tmp_path / "issues.jsonl"), "--as", "issues")
    return folder


def autokb(*arguments: str) -> dict[str, Any]:
    """Run a command as a person does; it must end with 0."""
    ran = subprocess.run([sys.executable, "-m", "autokb", *arguments, "--json"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    found: dict[str, Any] = json.loads(ran.stdout)
    return found


def states(folder: Path) -> dict[str, int]:
    """How many requests of the ledger are in which state."""
    db = sqlite3.connect(folder / "knowledge.db")
    try:
        return dict(db.execute("SELECT state, count(*) FROM request GROUP BY state"))
    finally:
        db.close()


def test_a_build_asks_reads_or_lists_and_never_pays_twice(workspace: Path) -> None:
    built = autokb("build", str(workspace))
    spent = autokb("costs", str(workspace))
    assert built["calls"] > 0 and built["cached"] == 0 and built["cost"] is None
    assert spent["calls"] == built["calls"] and spent["tokens"] == built["tokens"]
    assert set(spent["stages"]) <= ASKED and {"context", "themes"} <= set(spent["stages"])
    assert built["tokens"]["input"] > 1_000 and built["tokens"]["output"] > 50
    kept = states(workspace)
    assert set(kept) <= {"read", "unreadable"} and sum(kept.values()) == built["calls"]
    listed = [f["stage"] for f in built["failures"]]
    assert {s: built["stages"][s]["failed"] for s in set(listed)} == {s: listed.count(s) for s in set(listed)}

    again = autokb("build", str(workspace))
    later = autokb("costs", str(workspace))["stages"]
    assert {s: n["calls"] for s, n in later.items() if s not in listed} == {
        s: n["calls"] for s, n in spent["stages"].items() if s not in listed
    }
    assert again["calls"] == 0 or listed
