"""The installed program as a process: streams, closed pipes, Ctrl-C, odd terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from autokb.cli import main
from autokb.stores.workspace import Workspace
from unwritable import unwritable_copy

pytestmark = pytest.mark.slow  # each test starts the program
PROGRAM = [sys.executable, "-m", "autokb.cli"]


def run(*words: object, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, **more)


def test_only_the_object_is_on_standard_output(hand_made: Workspace) -> None:
    done = run("ask", hand_made.folder, "the robot stops in the rain 🔋", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["outcome"] == "answered"
    assert done.stderr == ""


def test_another_encoding_of_the_terminal_ends_nothing(hand_made: Workspace) -> None:
    ascii_only = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = run("show", hand_made.folder, "charge", "--json", env=ascii_only)
    assert json.loads(done.stdout)["id"] == "charge"
    assert (
        "🔋"
        in json.loads(run("show", hand_made.folder, "charge", "--json").stdout)["solutions"][0]["evidence"][0]["title"]
    )
    seen = run("show", hand_made.folder, env=ascii_only)
    assert seen.returncode == 0 and "lawn" in seen.stdout


def test_bytes_that_are_no_text_get_an_answer(hand_made: Workspace) -> None:
    done = subprocess.run(
        [*PROGRAM, "ask", str(hand_made.folder), b"rain \xff\xfe", "--json"], capture_output=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode("utf-8"))["query"].startswith("rain")


@pytest.mark.parametrize("words", [("show",), ("show", "--json")])
def test_a_closed_pipe_is_no_error(hand_made: Workspace, words: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [*PROGRAM, words[0], str(hand_made.folder), *words[1:]], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout and process.stderr
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 0


def test_a_full_disk_under_standard_output_is_said(hand_made: Workspace) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "show", str(hand_made.folder), "--json"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == "No space left on device.\n"


def _when_opened(pipe: Path, process: subprocess.Popen[str]) -> int:
    """Wait until the process reads the pipe; it then waits for words that never come."""
    while process.poll() is None:
        try:
            return os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            time.sleep(0.02)
    pytest.fail(f"ended with {process.returncode} before it read anything")


def test_ctrl_c_ends_with_3_and_an_object(hand_made: Workspace, tmp_path: Path) -> None:
    pipe = tmp_path / "questions.jsonl"
    os.mkfifo(pipe)  # reading it waits until the interrupt comes
    words = ("evaluate", "compare", pipe, pipe, "--json")
    process = subprocess.Popen([*PROGRAM, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    writer = _when_opened(pipe, process)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    os.close(writer)
    assert process.returncode == 3
    assert list(json.loads(out)) == ["error"]
    assert err.strip().endswith("run the same command to go on.") and "Traceback" not in err


def test_a_workspace_that_cannot_be_written_can_be_asked_and_says_so(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with unwritable_copy(hand_made.folder) as folder:
        assert main(["ask", str(folder), "rain", "--json"]) == 0
        assert capsys.readouterr().err == ""
        assert main(["build", str(folder), "--json"]) == 1
        assert "make the folder writable" in json.loads(capsys.readouterr().out)["error"]


def test_a_read_only_workspace_with_unmerged_changes_is_said_to_be_behind(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    with hand_made.file() as file:
        with file.transaction():
            file.note("generation", "7")
        with unwritable_copy(hand_made.folder, without="knowledge.db-shm") as folder:
            for _ in range(2):  # each command says it, once
                assert main(["show", str(folder), "--json"]) == 0
                printed = capsys.readouterr()
                assert json.loads(printed.out)["trees"]
                assert printed.err.count("\n") == 1 and "may be behind" in printed.err
