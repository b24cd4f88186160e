"""``autokb serve`` as a real process on loopback: it answers, refuses what is too large, goes on, and stops gently."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import httpx2
import psutil
import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.stores.workspace import Workspace
from served_process import SECONDS, served, stopped, wait_until

pytestmark = pytest.mark.slow  # each test starts the service
QUESTION = {"text": "my robot does not charge in the dock"}


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_until_it_is_stopped(hand_made: Workspace, by: signal.Signals) -> None:
    kb = SupportKB(hand_made)
    with served(hand_made) as (process, said), httpx2.Client(base_url=said["url"], timeout=SECONDS) as client:
        assert (said["host"], said["needs_key"]) == ("127.0.0.1", False)
        assert client.get("/v1/ready").status_code == 200
        answer = client.post("/v1/ask", json=QUESTION).json()
        assert answer["matches"] == kb.ask(QUESTION["text"]).as_json()["matches"] and answer["matches"]
        assert client.get("/v1/health", headers={"host": "evil.example"}).status_code == 200
        assert client.get("/v1/issues", headers={"host": "evil.example"}).status_code == 401
        made = kb.keys.create("reader")
        assert client.get("/v1/issues").status_code == 401
        assert client.get("/v1/issues", headers={"authorization": f"Bearer {made.key}"}).status_code == 200
        status, log = stopped(process, by)
    assert status == 0
    assert [(one["path"], one["status"], one["key"]) for one in log] == [
        ("/v1/ready", 200, ""),
        ("/v1/ask", 200, ""),
        ("/v1/health", 200, ""),
        ("other", 401, ""),
        ("other", 401, ""),
        ("/v1/issues", 200, made.id),
    ]


@pytest.fixture(scope="module")
def place(_imported: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """Host and port of a service that several tests send what it refuses, and that ends as others do."""
    folder = tmp_path_factory.mktemp("refuses") / "kb"
    shutil.copytree(_imported, folder)
    with served(folder) as (process, said):
        yield said["host"], said["port"]
        assert stopped(process)[0] == 0


def test_a_body_of_100_megabytes_is_refused_before_it_is_sent(place: tuple[str, int]) -> None:
    with closing(socket.create_connection(place, SECONDS)) as raw:
        head = f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: {100 << 20}\r\nConnection: close\r\n"
        raw.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode())
        answer = raw.makefile("rb").read()  # to the end: the connection is closed
    assert answer.startswith(b"HTTP/1.1 413 ") and b"application/problem+json" in answer


@pytest.mark.parametrize("also", ["Content-Length: 5", "content-length: 0", "Content-Length: 500"])
def test_a_request_with_two_lengths_ends_its_connection(place: tuple[str, int], also: str) -> None:
    with closing(socket.create_connection(place, SECONDS)) as raw:
        head = f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n{also}\r\n\r\n"
        raw.sendall(f"{head}0\r\n\r\nGET /v1/solutions HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        answer = raw.makefile("rb").read()  # to the end: the connection is closed
    assert answer.startswith(b"HTTP/1.1 400 ") and answer.count(b"HTTP/1.1 ") == 1


def test_what_is_under_way_is_answered_when_it_is_stopped(hand_made: Workspace) -> None:
    with served(hand_made) as (process, said):
        place = (said["host"], said["port"])
        body = json.dumps(QUESTION).encode()
        with closing(socket.create_connection(place, SECONDS)) as raw:
            head = f"POST /v1/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(body)}\r\n"
            raw.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body[:5])
            assert httpx2.get(f"{said['url']}/v1/ready", timeout=SECONDS).status_code == 200  # the head was read
            process.send_signal(signal.SIGTERM)
            end = time.monotonic() + SECONDS
            while time.monotonic() < end:  # until nobody is let in any more
                try:
                    socket.create_connection(place, SECONDS).close()
                except OSError:
                    break
            raw.sendall(body[5:])
            answer = raw.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 200 ") and b'"outcome"' in answer
        assert process.wait(SECONDS) == 0


def test_a_new_build_goes_live_without_a_request_that_fails(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    with served(hand_made) as (process, said), httpx2.Client(base_url=said["url"], timeout=SECONDS) as client:
        client.get("/v1/ready")
        going, shown = True, set[bool]()

        def ask() -> set[int]:
            statuses = set()
            while going:
                response = client.post("/v1/ask", json=QUESTION)
                statuses.add(response.status_code)
                shown.add('"s-contacts"' in response.text)
            return statuses

        with ThreadPoolExecutor(4) as threads:
            asking = [threads.submit(ask) for _ in range(4)]
            try:
                for undo in (False, True) * 2:
                    shown.clear()
                    kb.curation.hide(["s-contacts"], undo=undo)
                    wait_until(lambda undo=undo: undo in shown)  # type: ignore[misc]
                kb.build()
                expected = kb.ask(QUESTION["text"]).as_json()["matches"]
                wait_until(lambda: client.post("/v1/ask", json=QUESTION).json()["matches"] == expected)
                wait_until(lambda: client.get("/v1/solutions").json() == kb.views.solutions().as_json())
            finally:
                going = False
            assert set.union(*(future.result() for future in asking)) == {200}
        assert stopped(process)[0] == 0


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_workers_answer_together_and_end_together(hand_made: Workspace, by: signal.Signals) -> None:
    kb = SupportKB(hand_made)
    with served(hand_made, "--workers", "2") as (process, said):
        workers = psutil.Process(process.pid).children()

        def ask() -> str:  # by a connection of its own, which either worker may take
            return httpx2.post(f"{said['url']}/v1/ask", json=QUESTION, timeout=SECONDS).text

        try:
            assert '"s-contacts"' in ask()
            workers = [one for one in psutil.Process(process.pid).children() if "spawn_main" in " ".join(one.cmdline())]
            assert len(workers) == 2
            kb.curation.hide(["s-contacts"])
            wait_until(lambda: not any('"s-contacts"' in ask() for _ in range(20)))
            figures = httpx2.get(f"{said['url']}/metrics", timeout=SECONDS).text
            counted = re.search(r'autokb_requests_total{method="POST",path="/v1/ask",status="200"} (\S+)', figures)
            assert counted and float(counted[1]) >= 21  # those of both
            process.send_signal(by)
            assert process.wait(SECONDS) == (0 if by == signal.SIGTERM else -signal.SIGKILL)
            assert not psutil.wait_procs(workers, SECONDS)[1]
        finally:
            for worker in workers:
                with suppress(psutil.NoSuchProcess):
                    worker.kill()
        with closing(socket.create_server((said["host"], said["port"]))):
            pass  # the port is free


def test_an_address_that_is_taken_or_none_is_said(hand_made: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as taken:
        port = str(taken.getsockname()[1])
        for words in (("--port", port), ("--host", "203.0.113.1", "--port", "0"), ("--host", "no such host")):
            assert main(["serve", str(hand_made.folder), *words, "--json"]) == 2
            assert "choose another" in json.loads(capsys.readouterr().out)["error"]
    assert main(["serve", str(hand_made.folder / "none"), "--json"]) == 2
    assert "no workspace" in json.loads(capsys.readouterr().out)["error"]
    assert "AUTOKB_SERVED_WORKSPACE" not in os.environ
