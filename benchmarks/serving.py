"""Serves a scripted model to the real command line, for the length of a block."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1] / "tests"
sys.path.insert(0, str(TESTS))  # the scripted server and the scripted model stand with the tests

import feed_server as feeds  # noqa: E402
import hand_made_kb  # noqa: E402
import stub_server as stub  # noqa: E402
from scripted_model import ScriptedModel  # noqa: E402

__all__ = ["ScriptedModel", "feeds", "hand_made_kb", "serving", "set_model", "stub"]

KEY = "OPENAI_API_KEY"


@contextmanager
def serving(reply: Callable[[dict[str, Any]], Any]) -> Iterator[stub.StubServer]:
    """Serve what ``reply`` gives; commands that are started meanwhile have a key that nobody checks."""
    before = os.environ.get(KEY)
    os.environ[KEY] = "a key that nobody checks"
    try:
        with stub.StubServer(reply) as server:
            yield server
    finally:
        os.environ.pop(KEY)
        if before is not None:
            os.environ[KEY] = before


def set_model(workspace: Path, url: str, more: str = "") -> None:
    """Let a workspace ask the served model, at the prices of the paper."""
    text = f"model: openai:scripted\nbase_url: {url}\nprices: {{scripted: {{input: 0.25, output: 1.25}}}}\n{more}"
    (workspace / "settings.yaml").write_text(text, encoding="utf-8")
