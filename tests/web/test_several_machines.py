"""The service on several machines: processes with a folder each that have a store on a server in common."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil
import pytest
from benchmarks.postgres_server import PostgresServer, postgres_server, small_disk

import hand_made_kb
from autokb.app import SupportKB
from autokb.core.errors import WorkspaceBusyError
from autokb.exchange.import_kb import import_file
from autokb.stores.workspace import Workspace, open_workspace
from served_process import SECONDS, served, wait_until

pytestmark = pytest.mark.slow  # each test starts a server and the service
DISK = 160  # MiB; an empty server takes some 40, and 16 more for each part of its log
QUESTION = {"text": "my robot does not charge in the dock"}


@dataclass
class Machines:
    """A knowledge base on a server, and folders that each know its URL alone."""

    server: PostgresServer
    url: str

    def folder(self, place: Path) -> Workspace:
        """Make the folder of a machine."""
        place.mkdir()
        (place / "domain.yaml").write_text("name: fresh\n", encoding="utf-8")
        (place / "settings.yaml").write_text(f"store: {self.url}\n", encoding="utf-8")
        return open_workspace(place)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as started:
        yield started


@pytest.fixture
def machines(server: PostgresServer, tmp_path: Path) -> Machines:
    """A knowledge base by hand in a schema of its own."""
    made = Machines(server, server.url(tmp_path.name[:40].lower().replace("-", "_")))
    done = import_file(made.folder(tmp_path / "first"), hand_made_kb.write(tmp_path / "kb.jsonl"))
    assert done.skipped == ()
    return made


@dataclass
class Sent:
    """What clients sent and what they were told."""

    kept: dict[str, str] = field(default_factory=dict)  # acknowledged feedback: id to question
    statuses: list[tuple[int, bool]] = field(default_factory=list)  # and whether it says when to try again
    gone: int = 0  # requests that a killed process left without an answer


@contextmanager
def load(*urls: str) -> Iterator[Sent]:
    """Send feedback and questions to all of them at once, until the block has ended."""
    sent, ended = Sent(), threading.Event()

    def use(url: str, number: int) -> None:
        with httpx2.Client(base_url=url, timeout=SECONDS) as client:
            count = 0
            while not ended.is_set():
                count += 1
                query = f"question {count} of {number} to {url}"
                try:
                    if number % 2:
                        answer = client.post("/v1/ask", json=QUESTION)
                    else:
                        answer = client.post("/v1/feedback", json={"query": query, "verdict": "helpful"})
                        if answer.status_code == 200:
                            sent.kept[answer.json()["id"]] = query
                    sent.statuses.append((answer.status_code, "retry-after" in answer.headers))
                except httpx2.TransportError:
                    sent.gone += 1
                    time.sleep(0.05)

    threads = [threading.Thread(target=use, args=(url, number)) for url in urls for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        yield sent
    finally:
        ended.set()
        for thread in threads:
            thread.join(SECONDS)


def feedback_at(url: str) -> dict[str, str]:
    """Return all feedback that a machine lists."""
    found: dict[str, str] = {}
    with httpx2.Client(base_url=url, timeout=SECONDS) as client:
        after: str | None = ""
        while after is not None:
            page = client.get("/v1/feedback", params={"limit": 1000, **({"after": after} if after else {})}).json()
            found |= {one["id"]: one["query"] for one in page["items"]}
            after = page["next"]
    return found


@pytest.fixture
def two_machines(machines: Machines, tmp_path: Path) -> Iterator[tuple[str, str]]:
    """The addresses of two services that have nothing but the URL of their store in common."""
    with ExitStack() as stack:
        started = [stack.enter_context(served(machines.folder(tmp_path / name))) for name in ("one", "two")]
        urls = [str(said["url"]) for _, said in started]
        for url in urls:
            assert httpx2.get(f"{url}/v1/ready", timeout=SECONDS).status_code == 200
        yield urls[0], urls[1]


def test_what_one_is_told_the_other_knows(two_machines: tuple[str, str]) -> None:
    one, two = (httpx2.Client(base_url=url, timeout=SECONDS) for url in two_machines)
    with one, two:
        assert '"s-contacts"' in two.post("/v1/ask", json=QUESTION).text
        assert one.post("/v1/solutions/s-contacts/hide").status_code == 200
        wait_until(lambda: '"s-contacts"' not in two.post("/v1/ask", json=QUESTION).text)
        given = one.post("/v1/feedback", json={"query": "is it shared", "verdict": "helpful"}).json()
        assert feedback_at(two_machines[1]) == {given["id"]: "is it shared"}
        admin = one.post("/v1/keys", json={"role": "admin"}).json()
        one.headers["authorization"] = two.headers["authorization"] = f"Bearer {admin['key']}"
        reader = two.post("/v1/keys", json={"role": "reader"}).json()
        shown = {"authorization": f"Bearer {reader['key']}"}
        for client in (one, two):
            assert client.get("/v1/issues", headers=shown).status_code == 200
            assert client.get("/v1/issues", headers={"authorization": "Bearer akb_wrong"}).status_code == 401
        assert one.post(f"/v1/keys/{reader['id']}/revoke").status_code == 200
        wait_until(lambda: {c.get("/v1/issues", headers=shown).status_code for c in (one, two)} == {401})


def test_a_key_has_one_rate_at_all_machines(machines: Machines, tmp_path: Path) -> None:
    with ExitStack() as stack:
        folders = [machines.folder(tmp_path / name) for name in ("one", "two")]
        key = SupportKB(folders[0]).keys.create("reader")
        shown = {"authorization": f"Bearer {key.key}"}
        one, two = (
            str(stack.enter_context(served(folder, "--rate", "1"))[1]["url"]) for folder in folders
        )  # 20 at once, of which the first question after a start took one each
        for url in (one, two):
            assert httpx2.get(f"{url}/v1/ready", headers=shown, timeout=SECONDS).status_code == 200
        for _ in range(17):
            assert httpx2.get(f"{one}/v1/issues", headers=shown, timeout=SECONDS).status_code == 200
        passed = 0

        def is_refused() -> bool:  # the other one learns of it within a second, and lets few pass until then
            nonlocal passed
            status = httpx2.get(f"{two}/v1/issues", headers=shown, timeout=SECONDS).status_code
            passed += status == 200
            time.sleep(0.4)
            return status == 429

        wait_until(is_refused)
        assert passed < 17


def test_a_builder_that_dies_lets_others_build_at_once(machines: Machines, tmp_path: Path) -> None:
    one, two = (machines.folder(tmp_path / name) for name in ("one", "two"))
    holds = (
        "import sys, time; from pathlib import Path; from autokb.stores.workspace import open_workspace\n"
        "with open_workspace(Path(sys.argv[1])).build_lock(): print('held', flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", holds, str(one.folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout is not None and builder.stdout.readline() == "held\n"
        with pytest.raises(WorkspaceBusyError, match="Another build is at work"), two.build_lock():
            pass
        os.kill(builder.pid, signal.SIGKILL)
        builder.wait(SECONDS)

    def is_free() -> bool:
        try:
            with two.build_lock():
                return True
        except WorkspaceBusyError:
            return False

    wait_until(is_free)


def hang_for_a_moment(server: PostgresServer, url: str) -> None:
    """Have the server hang: a question is answered, and what would be written is refused until it goes on."""
    server.hold(signal.SIGSTOP)
    try:
        refused = httpx2.post(f"{url}/v1/feedback", json={"query": "x", "verdict": "helpful"}, timeout=SECONDS)
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        assert httpx2.post(f"{url}/v1/ask", json=QUESTION, timeout=SECONDS).status_code == 200
    finally:
        server.hold(signal.SIGCONT)

    def is_kept() -> bool:
        given = {"query": "x", "verdict": "helpful"}
        return httpx2.post(f"{url}/v1/feedback", json=given, timeout=SECONDS).status_code == 200

    wait_until(is_kept)


def test_a_server_that_hangs_or_is_started_anew_under_load_stops_no_question_and_loses_nothing_acknowledged(
    machines: Machines, two_machines: tuple[str, str]
) -> None:
    hang_for_a_moment(machines.server, two_machines[0])
    with load(*two_machines) as sent:
        wait_until(lambda: len(sent.kept) >= 20)
        machines.server.stop(kill=True)
        before = len(sent.kept)
        wait_until(lambda: any(status == 503 for status, _ in sent.statuses))
        asked = sum(status == 200 for status, _ in sent.statuses)
        wait_until(lambda: sum(status == 200 for status, _ in sent.statuses) > asked + 5)  # from memory
        machines.server.start()
        wait_until(lambda: len(sent.kept) >= before + 20)
    assert {*sent.statuses} == {(200, False), (503, True)} and sent.gone == 0
    for url in two_machines:
        assert sent.kept.items() <= feedback_at(url).items()


@contextmanager
def server_on_a_small_disk() -> Iterator[PostgresServer]:
    """A server whose disk can be filled, and nobody else's with it."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="autokb-pg-")))
        try:
            stack.enter_context(small_disk(place, DISK))
        except PermissionError as error:
            pytest.skip(str(error))
        server = PostgresServer(place)
        server.start()
        try:
            yield server
        finally:
            if server.runs:
                server.stop()


