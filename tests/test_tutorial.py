"""The tutorial is run as it stands: its files are written, its commands run, and what it shows is what comes out.

In docs/tutorial.md a fence names a file after its language (``yaml kb/domain.yaml``); ``diff FILE`` changes one; in a
``console`` fence each line that begins with ``$ autokb`` is a command, ``[exit status N]`` says how it ends, and the
rest is its output. After a change of words, ``python tests/test_tutorial.py`` puts today's outputs into the tutorial.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autokb.cli import main

TUTORIAL = Path(__file__).resolve().parents[1] / "docs" / "tutorial.md"
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = "$ autokb "
STATUS = re.compile(r"^\[exit status (\d+)\]\n", re.MULTILINE)


@dataclass(frozen=True)
class Command:
    """One command of the tutorial: its words, the exit status and the output that the tutorial shows."""

    line: str
    status: int
    shown: str


def commands(console: str) -> Iterator[Command]:
    """Split a console fence into its commands."""
    for part in re.split(r"^(?=\$ )", console, flags=re.MULTILINE):
        line, _, shown = part.partition("\n")
        if line.startswith(PROMPT):
            ends = STATUS.search(shown)
            yield Command(line.removeprefix(PROMPT), int(ends.group(1)) if ends else 0, STATUS.sub("", shown))


def run(line: str) -> tuple[int, str]:
    """Run a command in this process; returns its exit status and all it printed."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        status = main(shlex.split(line))
    return status, "".join(f"{row.rstrip()}\n" for row in printed.getvalue().splitlines())


def put(name: str, language: str, body: str) -> None:
    """Write a file of the tutorial, or change one as a ``diff`` fence says."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if language == "diff":
        old, new = (row[1:] for row in body.splitlines())
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{name} does not hold {old!r}"
        path.write_text(text.replace(old, new), encoding="utf-8")
    else:
        path.write_text(body, encoding="utf-8")


def head(text: str) -> str:
    """Return the first line of an output without its figures, which may differ from machine to machine."""
    return re.sub(r"[\d.]+", "0", text.partition("\n")[0]).strip()


def walk(text: str) -> Iterator[tuple[Command, int, str]]:
    """Go through the tutorial in its order; yields each command with its exit status and output."""
    for fence in FENCE.finditer(text):
        language, name, body = fence.groups()
        if name:
            put(name, language, body)
        elif language == "console":
            for command in commands(body):
                yield command, *run(command.line)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder of one's own, in a terminal of 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.slow
def test_the_tutorial_is_true() -> None:
    seen = []
    for command, status, printed in walk(TUTORIAL.read_text(encoding="utf-8")):
        assert status == command.status, f"{command.line}\n{printed}"
        assert head(printed) == head(command.shown), f"{command.line}: run `python {Path(__file__).name}`\n{printed}"
        seen.append((command.line.split()[0], printed))
    outcomes = [re.split(r"\s", printed, maxsplit=1)[0] for name, printed in seen if name == "ask"]
    assert outcomes[:4] == ["answered", "asks", "answered", "abstains"]
    imported = next(n for n, (name, _) in enumerate(seen) if name == "import")
    assert "half an hour" in seen[imported + 1][1], "the edit shows"
    assert "two nights" in next(p for name, p in seen[imported + 2 :] if name == "ask"), "the changed document shows"
    assert Path("kb.jsonl").read_text(encoding="utf-8").count('"kind":"document"') == 7


def refresh() -> None:
    """Put the outputs of today into the tutorial."""
    text = TUTORIAL.read_text(encoding="utf-8")
    os.environ["COLUMNS"] = "80"
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        outputs = iter([(c, p) for c, _, p in walk(text)])

    def renewed(fence: re.Match[str]) -> str:
        if fence.group(1) != "console":
            return fence.group()
        body = ""
        for _ in commands(fence.group(3)):
            command, printed = next(outputs)
            ends = f"[exit status {command.status}]\n" if command.status else ""
            body += f"{PROMPT}{command.line}\n{printed}{ends}"
        return f"```console\n{body}```"

    TUTORIAL.write_text(FENCE.sub(renewed, text), encoding="utf-8")


if __name__ == "__main__":
    refresh()
