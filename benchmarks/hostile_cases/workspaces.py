"""The workspaces that hostile cases begin with, made by the real command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
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


def make_workspaces(place: Path, names: Iterable[str]) -> None:
    """Make those that are named, each in a folder of its name below another."""
    for name in sorted(set(names)):
        MAKERS[name](place / name)


def _make_headphones(workspace: Path) -> None:
    autokb("init", workspace, "--domain", "headphones")


def _make_empty(workspace: Path) -> None:
    autokb("init", workspace, "--domain", write_parts(workspace.parent / "lawn.yaml", hand_made_kb.DOMAIN.encode()))


def _make_lawn(workspace: Path) -> None:
    _make_empty(workspace)
    autokb("import", workspace, hand_made_kb.write(workspace.parent / "lawn.jsonl"))


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


MAKERS: Mapping[str, Callable[[Path], None]] = {
    "headphones": _make_headphones,
    "empty": _make_empty,
    "lawn": _make_lawn,
    "kettles": _make_kettles,
    "built": _make_built,
}
