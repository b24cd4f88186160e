"""Killed services, reordered messages, many workspaces: no message is lost, and none is noted twice."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest
from benchmarks.desk_server import HELPDESKS, DeskServer, Fault, hook, signed

from autokb.app import SupportKB
from autokb.core.nouns import CUSTOMER
from autokb.plugins.helpdesks import desk as desk_module
from autokb.stores.hook_messages import HookMessage, HookWork, keep_message, refused_hooks
from autokb.stores.workspace import Workspace, open_workspace
from autokb.web.many import create_many_app
from served_process import SECONDS, wait_until
from served_process import served as served_process
from served_workspace import served, served_app

QUESTION = "my robot does not charge in the dock"
LATER = 3_600.0  # seconds: an agent's reply is said after the note stands, whatever second that was


def send(url: str, helpdesk: str, body: Any) -> str:
    data = json.dumps(body).encode()
    found = httpx2.post(f"{url}/v1/hooks/{helpdesk}", content=data, headers=signed(helpdesk, data), timeout=SECONDS)
    assert found.status_code == 200, found.text
    said: str = found.json()["message"]
    return said


def counts(workspace: Workspace) -> dict[str, int]:
    return SupportKB(workspace).helpdesks.counts()


def kill(process: Any) -> None:
    everyone = [psutil.Process(process.pid), *psutil.Process(process.pid).children(recursive=True)]
    for one in everyone:
        os.kill(one.pid, signal.SIGKILL)
    process.wait(SECONDS)
    psutil.wait_procs(everyone[1:], SECONDS)


def pass_time(workspace: Workspace, seconds: float) -> None:
    """Let the claims of who was killed run out, as if so many seconds had passed."""
    with workspace.file() as file, file.transaction(), file.reading() as db:
        db.execute("UPDATE hook_message SET due = due - ? WHERE state = 'open'", (seconds,))


@pytest.mark.slow
@pytest.mark.parametrize("is_written", [False, True])
def test_a_service_that_is_killed_between_the_answer_and_the_note_notes_once(
    desk: DeskServer, workspace: Workspace, is_written: bool
) -> None:
    desk.hold.set()
    with served_process(workspace, "--workers", "2") as (process, said):
        for number, helpdesk in enumerate(HELPDESKS):
            assert send(said["url"], helpdesk, hook(helpdesk, f"4{number}", QUESTION)) == "taken"
        assert desk.held.wait(SECONDS)  # a note is under way, and nobody will hear whether it was written
        desk.fault_of = None if is_written else lambda _number: Fault(0)
        kill(process)
        desk.hold.clear()
        wait_until(lambda: not desk.connected)
        desk.fault_of = None
    assert bool(desk.written) == is_written
    assert counts(workspace) == {"open": 3}
    pass_time(workspace, desk_module.LEASE)
    with served_process(workspace, "--workers", "2"):
        wait_until(lambda: counts(workspace) == {"done": 3})
    assert sorted(one.helpdesk for one in desk.written) == sorted(HELPDESKS)
    assert desk.refused == []


@pytest.mark.slow
def test_messages_in_any_order_and_twice_from_many_at_once_are_noted_once(
    desk: DeskServer, workspace: Workspace
) -> None:
    dice, now = random.Random(7), time.time()
    offered = SupportKB(workspace).suggest(QUESTION).suggestions[0]
    sent = []
    for number in range(8):
        for helpdesk in HELPDESKS:
            conversation = str(100 + number)
            sent.append((helpdesk, hook(helpdesk, f"1{number}", QUESTION, conversation, said=now - 60)))
            reply = hook(helpdesk, f"2{number}", offered.text, conversation, agent=True, said=now + LATER)
            sent.append((helpdesk, reply))
    sent += dice.sample(sent, 16)
    dice.shuffle(sent)
    desk.fault_of = lambda number: {3: Fault(0, does=True), 4: Fault(500), 5: Fault(503, does=True)}.get(number % 11)
    with served_process(workspace, "--workers", "2") as (_, said), ThreadPoolExecutor(4) as threads:
        found = Counter(threads.map(lambda one: send(said["url"], *one), sent))
        assert found == {"taken": 48, "known": 16}
        wait_until(lambda: counts(workspace) == {"done": 48})
    notes = Counter((one.helpdesk, one.conversation) for one in desk.written)
    assert len(notes) == 24 and set(notes.values()) == {1}
    feedback = SupportKB(workspace).usage.feedback(1_000).items
    assert Counter(one.verdict for one in feedback) == {"used": 24}
    assert len({one.conversation for one in feedback}) == 24


def test_a_message_is_read_with_what_was_said_before_it_by_its_own_moment(
    desk: DeskServer, workspace: Workspace
) -> None:
    heard: list[list[str]] = []
    kb, now = SupportKB(workspace), time.time()
    real = kb.helpdesks._desk._suggest

    def listening(messages: Any, *, conversation: str) -> Any:
        assert conversation == "zendesk:1"
        heard.append([f"{one.role}: {one.text}" for one in messages])
        return real(messages, conversation=conversation)

    kb.helpdesks._desk._suggest = listening  # type: ignore[assignment]
    for body in (
        hook("zendesk", "13", "and now it does not charge", said=now - 10),
        hook("zendesk", "12", "Which robot is it?", agent=True, said=now - 20),
        hook("zendesk", "11", QUESTION, said=now - 30),
        hook("zendesk", "14", "later", said=now - 5),
    ):
        data = json.dumps(body).encode()
        assert kb.helpdesks.take("zendesk", signed("zendesk", data), data) == "taken"
    while len(heard) < 3:
        kb.helpdesks.work()
    kb.helpdesks.close()
    whole = [f"customer: {QUESTION}", "agent: Which robot is it?", "customer: and now it does not charge"]
    assert sorted(heard, key=len) == [whole[:1], whole, [*whole, "customer: later"]]


def test_a_reply_that_was_written_before_the_note_stood_says_nothing_of_it(
    desk: DeskServer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk_module, "REPLY_WAITS", 0.0)
    now = time.time()
    with served(workspace.folder) as url:
        send(url, "chatwoot", hook("chatwoot", "2", "Please call us.", agent=True, said=now - 20))
        wait_until(lambda: counts(workspace) == {"done": 1})
        send(url, "chatwoot", hook("chatwoot", "1", QUESTION, said=now - 30))
        wait_until(lambda: counts(workspace) == {"done": 2})
        for ident, text in (("3", "Please call us."), ("4", "Are you there?")):
            send(url, "chatwoot", hook("chatwoot", ident, text, agent=True, said=now + LATER + int(ident)))
            wait_until(lambda: "open" not in counts(workspace))
    (feedback,) = SupportKB(workspace).usage.feedback().items
    assert (feedback.verdict, feedback.text) == ("rejected", "Please call us.")
    assert len(desk.written) == 1


def test_what_cannot_be_written_for_a_day_is_given_up_and_what_is_old_is_forgotten(
    desk: DeskServer, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb, now = SupportKB(workspace), time.time()
    monkeypatch.setattr(desk_module, "FIRST_PAUSE", 3_600.0)  # so that the first is not due again, however slow we are
    monkeypatch.delenv("AUTOKB_ZENDESK_TOKEN")

    def keep(ident: str, arrived: float, state: Any = "open") -> None:
        message = HookMessage(
            "zendesk", ident, "1", CUSTOMER, arrived, HookWork(QUESTION, arrived=arrived), state, due=arrived
        )
        with workspace.file() as file, file.transaction():
            assert keep_message(file, message) and not keep_message(file, message)

    keep("1", now)
    first = kb.helpdesks.work()
    assert first.became == "postponed" and "AUTOKB_ZENDESK_TOKEN" in first.why
    assert counts(workspace) == {"open": 1} and (kb.helpdesks.work().wait or 0) > 0
    keep("2", now - desk_module.GIVE_UP - 1)
    given_up = kb.helpdesks.work()
    assert given_up.became == "failed" and given_up.why.startswith("Given up after a day")
    keep("3", now - desk_module.KEPT_SECONDS - 1, "done")
    kb.helpdesks._desk._forgot_at = 0.0
    kb.helpdesks.work()
    assert counts(workspace) == {"open": 1, "failed": 1}
    old = json.dumps(hook("zendesk", "3", QUESTION, said=now - desk_module.KEPT_SECONDS)).encode()
    assert kb.helpdesks.take("zendesk", signed("zendesk", old), old) == "skipped"


def test_a_lost_claim_writes_nothing(desk: DeskServer, workspace: Workspace) -> None:
    kb = SupportKB(workspace)
    data = json.dumps(hook("intercom", "1", QUESTION)).encode()
    kb.helpdesks.take("intercom", signed("intercom", data), data)
    real = kb.helpdesks._desk._suggest

    def slow(messages: Any, *, conversation: str) -> Any:
        found = real(messages, conversation=conversation)
        pass_time(workspace, desk_module.LEASE)  # it took longer than its claim lasts
        other = SupportKB(workspace)
        assert other.helpdesks.work().became == "noted"
        other.helpdesks.close()
        return found

    kb.helpdesks._desk._suggest = slow  # type: ignore[assignment]
    assert kb.helpdesks.work().became == "postponed"
    kb.helpdesks.close()
    assert len(desk.written) == 1 and counts(workspace) == {"done": 1}


def test_workers_at_once_claim_each_message_once(desk: DeskServer, workspace: Workspace) -> None:
    kb = SupportKB(workspace)
    for number in range(30):
        data = json.dumps(hook("intercom", str(number), QUESTION, str(number))).encode()
        kb.helpdesks.take("intercom", signed("intercom", data), data)
    begun = threading.Barrier(4)

    def work(_number: int) -> None:
        with closing(kb.helpdesks):
            begun.wait()
            while counts(workspace) != {"done": 30}:
                kb.helpdesks.work()

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert sorted(one.conversation for one in desk.written) == sorted(map(str, range(30)))


@pytest.mark.slow
def test_each_of_many_workspaces_has_helpdesks_of_its_own_and_none_tells_that_it_is_there(
    desk: DeskServer, hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for name in ("alpha", "beta", "gamma"):
        shutil.copytree(hand_made.folder, folder / name)
    monkeypatch.setenv("ALPHAS_SECRET", "alpha's own")
    own = f"helpdesks:\n  intercom: {{url: '{desk.url}', admin: 99, secret_env: ALPHAS_SECRET}}\n"
    (folder / "alpha" / "settings.yaml").write_text(own, encoding="utf-8")
    (folder / "gamma" / "settings.yaml").write_text(desk.settings(), encoding="utf-8")
    kept = HookMessage("intercom", "9", "9", CUSTOMER, time.time(), HookWork(QUESTION, arrived=time.time()))
    gamma = open_workspace(folder / "gamma")
    with gamma.file() as file, file.transaction():
        keep_message(file, kept)  # which a service that was killed has left
    with served_app(create_many_app(folder)) as url, httpx2.Client(timeout=SECONDS) as client:
        wait_until(lambda: [one.conversation for one in desk.written] == ["9"])
        data = json.dumps(hook("intercom", "1", QUESTION)).encode()
        found = [
            client.post(f"{url}/w/{name}/v1/hooks/{helpdesk}", content=data, headers=signed("intercom", data))
            for name in ("alpha", "beta", "nothing")
            for helpdesk in ("intercom", "zendesk", "freshdesk")
        ]
        seen = {
            (one.status_code, one.text, tuple(sorted((k, v) for k, v in one.headers.items() if k != "date")))
            for one in found
        }
        assert len(seen) == 1 and found[0].status_code == 401

        def refused() -> list[tuple[str, str, int]]:
            with open_workspace(folder / "alpha").file() as file:
                return [(one.helpdesk, one.reason, one.count) for one in refused_hooks(file, time.time())]

        no_such = ("zendesk", "the settings name no such helpdesk", 1)  # what is stored whoever else wakes the threads
        wait_until(lambda: refused() == [("intercom", "its signature is not of this secret", 1), no_such])
        headers = signed("intercom", data, "alpha's own")
        taken = client.post(f"{url}/w/alpha/v1/hooks/intercom", content=data, headers=headers)
        assert taken.json() == {"message": "taken"}
        wait_until(lambda: len(desk.written) == 2)
        figures = client.get(f"{url}/metrics").text
        wanted = 'autokb_helpdesk_messages_total{done="noted",helpdesk="intercom",workspace="alpha"} 1.0'
        wait_until(lambda: wanted in client.get(f"{url}/metrics").text)
        assert 'done="taken",helpdesk="intercom",workspace="beta"' not in figures
