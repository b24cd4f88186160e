"""The workspaces that hostile cases begin with, made by the real command line."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.hostile_cases.case import write_parts
from benchmarks.running import autokb
from benchmarks.serving import ScriptedModel, hand_made_kb, serving, set_model

KETTLES = """\
name: kettles
attributes:
  os: {kind: closed, values: [Android, iOS], synonyms: {iOS: [iphone, ipad]}}
rules:
  - {id: no-support, text: Do not send the customer to support., patterns: [contact (our|customer) support]}
"""
MANUALS = {
    "descaling.md": "# Descaling\n\nTo remove lime scale:\n\n1. Fill it with water and citric acid.\n2. Boil it.\n",
    "app.md": "# The app\n\n## Android\n\n1. Tap Add kettle.\n\n## iPhone\n\n1. Allow local network.\n",
}
PROBLEMS = (
    "White flakes in the water",
    "How do I remove lime scale",
    "App does not connect, iPhone",
    "android app won't connect",
)


def make_workspaces(place: Path) -> None:
    """Make one of each kind below a folder."""
    autokb("init", place / "headphones", "--domain", "headphones")
    domain = write_parts(place / "lawn.yaml", hand_made_kb.DOMAIN.encode())
    autokb("init", place / "empty", "--domain", domain)
    autokb("init", place / "lawn", "--domain", domain)
    autokb("import", place / "lawn", hand_made_kb.write(place / "lawn.jsonl"))
    _make_kettles(place / "kettles")
    _make_built(place / "built")


def _make_kettles(workspace: Path) -> None:
    sources = workspace.parent / "sources"
    autokb("init", workspace, "--domain", write_parts(workspace.parent / "kettles.yaml", KETTLES.encode()))
    for name, text in MANUALS.items():
        write_parts(sources / name, text.encode())
    autokb("add", workspace, sources)
    lines = (json.dumps({"id": f"k{n}", "text": text}) for n, text in enumerate(PROBLEMS))
    autokb("add", workspace, write_parts(workspace.parent / "k.jsonl", "\n".join(lines).encode()), "--as", "issues")


def _make_built(workspace: Path) -> None:
    """Make a workspace in which every table has rows: built with a model, with a decision, then offline again."""
    _make_kettles(workspace)
    settings = (workspace / "settings.yaml").read_bytes()
    with serving(ScriptedModel()) as server:
        set_model(workspace, server.url)
        autokb("build", workspace)
    (workspace / "settings.yaml").write_bytes(settings)
    autokb("export", workspace, workspace.parent / "built.jsonl")
    lines = map(json.loads, (workspace.parent / "built.jsonl").read_text(encoding="utf-8").splitlines())
    shown = next(line["id"] for line in lines if line["kind"] == "solution" and line["status"] == "displayed")
    autokb("approve", workspace, shown)
