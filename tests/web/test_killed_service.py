"""kill -9 under load: what the service acknowledged is there when it is started again."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import httpx2
import psutil
import pytest

from autokb.app import SupportKB
from autokb.stores.workspace import Workspace
from served_process import SECONDS, served

SENT = 30  # acknowledged answers before it is killed


@pytest.mark.slow
def test_what_was_acknowledged_before_it_was_killed_is_there_after_it_was_started_again(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    solutions = [one.id for one in kb.views.solutions().items if one.status in ("displayed", "repaired")]
    feedback: list[tuple[str, str]] = []
    verdicts: list[str] = []
    sent, judged = threading.Event(), threading.Event()

    def send_feedback(client: httpx2.Client, number: int) -> None:
        for count in range(10_000):
            query = f"question {count} of {number}"
            answer = client.post("/v1/feedback", json={"query": query, "verdict": "helpful"})
            assert answer.status_code == 200
            feedback.append((answer.json()["id"], query))
            if len(feedback) >= SENT:
                sent.set()

    def judge(client: httpx2.Client, _number: int) -> None:
        for count in range(10_000):
            verb = ("approve", "hide")[count // len(solutions) % 2]
            solution = solutions[count % len(solutions)]
            answer = client.post(f"/v1/solutions/{solution}/{verb}")
            assert answer.status_code == 200
            verdicts.append(f"{solution} {answer.json()['verdict']}")
            judged.set()

    def until_killed(work: Callable[[httpx2.Client, int], None], url: str, number: int) -> None:
        try:
            with httpx2.Client(base_url=url, timeout=SECONDS) as client:
                work(client, number)
        except httpx2.TransportError:
            pass  # it was killed

    with served(hand_made, "--workers", "2") as (process, said):
        assert httpx2.get(f"{said['url']}/v1/ready", timeout=SECONDS).status_code == 200
        working = [(send_feedback, 0), (send_feedback, 1), (judge, 2)]
        threads = [threading.Thread(target=until_killed, args=(w, said["url"], n)) for w, n in working]
        for thread in threads:
            thread.start()
        assert sent.wait(SECONDS) and judged.wait(SECONDS)
        everyone = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
        for one in everyone:
            os.kill(one.pid, signal.SIGKILL)
        for thread in threads:
            thread.join(SECONDS)
        psutil.wait_procs(everyone[1:], SECONDS)
        port = str(said["port"])

    with (
        served(hand_made, "--port", port) as (_, again),
        httpx2.Client(base_url=again["url"], timeout=SECONDS) as client,
    ):
        assert again["port"] == int(port) and client.get("/v1/ready").status_code == 200
        listed = {one["id"]: one["query"] for one in client.get("/v1/feedback", params={"limit": 1000}).json()["items"]}
        assert len(feedback) >= SENT and {*feedback} <= {*listed.items()}
        last = dict(one.split(" ") for one in verdicts)
        for solution, verdict in last.items():
            found = client.get(f"/v1/solutions/{solution}").json()["verdict"]
            under_way = solutions[len(verdicts) % len(solutions)]  # whose next verdict may be there without an answer
            assert found == verdict or (solution == under_way and found in ("approved", "hidden"))
