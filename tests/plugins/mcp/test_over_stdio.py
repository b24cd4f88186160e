"""``autokb mcp`` as a real process before the protocol's own client: what it says, keeps, bears and ends by."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp_sessions import INSIDE, READING, SECONDS, TICKETS, WRITING, as_answered, call, over_stdio, read, refused

from mcp import Client  # isort: skip  # after mcp_sessions, which skips where there is none

import anyio
from anyio.abc import TaskGroup

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace

pytestmark = pytest.mark.slow  # each test starts a process
QUESTIONS = (
    "my robot does not charge in the dock",
    "the blades tear the grass",
    "my robot will not pair with my phone",
    "robot stops as soon as it rains",
)
LONG = "my robot does not charge in the dock and stops. " * 2_000  # 96,000 characters, which take a while


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_calls_at_once_are_answered_as_one_by_one(hand_made: Workspace, tmp_path: Path, mode: str) -> None:
    kb = SupportKB(hand_made)
    wanted = {one: as_answered(kb.ask(one).as_json()) for one in QUESTIONS}

    async def talk() -> None:
        found: list[tuple[str, Any]] = []

        async def ask(client: Client, text: str) -> None:
            found.append((text, await call(client, "ask", text=text)))

        async with over_stdio(hand_made.folder, log=tmp_path / "log", mode=mode) as client:
            assert (client.protocol_version > "2026") == (mode == "auto")
            async with anyio.create_task_group() as tasks:
                for text in (*QUESTIONS, *QUESTIONS):
                    tasks.start_soon(ask, client, text)
            assert {one.name for one in (await client.list_tools()).tools} == (READING | INSIDE) - TICKETS
            assert (await read(client, "autokb://themes"))["issues"] == kb.views.overview().issues
        assert len(found) == 8 and all(as_answered(answer) == wanted[text] for text, answer in found)

    asyncio.run(talk())
    assert (tmp_path / "log").read_text(encoding="utf-8") == ""


def test_cancelled_calls_leave_it_free_for_the_next(hand_made: Workspace, tmp_path: Path) -> None:
    async def talk() -> None:
        answered = []

        async def ask(client: Client, tasks: TaskGroup) -> None:
            answered.append(await call(client, "ask", text=LONG))
            tasks.cancel_scope.cancel()  # the others are under way, however fast the machine is

        async with over_stdio(hand_made.folder, log=tmp_path / "log") as client:
            first = await call(client, "ask", text=QUESTIONS[0])
            async with anyio.create_task_group() as tasks:
                for _ in range(60):  # more than there are threads
                    tasks.start_soon(ask, client, tasks)
            assert 1 <= len(answered) < 60
            again = await call(client, "ask", text=QUESTIONS[0])
            assert as_answered(again) == as_answered(first)

    asyncio.run(talk())
    assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")


def test_it_keeps_nothing_unless_it_is_started_to(hand_made: Workspace, tmp_path: Path) -> None:
    kb, report = SupportKB(hand_made), {"conversation": "c-1", "resolved": True, "date": "2026-03-01"}
    unanswered = "how do I bake sourdough bread"

    async def talk(*words: str) -> str:
        async with over_stdio(hand_made.folder, *words, log=tmp_path / "log") as client:
            tools = {one.name for one in (await client.list_tools()).tools}
            assert tools == (READING | INSIDE) - TICKETS | (WRITING if words else set())
            assert (await call(client, "ask", text=unanswered))["outcome"] == "abstains"
            if words:
                return str((await call(client, "report_outcome", **report))["changed"])
            return await refused(client, "report_outcome", report)

    assert "--allow-writes" in asyncio.run(talk())
    assert unanswered not in str(kb.usage.gaps().as_json())
    assert asyncio.run(talk("--allow-writes")) == "1"
    assert unanswered in str(kb.usage.gaps().as_json())
    assert kb.usage.report_outcome(**report).changed == 0  # type: ignore[arg-type]  # it is known


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """Give the process with its streams as they are; it is ended by its process."""
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    command = [sys.executable, "-m", "autokb", "mcp", str(folder), *words]
    with subprocess.Popen(command, text=True, encoding="utf-8", **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def say(process: subprocess.Popen[str], said: dict[str, Any] | str) -> None:
    assert process.stdin is not None
    process.stdin.write(f"{said if isinstance(said, str) else json.dumps({'jsonrpc': '2.0', **said})}\n")
    process.stdin.flush()


def hear(process: subprocess.Popen[str], number: int) -> dict[str, Any]:
    """Return the answer of this number; every line before it is one of the protocol, too."""
    assert process.stdout is not None
    while True:
        heard: dict[str, Any] = json.loads(process.stdout.readline())
        assert heard["jsonrpc"] == "2.0"
        if heard.get("id") == number:
            return heard


def shake_hands(process: subprocess.Popen[str]) -> None:
    told = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    say(process, {"id": 1, "method": "initialize", "params": told})
    assert hear(process, 1)["result"]["serverInfo"]["name"] == "autokb"
    say(process, {"method": "notifications/initialized"})


def test_lines_that_are_none_of_the_protocol_are_borne_and_standard_output_has_no_other(hand_made: Workspace) -> None:
    asked = {"name": "ask", "arguments": {"text": QUESTIONS[0]}}
    with started(hand_made.folder) as process:
        shake_hands(process)
        for line in (
            *("", "no JSON", "\0", "[]", "5", "null", '"text"', "{}", "[" * 50_000, "x" * 1_000_000),
            *('{"jsonrpc": "2.0", "id": 5}', '{"jsonrpc": "2.0", "id": {}, "method": "tools/call"}'),
            '{"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": {"name": "ask", "arguments": "\\ud800"}}',
            '{"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": 5, "arguments": [1]}}',
            '{"jsonrpc": "2.0", "id": 8, "method": "resources/read", "params": {"uri": "\\u0000"}}',
        ):
            say(process, line)
        say(process, {"id": 2, "method": "tools/call", "params": asked})
        answer = hear(process, 2)["result"]
        assert answer["structuredContent"]["data"]["outcome"] == "answered" and not answer.get("isError")
        out, errors = process.communicate(timeout=SECONDS)  # which ends its input
        assert process.returncode == 0 and out == "" and "Traceback" not in errors


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_a_client_is_there(hand_made: Workspace, by: signal.Signals) -> None:
    with started(hand_made.folder) as process:
        shake_hands(process)
        process.send_signal(by)
        assert process.wait(SECONDS) == 0
        assert process.stdout is not None and process.stdout.read() == ""


def test_at_a_terminal_it_says_what_it_does(hand_made: Workspace) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "autokb", "mcp", str(hand_made.folder)]
    pipes: dict[str, Any] = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, stdin=theirs, text=True, encoding="utf-8", **pipes) as process:
        try:
            assert process.stderr is not None
            said = process.stderr.readline()
            process.send_signal(signal.SIGINT)
            out, more = process.communicate(timeout=SECONDS)
        finally:
            process.kill()
            os.close(ours)
            os.close(theirs)
    assert all(one in said for one in ("standard input and output", "assistant", "Ctrl-C", "--http"))
    assert (process.returncode, out, more) == (0, "", "")


def test_a_folder_that_is_no_workspace_is_a_sentence_on_standard_error(tmp_path: Path) -> None:
    with started(tmp_path / "none") as process:
        out, errors = process.communicate(timeout=SECONDS)
        assert (process.returncode, out) == (2, "") and errors.count("\n") == 1 and "none" in errors
