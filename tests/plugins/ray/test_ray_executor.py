"""Work in the processes of Ray: the results and failures of this process, whatever becomes of a worker."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from benchmarks.executors import MANUAL
from benchmarks.killed_builds import DOMAIN, mark_of, marked, stored_replies

import stub_server as stub
from autokb.app import SupportKB
from autokb.plugins.ray import executor as ray_executor
from autokb.plugins.ray.executor import RayExecutor
from autokb.sources import Fields
from scripted_model import ScriptedModel

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is missing (extra: ray)"),
]
WORKERS = 2
ISSUES = (
    "id,text\n1,the lid of my kettle is stuck\n2,my kettle does not heat the water\n3,new kettle smells of plastic\n"
)
FIELDS = Fields(text="text", title="title", id="id", date="date", resolved_by="resolved_by")
SECONDS = 120.0  # that a build may take before a test gives it up
BUILD = f"""
import sys
from functools import partial
from autokb.plugins.ray import executor as ray_executor
ray_executor.RayExecutor = partial(ray_executor.RayExecutor, workers={WORKERS}, home_seconds=0.0, sample_seconds=0.0)
from autokb.cli import entry
sys.argv[1:] = ["build", sys.argv[1], "--json"]
entry()
"""
ON_CLUSTER = """
import sys
from autokb.plugins.ray.executor import RayExecutor
executor = RayExecutor(sys.argv[1], home_seconds=0.0, sample_seconds=0.0)
print([one.value or str(one.error) for one in executor.map(lambda n: 12 // n, range(4))])
executor.close()
"""


@pytest.fixture
def temporary(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder for temporary files, of a name short enough for the sockets in it."""
    with tempfile.TemporaryDirectory(prefix="autokb-") as name:
        monkeypatch.setenv("TMPDIR", name)
        monkeypatch.setattr(tempfile, "tempdir", name)
        yield Path(name)


@pytest.fixture(scope="module")
def executor() -> Iterator[RayExecutor]:
    """One that sends everything to two workers."""
    with closing(RayExecutor(workers=WORKERS, home_seconds=0.0, sample_seconds=0.0)) as made:
        yield made


def test_results_come_in_order_from_other_processes(executor: RayExecutor) -> None:
    def work(n: int) -> tuple[int, int]:
        if n == 70:
            raise ValueError("seventy")
        return n, os.getpid()

    done = list(executor.map(work, range(200)))
    assert [one.value[0] for one in done if one.value] == [n for n in range(200) if n != 70]
    assert str(done[70].error) == "seventy" and isinstance(done[70].error, ValueError)
    assert os.getpid() not in {one.value[1] for one in done if one.value}
    assert list(executor.map(work, [])) == []


def test_arrays_travel_to_the_bit(executor: RayExecutor) -> None:
    arrays = [np.random.default_rng(n).random((50, 8), dtype=np.float32) for n in range(20)]
    done = list(executor.map(lambda array: array[::-1], arrays))
    assert all(np.array_equal(one.get(), array[::-1]) for one, array in zip(done, arrays, strict=True))


def test_two_executors_with_the_same_workers_do_each_their_own_work(executor: RayExecutor) -> None:
    list(executor.map(lambda n: n, range(2 * WORKERS)))  # Ray is started
    first, second = (RayExecutor(workers=WORKERS, home_seconds=0.0, sample_seconds=0.0) for _ in range(2))
    for _ in range(3):
        assert [one.get() for one in first.map(lambda n: n + 1, range(8))] == list(range(1, 9))
        assert [one.get() for one in second.map(lambda n: -n, range(8))] == [-n for n in range(8)]


def test_a_worker_that_is_killed_costs_nothing(executor: RayExecutor, tmp_path: Path) -> None:
    def work(n: int) -> int:
        if n == 3 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return n

    assert [one.get() for one in executor.map(work, range(8))] == list(range(8))
    assert (tmp_path / "killed").exists()


def test_a_thing_that_kills_every_worker_is_that_things_failure(executor: RayExecutor) -> None:
    def work(n: int) -> int:
        if n == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return n

    done = list(executor.map(work, range(5)))
    assert [one.value for one in done] == [0, 1, None, 3, 4]
    assert "ended unexpectedly" in str(done[2].error)


def test_a_build_on_ray_is_the_local_one_to_the_byte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    everything = partial(RayExecutor, workers=WORKERS, home_seconds=0.0, sample_seconds=0.0)
    monkeypatch.setattr(ray_executor, "RayExecutor", everything)
    (tmp_path / "kettle.md").write_text(MANUAL, encoding="utf-8")
    (tmp_path / "issues.csv").write_text(ISSUES, encoding="utf-8")
    exports = []
    for name in ("local", "ray"):
        monkeypatch.setenv("AUTOKB_EXECUTOR", name)
        with closing(SupportKB.create(tmp_path / name / "kb")) as kb:
            kb.add([tmp_path / "issues.csv"], "issues")
            kb.add([tmp_path / "kettle.md"])
            report = kb.build()
            assert not report.failures and report.solutions
            kb.export(tmp_path / f"{name}.jsonl")
        exports.append((tmp_path / f"{name}.jsonl").read_bytes())
    assert exports[0] == exports[1]


def test_a_build_that_is_interrupted_or_killed_goes_on_and_leaves_nothing_of_ray(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, asked, most = ScriptedModel(), list[str](), 1 << 30

    def reply(body: dict[str, Any]) -> Any:
        asked.append(mark_of(body))
        return marked(model(body), asked[-1]) if len(asked) <= most else stub.HANG

    with stub.StubServer(reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "a key that nobody checks")
        made = _with_sources(tmp_path / "made", server.url)
        undisturbed = _export_of_build(shutil.copytree(made, tmp_path / "undisturbed"))
        for sent in (signal.SIGINT, signal.SIGKILL):
            kb = shutil.copytree(made, tmp_path / sent.name)
            asked.clear()
            most = 9  # so that a build cannot end before it is ended
            _end(_start(kb), kb, sent)
            most = 1 << 30
            stored, before = stored_replies(kb), len(asked)
            assert len(list(temporary.glob("autokb-ray-*"))) == (sent == signal.SIGKILL)
            monkeypatch.setenv("AUTOKB_EXECUTOR", "ray")
            assert _export_of_build(kb) == undisturbed
            monkeypatch.delenv("AUTOKB_EXECUTOR")
            assert stored and not stored & set(asked[before:])
            assert not list(temporary.glob("autokb-ray-*"))


def test_a_cluster_works_for_who_knows_its_address(temporary: Path) -> None:
    ports = [_free_port(), _free_port()]
    ray = [sys.executable, "-c", "from ray.scripts.scripts import main; main()"]
    head = [*ray, "start", "--head", "--block", "--node-ip-address=127.0.0.1", f"--port={ports[0]}", "--num-cpus=2"]
    head += [f"--ray-client-server-port={ports[1]}", "--include-dashboard=false", f"--temp-dir={temporary}/ray"]
    unsaid = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    quiet = subprocess.DEVNULL
    with subprocess.Popen(head, env=unsaid, stdout=quiet, stderr=quiet) as cluster:
        processes: list[psutil.Process] = []
        try:
            end = time.monotonic() + SECONDS
            while not _answers(ports[1]):
                assert cluster.poll() is None and time.monotonic() < end
                time.sleep(0.1)
            command = [sys.executable, "-c", ON_CLUSTER, f"ray://127.0.0.1:{ports[1]}"]
            done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            while done.returncode != 0 and time.monotonic() < end:  # the port answers before all of the cluster does
                done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
            assert done.returncode == 0, done.stderr[-4_000:]
            processes = psutil.Process(cluster.pid).children(recursive=True)
        finally:
            cluster.terminate()
    assert done.stdout == f"{['integer division or modulo by zero', 12, 6, 4]}\n"
    assert processes and not psutil.wait_procs(processes, SECONDS)[1]


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def _answers(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1.0):
        return True
    return False


def _with_sources(kb: Path, url: str) -> Path:
    """Make a workspace that asks a model, with enough in it that there is work for Ray."""
    lines = (DOMAIN / "issues" / "issues.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (kb.parent / "issues.csv").write_text("".join(lines[:13]), encoding="utf-8")
    with closing(SupportKB.create(kb, "headphones")) as opened:
        opened.add([kb.parent / "issues.csv"], "issues", FIELDS)
        opened.add(sorted((DOMAIN / "documents").iterdir())[:4])
    (kb / "settings.yaml").write_text(f"model: openai:scripted\nbase_url: {url}\n", encoding="utf-8")
    return kb


def _export_of_build(kb: Path) -> bytes:
    with closing(SupportKB.open(kb)) as opened:
        assert not opened.build().failures
        opened.export(kb / "kb.jsonl")
    return (kb / "kb.jsonl").read_bytes()


def _start(kb: Path) -> subprocess.Popen[bytes]:
    command, environment = [sys.executable, "-c", BUILD, str(kb)], {**os.environ, "AUTOKB_EXECUTOR": "ray"}
    quiet = subprocess.DEVNULL
    return subprocess.Popen(command, env=environment, stdout=quiet, stderr=quiet, start_new_session=True)


def _end(build: subprocess.Popen[bytes], kb: Path, sent: signal.Signals) -> None:
    """Send a signal once Ray works and a reply is there; its processes end with the build.

    Two agents of Ray are left out: after a kill -9 they try for a minute to tell what died, and end then.
    """
    started, end = psutil.Process(build.pid), time.monotonic() + SECONDS
    processes: list[psutil.Process] = []
    try:
        while not stored_replies(kb) or "raylet" not in {one.name() for one in processes}:
            assert build.poll() is None and time.monotonic() < end
            time.sleep(0.5)  # to look at the processes of a machine takes time that the build wants
            with suppress(psutil.NoSuchProcess):
                processes = [one for one in started.children(recursive=True) if not one.name().endswith("Agent")]
        # Ctrl-C goes to all that the terminal has started.
        os.killpg(build.pid, sent) if sent == signal.SIGINT else build.send_signal(sent)
        assert build.wait(SECONDS) == (3 if sent == signal.SIGINT else -sent)  # 3: it has stopped
        assert not psutil.wait_procs(processes, SECONDS)[1]
    finally:
        build.kill()
