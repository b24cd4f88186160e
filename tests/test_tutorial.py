"""The tutorials are run as they stand: files are written, commands run, and what is shown must be what comes out.

On a page a fence names a file after its language (``yaml kb/domain.yaml``); ``diff FILE`` changes one; in a ``console``
fence each line that begins with ``$ autokb``, ``$ python`` or ``$ curl`` is a command, ``[exit status N]`` says how it
ends, and the rest is its output. ``$ autokb serve`` serves until the page ends, on a port of its own, which ``curl``
gets in the place of 8000. After a change of words, ``python tests/test_tutorial.py docs/start.md`` puts today's outputs
into a page; without a page, into all.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from autokb.cli import main
from served_process import served

DOCS = Path(__file__).resolve().parents[1] / "docs"
TUTORIAL = DOCS / "tutorial.md"
OTHERS = [DOCS / name for name in ("start.md", *sorted(page.name for page in DOCS.glob("tutorial-*.md")))]
FENCE = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROMPT = re.compile(r"\$ (autokb|python|curl) ")
SERVE, USUAL_PORT = "autokb serve ", "localhost:8000"
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
        if PROMPT.match(line):
            ends = STATUS.search(shown)
            yield Command(line.removeprefix("$ "), int(ends.group(1)) if ends else 0, STATUS.sub("", shown))


def run(line: str, address: str) -> tuple[int, str]:
    """Run a command, all but curl in this process; returns its exit status and all it printed."""
    program, *words = shlex.split(line.replace(USUAL_PORT, address))
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        if program == "curl":
            done = subprocess.run([program, *words], capture_output=True, text=True)
            status = done.returncode
            printed.write(done.stdout + done.stderr)
        elif program == "python":
            status = 0
            runpy.run_path(*words, run_name="__main__")
        else:
            status = main(words)
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
    return words(text.partition("\n")[0])


def words(text: str) -> str:
    """Return an output without its figures, and without how wide its tables are."""
    return " ".join(re.sub(r"[\d.]+(e-?\d+)?", "0", re.sub(r"[─│╭╮╰╯]+", " ", text)).split())


def walk(text: str) -> Iterator[tuple[Command, int, str]]:
    """Go through a page in its order; yields each command with its exit status and output."""
    address = USUAL_PORT
    with contextlib.ExitStack() as serving:
        for fence in FENCE.finditer(text):
            language, name, body = fence.groups()
            if name:
                put(name, language, body)
            elif language == "console":
                for command in commands(body):
                    if command.line.startswith(SERVE):
                        _, said = serving.enter_context(served(Path(command.line.removeprefix(SERVE))))
                        address = said["url"].partition("//")[2]
                        yield command, 0, command.shown
                    else:
                        yield command, *run(command.line, address)


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
        assert head(printed) == head(command.shown), (
            f"{command.line}: run `python tests/{Path(__file__).name}`\n{printed}"
        )
        seen.append((command.line.split()[1], printed))
    outcomes = [re.split(r"\s", printed, maxsplit=1)[0] for name, printed in seen if name == "ask"]
    assert outcomes[:4] == ["answered", "asks", "answered", "abstains"]
    imported = next(n for n, (name, _) in enumerate(seen) if name == "import")
    assert "half an hour" in seen[imported + 1][1], "the edit shows"
    assert "two nights" in next(p for name, p in seen[imported + 2 :] if name == "ask"), "the changed document shows"
    assert Path("kb.jsonl").read_text(encoding="utf-8").count('"kind":"document"') == 7


@pytest.mark.usefixtures("elsewhere")
@pytest.mark.slow
@pytest.mark.parametrize("page", OTHERS, ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "$ curl " in text and shutil.which("curl") is None:
        pytest.skip("there is no curl")
    seen = 0
    for command, status, printed in walk(text):
        assert status == command.status, f"{command.line}\n{printed}"
        same = head if command.line.startswith("autokb build") else words  # an extra may have added a stage
        assert same(printed) == same(command.shown), (
            f"{command.line}: python {Path(__file__).name} {page.name}\n{printed}"
        )
        seen += 1
    assert seen > 5


def refresh(page: Path) -> None:
    """Put the outputs of today into a page."""
    text = page.read_text(encoding="utf-8")
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
            body += f"$ {command.line}\n{printed}{ends}"
        return f"```console\n{body}```"

    page.write_text(FENCE.sub(renewed, text), encoding="utf-8")


if __name__ == "__main__":
    for one in [Path(name).absolute() for name in sys.argv[1:]] or [TUTORIAL, *OTHERS]:
        refresh(one)
