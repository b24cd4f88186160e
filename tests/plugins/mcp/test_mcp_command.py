"""``autokb mcp`` before it serves: what it needs, what it refuses, and what naming it costs the other commands."""

from __future__ import annotations

import subprocess
import sys

import pytest

from autokb.cli import main
from autokb.stores.workspace import Workspace


def test_without_the_extra_it_says_what_to_install(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "mcp", None)
    for words in ([], ["--http"]):
        assert main(["mcp", str(hand_made.folder), *words]) == 2
        said = capsys.readouterr()
        assert (said.out, said.err) == ("", "The server needs the extra: pip install 'autokb[mcp]'.\n")


def test_over_http_no_option_gives_what_a_key_does_not(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    assert main(["mcp", str(hand_made.folder), "--http", "--allow-writes"]) == 2
    said = capsys.readouterr()
    assert said.out == "" and "a key's role says who may write" in said.err


def test_naming_the_command_loads_nothing_of_the_protocol_or_the_service() -> None:
    code = "import sys, autokb.plugins.mcp.commands; print({'mcp', 'uvicorn', 'fastapi', 'numpy'} & set(sys.modules))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "set()\n"


def test_a_secret_that_was_pasted_into_the_settings_is_not_repeated(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("mcp", reason="the extra mcp is not installed")
    for pasted in ("sources: {x: {type: github, repo: a/b, token_env: ghp-4711}}", "embedder: ghp-4711"):
        (hand_made.folder / "settings.yaml").write_text(f"{pasted}\n", encoding="utf-8")
        for words in ([], ["--http"]):
            assert main(["mcp", str(hand_made.folder), *words]) == 2
            said = capsys.readouterr()
            assert said.out == "" and "settings.yaml: the " in said.err and "4711" not in said.err
