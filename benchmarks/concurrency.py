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
    """Ask through the door and through the bare client in turns, so that both meet the same machine."""
    os.environ["OPENAI_API_KEY"] = "not-a-key"
    rounds = 1 if options.quick else ROUNDS
    door, bare, straight, faulty = [], [], [], []
    for number in range(rounds):
        bare.append(_bare(REQUESTS))
        straight.append(_door(0.0, number))
        faulty.append(_door(FAULTS, number))
        door.append(straight[-1]["seconds"])
    plain, ours = statistics.median(bare), statistics.median(door)
    lost = sum(r["lost"] for r in (*straight, *faulty))
    doubled = sum(r["doubled"] for r in (*straight, *faulty))
    figures = (
        Figure("lost", lost, "requests", at_most=0),
        Figure("doubled", doubled, "requests", at_most=0),
        Figure("faults_met", statistics.median(r["faults"] for r in faulty), "requests"),
        Figure("bare_client", plain / REQUESTS * 1000, "ms a request"),
        Figure("door", ours / REQUESTS * 1000, "ms a request"),
        Figure("ratio", ours / plain, "times the bare client"),
        Figure("overhead", (ours - plain) / REQUESTS * 1000, "ms a request"),
        Figure("door_with_faults", statistics.median(r["seconds"] for r in faulty) / REQUESTS * 1000, "ms a request"),
    )
    return Result("concurrency", figures)


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


def _bare(requests: int) -> float:
    """Return the seconds of the openai client alone: no ledger, no retries, no reading."""
    from openai import AsyncOpenAI

    async def ask(url: str) -> float:
        async with AsyncOpenAI(base_url=url, api_key="not-a-key", max_retries=0) as client:
            form: Any = {"type": "json_schema", "json_schema": {"name": "assign", "schema": SCHEMA, "strict": True}}
            waiting = iter(range(requests))

            async def work() -> None:
                for number in waiting:
                    turns: Any = _turns(number)
                    await client.chat.completions.create(
                        model="m", messages=turns, response_format=form, temperature=0.0, max_tokens=400
                    )

            started = time.perf_counter()
            async with anyio.create_task_group() as group:
                for _ in range(AT_ONCE):
                    group.start_soon(work)
            return time.perf_counter() - started

    with _stub(0.0, 0) as url:
        return anyio.run(ask, url)


def _door(faults: float, seed: int) -> dict[str, Any]:
    """Return the seconds through the door into a workspace file, and what was lost or paid for twice."""
    from autokb.llm.door import Door, Tag
    from autokb.llm.ledger import Paid
    from autokb.llm.prices import Prices
    from autokb.llm.providers import open_sender
    from autokb.llm.requests import Message, ModelReply, ModelRequest
    from autokb.stores.knowledge_file import KnowledgeFile
    from autokb.stores.ledger_table import LedgerTable

    def job(door: Door, number: int) -> Any:
        turns = tuple(Message(turn["role"], turn["content"]) for turn in _turns(number))  # type: ignore[arg-type]
        request = ModelRequest("openai:m", turns, SCHEMA, "assign", 400)
        return door.ask(request, Tag("themes", "issues/assign_theme", (str(number),)))

    async def ask(url: str, file: KnowledgeFile) -> tuple[float, list[Any]]:
        ledger = LedgerTable(file, ModelReply, Paid)
        prices = Prices({"m": {"input": 0.1, "output": 0.4}}, url)
        door = Door(ledger, lambda model: open_sender(model, url, 60.0), prices, concurrency=AT_ONCE)
        await door.run_many([partial(job, door, -1)])  # what is loaded once is no part of a request
        started = time.perf_counter()
        found = await door.run_many([partial(job, door, number) for number in range(REQUESTS)])
        seconds = time.perf_counter() - started
        await door.close()
        return seconds, found

    with folder() as place, _stub(faults, seed) as url:
        file = KnowledgeFile(place / "knowledge.db", create=True)
        seconds, found = anyio.run(ask, url, file)
        stats = _stats(url)
        kept = file._db.execute("SELECT count(*) FROM request WHERE state = 'paid'").fetchone()[0]
        file.close()
    lost = sum(not isinstance(one, ModelReply) for one in found) + (REQUESTS + 1 - kept)
    return {
        "seconds": seconds,
        "lost": lost,
        "doubled": stats["doubled"],
        "faults": stats["requests"] - stats["answered"],
    }
