"""Work in the processes of Ray: the results and failures of this process, whatever becomes of a worker."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from autokb.app import SupportKB
from autokb.pipeline import ray_executor
from autokb.pipeline.ray_executor import RayExecutor

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("ray") is None, reason="ray is missing (extra: ray)"),
]
WORKERS = 2
MANUAL = """# Kettle

## The lid does not open

1. Press the button on the handle.
2. Lift the lid.

## The water stays cold

1. Put the plug into the socket.
2. Press the switch until its lamp is lit.

## It smells of plastic

Boil three fillings of water and pour them away.
"""
ISSUES = (
    "id,text\n1,the lid of my kettle is stuck\n2,my kettle does not heat the water\n3,new kettle smells of plastic\n"
)


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
