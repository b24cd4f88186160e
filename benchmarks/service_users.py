"""Locust users who ask a served workspace for suggestions at a fixed rate, whether it keeps up or not.

``python -m benchmarks.service_users URL --rate 50 --seconds 60 --words 12`` prints one JSON object. It is a process of
its own because locust replaces Python's sockets and threads (gevent) as soon as it is imported.
"""

from __future__ import annotations

from locust import FastHttpUser, task  # first: it replaces what the modules below import  # isort: skip
from locust.env import Environment  # isort: skip
from locust.exception import StopUser  # isort: skip
import gevent  # isort: skip

import argparse
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks import scale_data

SEED = 7
MOST_USERS = 400
TEXTS = 1_000
MOST_LATE = 60.0  # seconds that answers are waited for at the end


class Agent(FastHttpUser):
    """Sends a customer's message when the next one is due; several together make arrivals at random (Poisson).

    A request is timed from the moment when it was due, so that a service that makes its users wait is not spared the
    requests that they would have sent meanwhile (coordinated omission).
    """

    connection_timeout = network_timeout = 35.0
    texts: Iterator[str]
    measured: list[tuple[float, float, int]]  # when it was due since the start, seconds that it took, status
    gap = 1.0  # mean seconds between two requests of one user
    started = seconds = 0.0
    key = ""

    def on_start(self) -> None:
        """Begin at a moment of one's own."""
        self.dice = random.Random(SEED + next(_numbers))
        self.due = time.perf_counter() + self.dice.expovariate(1 / self.gap)

    @task
    def suggest(self) -> None:
        """Wait until the next message is due and send it; what was due in the time is sent, however late."""
        if self.due - self.started > self.seconds:
            raise StopUser
        gevent.sleep(max(0.0, self.due - time.perf_counter()))
        due = self.due
        self.due = due + self.dice.expovariate(1 / self.gap)
        body = {"messages": [{"role": "customer", "text": next(self.texts)}]}
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        response = self.client.post("/v1/suggest", json=body, headers=headers)
        self.measured.append((due - self.started, time.perf_counter() - due, response.status_code))


_numbers = itertools.count()


def main() -> None:
    """Send for so many seconds and print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url")
    parser.add_argument("--rate", type=float, default=50.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--words", type=int, default=12, help="of a message")
    parser.add_argument("--key", default="")
    options = parser.parse_args()
    users = min(MOST_USERS, max(20, round(options.rate * 2)))
    Agent.host = options.url
    Agent.key = options.key
    Agent.gap = users / options.rate
    Agent.texts = itertools.cycle(scale_data.questions(options.words, TEXTS))
    Agent.measured = []
    Agent.seconds = options.seconds
    environment = Environment(user_classes=[Agent])
    runner = environment.create_local_runner()
    Agent.started = time.perf_counter()
    runner.start(users, spawn_rate=users)
    gevent.sleep(options.seconds)
    load = os.getloadavg()[0]
    late = time.perf_counter() + MOST_LATE
    while runner.user_count and time.perf_counter() < late:
        gevent.sleep(0.1)
    never = runner.user_count
    runner.quit()
    Agent.measured += [(options.seconds, MOST_LATE, 0)] * never  # were due, and were not answered
    failures: dict[str, Any] = {str(e.error): e.occurrences for e in runner.stats.errors.values()}
    json.dump({"measured": Agent.measured, "failures": failures, "users": users, "load_average": load}, sys.stdout)


if __name__ == "__main__":
    main()
