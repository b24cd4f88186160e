"""A small workspace whose tasks are asked of a scripted model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from autokb.app import SupportKB
from autokb.sources import Fields

DOMAIN = """
name: kettles
description: Electric kettles and the app that controls them.
attributes:
  os: {kind: closed, values: [Android, iOS], synonyms: {iOS: [iphone, ipad]}}
  model: {kind: closed, values: [Classic, Smart]}
rules:
  - {id: no-support, text: Do not send the customer to support., patterns: [contact (our|customer) support]}
"""
DOCUMENTS = {
    "descaling.md": "# Descaling\n\nTo remove lime scale:\n\n1. Fill it with water and citric acid.\n2. Boil it.\n"
    "3. Wait twenty minutes and rinse it twice.\n",
    "app.md": "# The kettle app\n\n## Connect on Android\n\n1. Open the app on the Android phone.\n2. Tap Add kettle.\n"
    "3. Hold the button until the ring blinks.\n\n## Connect on iPhone\n\n1. Open the app on the iPhone.\n"
    "2. Allow local network access.\n3. Tap the kettle in the list.\n",
    "leaks.md": "# Water leaks\n\nIf water leaks from the base:\n\n1. Empty the kettle.\n"
    "2. Press the seal back into its groove.\n3. Contact our support team if it still leaks.\n",
    "noise.md": "# Loud noise\n\nA loud kettle is scaled.\n\n- Descale the kettle.\n- Put it on an even surface.\n",
}
ISSUES = {
    "k1": "App does not connect on my iPhone",
    "k2": "The app can't connect to the kettle, Android phone",
    "k3": "app won't connect android",
    "k4": "iphone app doesnt find kettle",
    "k5": "White flakes in the water",
    "k6": "How do I remove lime scale",
    "k7": "Water leaks from the bottom",
    "k8": "kettle leaking water on the table",
    "k9": "It is very loud when boiling",
    "k10": "loud noise from my Smart kettle",
}
FIELDS = Fields(id="id", text="text")
PRICES = "prices: {stub: {input: 1.0, output: 2.0}}\n"
TOLERANT = f"{PRICES}failure_tolerance: 1\n"  # so that a build publishes whatever failed


def write_sources(folder: Path, documents: dict[str, str] | None = None, issues: dict[str, str] | None = None) -> None:
    """Write manuals, issues and the domain below a folder."""
    manuals = folder / "manuals"
    manuals.mkdir(parents=True, exist_ok=True)
    for name, text in (documents or DOCUMENTS).items():
        (manuals / name).write_text(text, encoding="utf-8")
    lines = (json.dumps({"id": i, "text": t}) for i, t in (issues or ISSUES).items())
    (folder / "issues.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "domain.yaml").write_text(DOMAIN, encoding="utf-8")


def add_sources(kb: SupportKB, folder: Path) -> None:
    """Add what ``write_sources`` wrote."""
    kb.add([folder / "manuals"])
    kb.add([folder / "issues.jsonl"], "issues", FIELDS)


def made(folder: Path, url: str, *, settings: str = PRICES, mode: str = "economical", **sources: Any) -> SupportKB:
    """Return a workspace below ``folder`` with the sources added, whose model is the stub at ``url``."""
    write_sources(folder / "source", **sources)
    kb = SupportKB.create(folder / "kb", str(folder / "source" / "domain.yaml"))
    add_sources(kb, folder / "source")
    return reopened(folder, url, settings, mode)


def reopened(folder: Path, url: str, settings: str = PRICES, mode: str = "economical") -> SupportKB:
    """Return the workspace with these settings."""
    retries = "" if "retries:" in settings else "retries: 2\n"
    text = f"model: openai:stub\nbase_url: {url}\n{retries}{settings}"
    (folder / "kb" / "settings.yaml").write_text(text, encoding="utf-8")
    return SupportKB.open(folder / "kb", mode=mode)


def exported(kb: SupportKB, target: Path) -> bytes:
    """Return the whole KB as one sequence of bytes."""
    kb.export(target)
    return target.read_bytes()