def fill(path: Path) -> None:
    """Write a file until the disk has no byte left."""
    with path.open("wb", buffering=0) as file, suppress(OSError):
        while file.write(bytes(1 << 16)):
            pass


def test_on_a_full_disk_of_the_server_questions_are_answered_and_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    with server_on_a_small_disk() as server:
        machines = Machines(server, server.url("full"))
        import_file(machines.folder(tmp_path / "first"), hand_made_kb.write(tmp_path / "kb.jsonl"))
        with served(machines.folder(tmp_path / "one")) as (_, said):
            url, ballast = str(said["url"]), server.folder / "ballast"
            assert httpx2.get(f"{url}/v1/ready", timeout=SECONDS).status_code == 200
            with load(url) as sent:
                wait_until(lambda: len(sent.kept) >= 20)
                fill(ballast)
                wait_until(lambda: (503, True) in sent.statuses)
                asked = sum(status == 200 for status, _ in sent.statuses)
                wait_until(lambda: sum(status == 200 for status, _ in sent.statuses) > asked + 5)
                ballast.unlink()
                before = len(sent.kept)

                def goes_on() -> bool:
                    if not server.runs:  # it stops where its own log cannot be written; who mends the disk starts it
                        server.start()
                    return len(sent.kept) >= before + 20

                wait_until(goes_on)
            assert {*sent.statuses} == {(200, False), (503, True)} and sent.gone == 0
            assert sent.kept.items() <= feedback_at(url).items()


def test_nothing_acknowledged_is_lost_when_a_worker_is_killed(machines: Machines, tmp_path: Path) -> None:
    with served(machines.folder(tmp_path / "one"), "--workers", "2") as (process, said):
        url = str(said["url"])
        assert httpx2.get(f"{url}/v1/ready", timeout=SECONDS).status_code == 200
        with load(url) as sent:
            wait_until(lambda: len(sent.kept) >= 20)
            workers = [one for one in psutil.Process(process.pid).children() if "spawn_main" in " ".join(one.cmdline())]
            os.kill(workers[0].pid, signal.SIGKILL)
            before = len(sent.kept)
            wait_until(lambda: len(sent.kept) >= before + 20)
        assert {status for status, _ in sent.statuses} <= {200, 503}
        assert sent.kept.items() <= feedback_at(url).items()
