"""A day of a helpdesk: 5,000 messages, a tenth of them twice, out of order, to a helpdesk that fails now and then.

Half of the customers get a reply of an agent; the service is killed once, and started again, in the middle.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx2
import numpy as np

from autokb.app import SupportKB
from autokb.plugins.helpdesks.desk import LEASE
from autokb.stores.workspace import open_workspace
from benchmarks.desk_server import ENVIRONMENT, HELPDESKS, DeskServer, Fault, hook, signed
from benchmarks.figures import Figure, Result
from benchmarks.postgres_server import PostgresServer, binaries, postgres_server
from benchmarks.running import autokb, folder
from benchmarks.served import Served, served

MESSAGES = 5_000
AGENTS = 0.4  # share of the messages that are replies of agents
TWICE = 0.1  # share that is sent twice
MOVED = 30  # places that a message moves at most
RATE = 20.0  # webhooks a second: a day in some five minutes
SENDERS = 8
UNANSWERED = 16  # webhooks before the kill whose notes the helpdesk does not answer
LATER = 86_400.0  # seconds: replies are said after the notes stand, whatever second that was
QUESTIONS = (
    "my earbuds do not pair with my iPhone",
    "one earbud is silent",
    "the case does not charge",
    "sound cuts out during calls",
    "how do I reset the headphones",
    "noise cancelling whistles in wind",
)
PAUSE = 3_600.0  # seconds that anything here may take at most


def fault_of(number: int) -> Fault | None:
    """Return what the helpdesk does with a request that writes: some fail, some of these all the same do it."""
    faults = {
        11: Fault(500),
        29: Fault(0, does=True),
        47: Fault(429, headers={"retry-after": "1"}),
        71: Fault(502, does=True),
        83: Fault(0),
    }
    return faults.get(number % 97)


def make_day(messages: int, offered: Mapping[str, str], dice: random.Random) -> list[tuple[str, Any]]:
    """Return the webhooks of a day in the order in which they arrive, those that come twice among them."""
    now = time.time()
    replies = int(messages * AGENTS)
    day: list[tuple[float, str, Any]] = []
    for number in range(messages - replies):
        helpdesk, conversation = HELPDESKS[number % 3], str(1_000 + number)
        question = QUESTIONS[number % len(QUESTIONS)]
        asked = hook(helpdesk, str(10_000 + number), question, conversation, said=now - 60)
        place = float(dice.uniform(0, messages))
        day.append((place, helpdesk, asked))
        if number < replies:
            text = {
                "used": offered[question],
                "edited": f"Hello, {offered[question]} Tell us.",
                "rejected": "Call us.",
            }[verdict_on(conversation)]
            reply = hook(
                helpdesk, str(20_000 + number), text, conversation, agent=True, said=now + LATER + number / 1_000
            )
            day.append((place + dice.uniform(-MOVED, 2 * MOVED), helpdesk, reply))
    twice = [(place + dice.uniform(0, 3 * MOVED), *rest) for place, *rest in dice.sample(day, int(TWICE * len(day)))]
    return [(helpdesk, body) for _, helpdesk, body in sorted([*day, *twice], key=lambda one: one[0])]  # type: ignore[misc]


def verdict_on(conversation: str) -> str:
    """Return what the agent's reply in a conversation makes of the suggestion."""
    return ("used", "edited", "rejected")[int(conversation) // len(QUESTIONS) % 3]


class Sender:
    """Sends the day at its rate; what is not acknowledged is sent again, as helpdesks do."""

    def __init__(self, day: list[tuple[str, Any]]) -> None:
        self.day = day
        self.url = ""
        self.taken_at: dict[tuple[str, str], float] = {}  # by helpdesk and id: when its first delivery was acknowledged
        self.answers: Counter[str] = Counter()
        self.seconds: list[float] = []
        self.again = 0
        self._lock = threading.Lock()
        self._client = httpx2.Client(timeout=30)

    def send(self, place: int, due: float) -> None:
        """Send one webhook when it is due, until it is acknowledged."""
        helpdesk, body = self.day[place]
        time.sleep(max(0.0, due - time.monotonic()))
        data = json.dumps(body).encode()
        while True:
            started = time.perf_counter()
            try:
                found = self._client.post(
                    f"{self.url}/v1/hooks/{helpdesk}", content=data, headers=signed(helpdesk, data)
                )
                if found.status_code == 200:
                    break
            except httpx2.TransportError:
                pass
            with self._lock:
                self.again += 1
            time.sleep(1.0)
        with self._lock:
            self.seconds.append(time.perf_counter() - started)
            self.answers[found.json()["message"]] += 1
            self.taken_at.setdefault((helpdesk, id_of(helpdesk, body)), time.time())


def id_of(helpdesk: str, body: Any) -> str:
    """Return the id of a webhook's message."""
    if helpdesk == "chatwoot":
        return str(body["id"])
    if helpdesk == "zendesk":
        return str(body["event"]["comment"]["id"])
    return str(body["data"]["item"]["conversation_parts"]["conversation_parts"][0]["id"])


def run(options: argparse.Namespace) -> Result:
    """Send the day, kill the service in the middle, wait for the last note, and count: on each store that is here."""
    messages = 300 if options.quick else MESSAGES
    os.environ.update(ENVIRONMENT)
    figures = _day_on("sqlite", None, messages)
    if binaries() is not None:
        with postgres_server() as server:
            figures += _day_on("postgres", server, messages)
    return Result("helpdesk_day", figures)


def _day_on(name: str, server: PostgresServer | None, messages: int) -> list[Figure]:
    with folder() as place, DeskServer() as desk:
        workspace, store = place / "kb", ""
        autokb("init", workspace, "--domain", "headphones", "--examples")
        autokb("build", workspace)
        if server is not None:
            store = f"store: {server.url('helpdesk')}\n"
            autokb("move", workspace, "--to", server.url("helpdesk"))
        (workspace / "settings.yaml").write_text(store + desk.settings(), encoding="utf-8")
        kb = SupportKB.open(workspace)
        offered = {question: kb.suggest(question).suggestions[0].text for question in QUESTIONS}
        sender = Sender(make_day(messages, offered, random.Random(1)))
        desk.fault_of = fault_of
        killed_at = _send_all(sender, desk, workspace, kb)
        return [replace(one, name=f"{name}.{one.name}") for one in _count(messages, desk, sender, kb, killed_at)]


def _send_all(sender: Sender, desk: DeskServer, workspace: Path, kb: SupportKB) -> float:
    half = len(sender.day) // 2
    with ThreadPoolExecutor(SENDERS) as threads:
        with served(workspace, "--workers", "2") as service:
            _send_part(sender, threads, service, range(half - UNANSWERED))
            desk.hold.set()  # so that notes are under way when it is killed, and it never hears what became of them
            _send_part(sender, threads, service, range(half - UNANSWERED, half))
            desk.held.wait(PAUSE)
            killed_at = time.time()
            service.kill()
            desk.hold.clear()
        claimed = _let_claims_run_out(workspace)
        with served(workspace, "--workers", "2") as service:
            _send_part(sender, threads, service, range(half, len(sender.day)))
            end = time.monotonic() + PAUSE
            while kb.helpdesks.counts().get("open") and time.monotonic() < end:
                time.sleep(0.2)
    sender.answers["claimed when killed"] = claimed
    return killed_at


def _send_part(sender: Sender, threads: ThreadPoolExecutor, service: Served, places: range) -> None:
    sender.url, started = service.url, time.monotonic()
    list(threads.map(lambda place: sender.send(place, started + (place - places.start) / RATE), places))


def _let_claims_run_out(workspace: Path) -> int:
    """Bring the moment nearer at which the claims of the killed service end, else the day waits for it."""
    with open_workspace(workspace).file() as file, file.transaction(), file.reading() as db:
        count = "SELECT count(*) FROM hook_message WHERE state = 'open' AND due > ?"
        (claimed,) = db.execute(count, (time.time() + LEASE / 2,)).fetchone()
        db.execute("UPDATE hook_message SET due = due - ? WHERE state = 'open'", (LEASE,))
    return int(claimed)


def _count(messages: int, desk: DeskServer, sender: Sender, kb: SupportKB, killed_at: float) -> list[Figure]:
    notes = Counter((one.helpdesk, one.conversation) for one in desk.written)
    asked = {
        (helpdesk, str(int(id_of(helpdesk, body)) - 9_000))
        for helpdesk, body in sender.day
        if id_of(helpdesk, body).startswith("1")
    }
    noted_at = {(one.helpdesk, one.conversation): one.at for one in reversed(desk.written)}
    waits: dict[bool, list[float]] = {False: [], True: []}  # by whether a request of its conversation failed
    after = 0
    for (helpdesk, ident), at in sender.taken_at.items():
        conversation = (helpdesk, str(int(ident) - 9_000))
        if ident.startswith("1") and conversation in noted_at:
            wait = max(0.0, noted_at[conversation] - at)
            waits[conversation in desk.failed].append(wait)
            after += at < killed_at < noted_at[conversation]
    verdicts: Counter[str] = Counter()
    page, judged, otherwise = "", 0, 0
    while True:
        found = kb.usage.feedback(1_000, page)
        verdicts.update(one.verdict for one in found.items)
        judged += len(found.items)
        otherwise += sum(one.verdict != verdict_on(one.conversation.partition(":")[2]) for one in found.items)
        if found.next is None:
            break
        page = found.next
    states, faults = kb.helpdesks.counts(), sum(fault_of(number) is not None for number in range(1, desk.requests + 1))
    replies = int(messages * AGENTS)
    return [
        Figure("messages", float(messages), ""),
        Figure("webhooks", float(len(sender.day)), ""),
        Figure("webhooks_known", float(sender.answers["known"]), ""),
        Figure("webhooks_sent_again", float(sender.again), ""),
        Figure("failed_requests_of_the_helpdesk", float(faults), ""),
        Figure("claimed_when_killed", float(sender.answers["claimed when killed"]), ""),
        Figure("noted_after_the_kill", float(after), ""),
        Figure("notes", float(len(desk.written)), ""),
        Figure("lost", float(len(asked - set(notes))), "", at_most=0),
        Figure("twice", float(sum(count - 1 for count in notes.values())), "", at_most=0),
        Figure("failed", float(states.get("failed", 0)), "", at_most=0),
        Figure("replies", float(replies), ""),
        Figure("replies_compared", float(judged), "", at_least=replies),
        Figure("replies_judged_otherwise", float(otherwise), "", at_most=0),
        *(Figure(f"replies_{name}", float(count), "") for name, count in sorted(verdicts.items())),
        Figure("webhook_to_answer.p50", float(np.percentile(sender.seconds, 50)) * 1_000, "ms"),
        Figure("webhook_to_answer.p95", float(np.percentile(sender.seconds, 95)) * 1_000, "ms"),
        *(
            Figure(f"webhook_to_note{of}.p{p}", float(np.percentile(some, p)), "s")
            for of, some in (("", waits[False] + waits[True]), (".first_try", waits[False]))
            for p in (50, 95, 99)
        ),
    ]
