"""kill -9 of a served workspace under load, again and again: how soon it answers again, and what was lost."""

from __future__ import annotations

import argparse
import random
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from autokb.app import SupportKB
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder
from benchmarks.served import Served, served

KILLS = 20
WORKERS = 2
THREADS = 4  # that send feedback, beside one that judges
LONGEST = 1.5  # seconds under load at most before a kill
READY = 3.0  # seconds, promised


@dataclass
class Acknowledged:
    """What the service said it had stored."""

    feedback: dict[str, str] = field(default_factory=dict)  # id to question
    verdicts: dict[str, str] = field(default_factory=dict)  # solution to its last verdict
    under_way: dict[str, str] = field(default_factory=dict)  # what may have been stored unanswered: at most one


def run(options: argparse.Namespace) -> Result:
    """Kill, start again, compare."""
    kills = 3 if options.quick else KILLS
    dice = random.Random(1)
    told = Acknowledged()
    ready: list[float] = []
    lost = wrong = 0
    with folder() as place:
        workspace = place / "kb"
        autokb("init", workspace, "--domain", "headphones", "--examples")
        autokb("build", workspace)
        solutions = [
            one.id for one in SupportKB.open(workspace).views.solutions(1_000).items if one.status == "displayed"
        ]
        for number in range(kills):
            with served(workspace, "--workers", str(WORKERS)) as service:
                ready.append(service.ready_seconds)
                lost += _lost(workspace, told)
                wrong += _wrong(workspace, told)
                _use_until_killed(service, number, solutions, told, dice.random() * LONGEST)
        with served(workspace, "--workers", str(WORKERS)) as service:
            ready.append(service.ready_seconds)
        lost, wrong = lost + _lost(workspace, told), wrong + _wrong(workspace, told)
        shutil.rmtree(workspace)
    return Result(
        "service_kills",
        [
            Figure("kills", float(kills), "", at_least=kills),
            Figure("ready_after_a_kill.most", max(ready[1:]), "s", at_most=READY),
            Figure("ready_after_a_kill.median", sorted(ready[1:])[len(ready[1:]) // 2], "s"),
            Figure("feedback_acknowledged", float(len(told.feedback)), ""),
            Figure("feedback_lost", float(lost), "", at_most=0),
            Figure("verdicts_acknowledged_on", float(len(told.verdicts)), "solutions"),
            Figure("verdicts_lost", float(wrong), "", at_most=0),
        ],
    )


def _use_until_killed(service: Served, number: int, solutions: list[str], told: Acknowledged, seconds: float) -> None:
    def send_feedback(client: httpx2.Client, name: str) -> None:
        for count in range(1_000_000):
            query = f"question {count} of {name}"
            answer = client.post("/v1/feedback", json={"query": query, "verdict": "helpful"})
            answer.raise_for_status()
            told.feedback[answer.json()["id"]] = query

    def judge(client: httpx2.Client, name: str) -> None:
        for count in range(1_000_000):
            solution = solutions[count % len(solutions)]
            verb, verdict = (("approve", "approved"), ("hide", "hidden"))[(count // len(solutions) + number) % 2]
            told.under_way = {solution: verdict}
            answer = client.post(f"/v1/solutions/{solution}/{verb}")
            answer.raise_for_status()
            told.verdicts[solution] = verdict
            told.under_way = {}

    def until_killed(work: Callable[[httpx2.Client, str], None], name: str) -> None:
        try:
            with httpx2.Client(base_url=service.url, timeout=60) as client:
                work(client, name)
        except httpx2.TransportError:
            pass

    works = [(send_feedback, f"{number}-{n}") for n in range(THREADS)] + [(judge, "judge")]
    threads = [threading.Thread(target=until_killed, args=one) for one in works]
    for thread in threads:
        thread.start()
    time.sleep(0.2 + seconds)
    service.kill()
    for thread in threads:
        thread.join()


def _lost(workspace: Path, told: Acknowledged) -> int:
    kept: dict[str, str] = {}
    kb, after = SupportKB.open(workspace), ""
    while True:
        page = kb.usage.feedback(1_000, after)
        kept |= {one.id: one.query for one in page.items}
        if page.next is None:
            break
        after = page.next
    return sum(kept.get(one) != query for one, query in told.feedback.items())


def _wrong(workspace: Path, told: Acknowledged) -> int:
    """Return how many verdicts are not the last that was acknowledged; of the one under way either may be there.

    Which of the two is there counts as acknowledged from then on: people see it.
    """
    kept = {one.id: one.verdict or "" for one in SupportKB.open(workspace).views.solutions(1_000).items}
    for solution, verdict in told.under_way.items():
        if kept.get(solution) == verdict:
            told.verdicts[solution] = verdict
    told.under_way = {}
    return sum(kept.get(one) != verdict for one, verdict in told.verdicts.items())
