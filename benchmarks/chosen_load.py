"""Suggestions over HTTP that a model chooses (``ask: {model: ...}``), under load: what waiting for it adds of ours.

The model is scripted and takes ``PAUSE`` seconds; 7,000 solutions, locust on loopback, every message another one.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.ask import import_workspace
from benchmarks.chosen import set_chooser
from benchmarks.figures import Figure, Result
from benchmarks.running import folder
from benchmarks.served import Served, served
from benchmarks.service_load import SHORT, SIZE, WORKERS, use, wait_until_idle
from benchmarks.serving import serving, stub

PAUSE = 0.3  # seconds
RATES, SECONDS = (10, 20), 30  # requests a second, and for how long
LATE = 0.5  # seconds that a model which never replies is given
OVERHEAD = 30.0  # ms


def run(options: argparse.Namespace) -> Result:
    """Serve with a model that replies, then with one that is always late."""
    seconds = 10 if options.quick else SECONDS
    found: list[Figure] = []
    with folder() as place:
        import_workspace(place, SIZE)
        runs = [(f"{rate}_a_second", _choose, 60.0, rate) for rate in RATES]
        for name, reply, timeout, rate in (*runs, ("late", _too_late, LATE, RATES[0])):
            with serving(reply) as model:
                set_chooser(place / "kb", model.url, timeout)
                forget_replies(place / "kb")
                with served(place / "kb", "--workers", str(WORKERS)) as service:
                    wait_until_idle(service)
                    least = LATE if name == "late" else PAUSE
                    found += _figures(name, service, rate, seconds, least)
                found.append(Figure(f"{name}.asked_the_model", float(len(model.bodies)), "requests"))
    return Result("chosen_load", found, {"pause": PAUSE, "late": LATE})


def forget_replies(workspace: Path) -> None:
    """Empty the ledger, so that the same questions are asked of the model again."""
    with closing(sqlite3.connect(workspace / "knowledge.db")) as db, db:
        db.execute("DELETE FROM request")
        db.execute("DELETE FROM work WHERE stage = 'ask'")


def _figures(name: str, service: Served, rate: float, seconds: float, least: float) -> Iterator[Figure]:
    """Yield latencies, what is above the ``least`` seconds that the model alone takes, and errors."""
    measured = use(service, rate, seconds, SHORT)
    yield Figure(f"{name}.requests", float(len(measured.due)), "")
    for percent in (50, 95, 99):
        yield Figure(f"{name}.p{percent}", measured.percentile(percent), "ms")
    overhead = measured.percentile(50) - least * 1000
    yield Figure(f"{name}.overhead_p50", overhead, "ms", at_most=OVERHEAD)
    yield Figure(f"{name}.errors", float(measured.errors), "", at_most=0)
    yield Figure(f"{name}.load_average", measured.load, "")


def _choose(body: dict[str, Any]) -> Any:
    return stub.slow(PAUSE, first_section(body))


def _too_late(_body: dict[str, Any]) -> Any:
    return stub.HANG


def first_section(body: dict[str, Any]) -> str:
    """Return the reply that chooses the first section."""
    attributes = body["response_format"]["json_schema"]["schema"]["$defs"]["Attributes"]["properties"]
    entry = {"number": 1, "attributes": {name: [] for name in attributes}, "sections": [1], "line": 0, "ask": "none"}
    return json.dumps({"answers": [entry]})
