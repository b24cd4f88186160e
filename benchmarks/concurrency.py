"""1,000 requests at 64 at once against a local stub, 2 % of which go wrong: none lost, none doubled, what it costs."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio

from benchmarks.figures import Figure, Result
from benchmarks.running import folder

REQUESTS = 1000
AT_ONCE = 64
FAULTS = 0.02
ROUNDS = 5
STUB = Path(__file__).resolve().parents[1] / "tests" / "stub_server.py"
WORDS = "The left ear cup is silent after I paired my headphones with the laptop and charged them over night. "
ENTRY = {
    "type": "object",
    "properties": {"number": {"type": "integer"}, "theme": {"enum": ["Sound", "Battery", "Pairing"]}},
    "required": ["number", "theme"],
    "additionalProperties": False,
}
SCHEMA = {
    "type": "object",
    "properties": {"answers": {"type": "array", "items": ENTRY, "minItems": 8, "maxItems": 8}},
    "required": ["answers"],
    "additionalProperties": False,
}


def run(options: argparse.Namespace) -> Result:
    """Ask through the client and through the bare client in turns, so that both meet the same machine."""
    os.environ["OPENAI_API_KEY"] = "not-a-key"
    rounds = 1 if options.quick else ROUNDS
    bare, straight, faulty = [], [], []
    for number in range(rounds):
        bare.append(_bare())
        straight.append(_client(0.0, number))
        faulty.append(_client(FAULTS, number))
    plain, ours = _middle(bare, "seconds"), _middle(straight, "seconds")
    lost = sum(r["lost"] for r in (*straight, *faulty))
    doubled = sum(r["doubled"] for r in (*straight, *faulty))
    figures = (
        Figure("lost", lost, "requests", at_most=0),
        Figure("doubled", doubled, "requests", at_most=0),
        Figure("faults_met", _middle(faulty, "faults"), "requests"),
        Figure("bare_client", plain, "ms a request"),
        Figure("door", ours, "ms a request"),
        Figure("ratio", ours / plain, "times the bare client"),
        Figure("overhead", ours - plain, "ms a request"),
        Figure("door_with_faults", _middle(faulty, "seconds"), "ms a request"),
        Figure("bare_client_cpu", _middle(bare, "cpu"), "ms a request"),
        Figure("door_cpu", _middle(straight, "cpu"), "ms a request"),
    )
    return Result("concurrency", figures)


def _middle(rounds: list[dict[str, Any]], name: str) -> float:
    """Return the median of the rounds; seconds as milliseconds a request."""
    found = statistics.median(one[name] for one in rounds)
    return found if name == "faults" else found / REQUESTS * 1000


@dataclass
class _Timer:
    """The time on the clock and of the processor inside a block."""

    seconds: float = 0.0
    cpu: float = 0.0

    def __enter__(self) -> _Timer:
        self._started = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds = time.perf_counter() - self._started[0]
        self.cpu = time.process_time() - self._started[1]


@contextmanager
def _stub(faults: float, seed: int) -> Iterator[str]:
    command = [sys.executable, str(STUB), "--faults", str(faults), "--seed", str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def _stats(url: str) -> dict[str, int]:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as answer:
        found: dict[str, int] = json.load(answer)
    return found


def _turns(number: int) -> list[dict[str, str]]:
    text = f"Which theme has each issue?\n{number}\n" + "".join(f"{n}. {WORDS}\n" for n in range(1, 9))
    return [{"role": "system", "content": "Reply in JSON. " + WORDS * 10}, {"role": "user", "content": text}]


def _bare() -> dict[str, Any]:
    """Return the time of the openai client alone: no ledger, no retries, no reading."""
    from openai import AsyncOpenAI

    async def ask(url: str) -> _Timer:
        async with AsyncOpenAI(base_url=url, api_key="not-a-key", max_retries=0) as client:
            form: Any = {"type": "json_schema", "json_schema": {"name": "assign", "schema": SCHEMA, "strict": True}}

            async def one(number: int) -> None:
                turns: Any = _turns(number)
                await client.chat.completions.create(
                    model="m", messages=turns, response_format=form, temperature=0.0, max_tokens=400
                )

            async def work() -> None:
                for number in waiting:
                    await one(number)

            await one(-1)  # what is loaded once is no part of a request
            waiting = iter(range(REQUESTS))
            with _Timer() as timer:
                async with anyio.create_task_group() as group:
                    for _ in range(AT_ONCE):
                        group.start_soon(work)
            return timer

    with _stub(0.0, 0) as url:
        return asdict(anyio.run(ask, url))


def _client(faults: float, seed: int) -> dict[str, Any]:
    """Return the seconds through the client into a workspace file, and what was lost or paid for twice."""
    from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn
    from autokb.llm.client import ModelClient, Tag
    from autokb.llm.prices import Prices
    from autokb.llm.providers import open_sender
    from autokb.stores.ledger_table import LedgerTable
    from autokb.stores.workspace_file import WorkspaceFile

    def job(client: ModelClient, number: int) -> Any:
        turns = tuple(PromptTurn(turn["role"], turn["content"]) for turn in _turns(number))  # type: ignore[arg-type]
        request = ModelRequest("openai:m", turns, SCHEMA, "assign", 400)
        return client.ask(request, Tag("themes", "issues/assign_theme", (str(number),)))

    async def ask(url: str, file: WorkspaceFile) -> tuple[_Timer, list[Any]]:
        ledger = LedgerTable(file)
        prices = Prices({"m": {"input": 0.1, "output": 0.4}}, url)
        client = ModelClient(ledger, lambda model: open_sender(model, url, 60.0), prices, concurrency=AT_ONCE)
        await client.run_many([partial(job, client, -1)])  # what is loaded once is no part of a request
        with _Timer() as timer:
            found = await client.run_many([partial(job, client, number) for number in range(REQUESTS)])
        await client.close()
        return timer, found

    with folder() as place, _stub(faults, seed) as url:
        file = WorkspaceFile(place / "knowledge.db", create=True)
        timer, found = anyio.run(ask, url, file)
        stats = _stats(url)
        kept = file._db.execute("SELECT count(*) FROM request WHERE state = 'paid'").fetchone()[0]
        file.close()
    lost = sum(not isinstance(one, ModelReply) for one in found) + (REQUESTS + 1 - kept)
    faults_met = stats["requests"] - stats["answered"]
    return {**asdict(timer), "lost": lost, "doubled": stats["doubled"], "faults": faults_met}
