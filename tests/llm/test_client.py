"""The client: never twice, on disk first, retries that help, one flight a request, budgets, many at once."""

from __future__ import annotations

import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

import anyio
import pytest

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import (
    AwaitedError,
    BudgetReachedError,
    ModelReply,
    ModelRequest,
    PromptTurn,
    SendError,
)
from autokb.llm.budget import PER_USD, Budget
from autokb.llm.client import Counts, ModelClient, Tag
from autokb.llm.prices import Prices
from autokb.stores.ledger_table import LedgerTable, spending
from autokb.stores.workspace_file import WorkspaceFile

TAG = Tag("trees", "issues/grow_tree", ("i1",))
PRICES = Prices({"openai:m": {"input": 1.0, "output": 10.0}})
REPLY = ModelReply('{"a":1}', 1000, 100)  # costs 0.002 USD
LOST = SendError("no reply", retry=True, billed="perhaps")
BUSY = SendError("HTTP 500", retry=True)
REJECTED = SendError("HTTP 400", retry=False)
REFUSED = SendError("OPENAI_API_KEY was refused", retry=False, fatal=True)


def request(text: str = "hello", max_tokens: int = 100) -> ModelRequest:
    return ModelRequest("openai:m", (PromptTurn("user", text),), {}, "room", max_tokens)


class Script:
    """A sender that replies what it was told, one after the other, then always REPLY; it notes what it was sent."""

    def __init__(self, *steps: ModelReply | Exception) -> None:
        self.steps = list(steps)
        self.sent: list[ModelRequest] = []
        self.before: Callable[[], Awaitable[None]] | None = None
        self.closed = 0

    async def send(self, request: ModelRequest) -> ModelReply:
        self.sent.append(request)
        step = self.steps.pop(0) if self.steps else REPLY
        if self.before is not None:
            await self.before()
        await anyio.sleep(0)
        if isinstance(step, Exception):
            raise step
        return step

    async def close(self) -> None:
        self.closed += 1


class Here:
    """A client over a real workspace file; ``pauses`` are the seconds that it wanted to wait."""

    def __init__(
        self, path: Path, sender: Script, budget: float | None = None, retries: int = 3, at_once: int = 8
    ) -> None:
        self.path = path
        self.file = WorkspaceFile(path, create=True)
        self.ledger = LedgerTable(self.file)
        self.budget = None if budget is None else Budget(budget)
        self.pauses: list[float] = []
        self.client = ModelClient(self.ledger, lambda _m: sender, PRICES, self.budget, at_once, retries, self._pause)

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        await anyio.sleep(0)

    def ask(self, *requests: ModelRequest) -> list[ModelReply | Exception]:
        jobs = [partial(self.client.ask, one, TAG) for one in requests]
        return self.many(jobs)

    def many(self, jobs: Sequence[Callable[[], Awaitable[ModelReply]]]) -> list[ModelReply | Exception]:
        return anyio.run(self.client.run_many, jobs)

    def states(self) -> list[tuple[str, int]]:
        rows = self.file._db.execute("SELECT state, calls FROM request ORDER BY number")
        return [(state, calls) for state, calls in rows]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge.db"


def test_a_request_that_was_paid_for_is_never_sent_again(path: Path) -> None:
    sender = Script()
    here = Here(path, sender)
    assert here.ask(request()) == [REPLY]
    again = Here(path, sender)
    assert again.ask(request()) == [REPLY]
    assert len(sender.sent) == 1
    assert here.client.counts == Counts(1, 0, 1000, 100, 0.002)
    assert again.client.counts == Counts(0, 1, 0, 0, 0.0)
    assert again.client.by_task == {("trees", "issues/grow_tree"): Counts(0, 1, 0, 0, 0.0)}
    assert spending(here.file) == [("trees", "issues/grow_tree", 1, 1000, 100, 0.002, 0)]


def test_a_reply_is_on_disk_before_it_is_returned(path: Path) -> None:
    here = Here(path, Script())
    seen: list[int] = []

    async def ask() -> ModelReply:
        reply = await here.client.ask(request(), TAG)
        other = sqlite3.connect(path)
        seen.extend(
            other.execute("SELECT count(*) FROM request WHERE state = 'paid' AND text = ?", (reply.text,)).fetchone()
        )
        other.close()
        return reply

    here.many([ask])
    assert seen == [1]


def test_an_unreadable_reply_makes_the_next_request_another_attempt(path: Path) -> None:
    sender = Script()
    here = Here(path, sender)
    here.ask(request())
    here.ledger.settle([request().key], False)
    here.ask(request())
    assert [one.attempt for one in sender.sent] == [0, 1]
    assert here.states() == [("unreadable", 1), ("paid", 1)]
    here.ask(request())
    assert len(sender.sent) == 2


def test_the_same_request_twice_at_once_is_sent_once(path: Path) -> None:
    sender = Script()
    here = Here(path, sender)
    assert here.ask(request(), request(), request()) == [REPLY] * 3
    assert (len(sender.sent), here.client.counts.calls, here.client.counts.cached) == (1, 1, 2)


def test_who_waits_for_a_request_that_fails_is_told_the_same(path: Path) -> None:
    sender = Script(REJECTED)
    assert Here(path, sender).ask(request(), request()) == [REJECTED, REJECTED]
    assert len(sender.sent) == 1


@pytest.mark.parametrize(
    ("steps", "calls", "cost"),
    [
        ([BUSY], 2, 0.002),
        ([BUSY, BUSY, BUSY], 4, 0.002),
        ([LOST], 2, 0.002 + 0.001007),  # what it can have cost: 7 bytes read, 100 tokens written
    ],
)
def test_what_a_retry_helps_is_sent_again(path: Path, steps: list[Exception], calls: int, cost: float) -> None:
    here = Here(path, Script(*steps))
    assert here.ask(request()) == [REPLY]
    assert here.client.counts.calls == calls
    assert here.client.counts.cost == pytest.approx(cost)
    assert spending(here.file)[0][2:5] == (calls, 1000, 100)
    assert spending(here.file)[0][5] == pytest.approx(cost)
    assert here.states() == [("paid", calls)]


def test_retries_end(path: Path) -> None:
    sender = Script(*[BUSY] * 9)
    here = Here(path, sender)
    assert here.ask(request()) == [BUSY]
    assert len(sender.sent) == 4
    assert here.states() == [("failed", 4)]


def test_what_no_retry_helps_is_sent_once(path: Path) -> None:
    sender = Script(REJECTED)
    here = Here(path, sender)
    assert here.ask(request()) == [REJECTED]
    assert (len(sender.sent), here.pauses) == (1, [])


def test_pauses_grow_and_retry_after_is_obeyed_within_bounds(path: Path) -> None:
    steps = [
        BUSY,
        BUSY,
        BUSY,
        SendError("429", retry=True, retry_after=7),
        SendError("429", retry=True, retry_after=9999),
    ]
    here = Here(path, Script(*steps), retries=9)
    here.ask(request())
    bounds = [(0.25, 0.75), (0.5, 1.5), (1, 3), (7, 7.5), (60, 60.5)]
    assert [low <= p <= high for p, (low, high) in zip(here.pauses, bounds, strict=True)] == [True] * 5


def test_a_fatal_error_ends_everything_at_once(path: Path) -> None:
    sender = Script(REPLY, REFUSED)
    here = Here(path, sender, at_once=1)
    with pytest.raises(BadInputError, match="OPENAI_API_KEY was refused"):
        here.ask(*(request(str(n)) for n in range(9)))
    assert len(sender.sent) == 2
    assert here.states() == [("paid", 1), ("failed", 1)]


def test_failures_come_back_beside_what_was_done(path: Path) -> None:
    here = Here(path, Script(REPLY, REJECTED, REPLY), at_once=1)
    assert here.ask(request("1"), request("2"), request("3")) == [REPLY, REJECTED, REPLY]


def test_never_more_at_once_than_allowed(path: Path) -> None:
    sender = Script()
    now, most, full = [0], [0], anyio.Event()

    async def before() -> None:
        now[0] += 1
        most[0] = max(most[0], now[0])
        if most == [5]:
            full.set()
        with anyio.fail_after(60):
            await full.wait()
        await anyio.sleep(0.001)
        now[0] -= 1

    sender.before = before
    here = Here(path, sender, at_once=5)
    assert here.ask(*(request(str(n)) for n in range(40))) == [REPLY] * 40
    assert most == [5]


def test_many_at_once_are_all_kept_once(path: Path) -> None:
    here = Here(path, Script(), at_once=64)
    assert here.ask(*(request(str(n)) for n in range(300))) == [REPLY] * 300
    assert here.states() == [("paid", 1)] * 300


def test_no_jobs_are_no_error(path: Path) -> None:
    assert Here(path, Script()).many([]) == []


def test_a_full_disk_ends_the_run(path: Path) -> None:
    here = Here(path, Script(ModelReply("x" * 10**6, 1, 1)))
    pages = here.file._db.execute("PRAGMA page_count").fetchone()[0]
    here.file._db.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(AutokbError, match="free some disk space"):
        here.ask(*(request(str(n)) for n in range(9)))


def test_cancelling_keeps_what_has_arrived(path: Path) -> None:
    sender = Script()
    here = Here(path, sender)

    async def main() -> None:
        async with anyio.create_task_group() as group:
            arrived = anyio.Event()

            async def before() -> None:
                if len(sender.sent) == 3:
                    arrived.set()
                    await anyio.sleep_forever()

            sender.before = before
            jobs = [partial(here.client.ask, request(str(n)), TAG) for n in range(9)]
            group.start_soon(here.client.run_many, jobs)
            await arrived.wait()
            group.cancel_scope.cancel()

    anyio.run(main)
    assert [state for state, _ in here.states()].count("paid") >= 2
    assert set(here.states()) == {("paid", 1), ("sent", 1)}


def test_a_request_of_a_batch_is_noted_with_what_it_is_for(path: Path) -> None:
    here = Here(path, Script(AwaitedError("later")))
    (found,) = here.ask(request())
    assert isinstance(found, AwaitedError)
    assert here.states() == [("awaited", 0)]
    assert here.ledger.open_groups("issues/grow_tree") == [("i1",)]
    assert here.client.counts == Counts(0, 0, 0, 0, 0.0)


def test_an_unknown_price_is_no_cost_of_0(path: Path) -> None:
    here = Here(path, Script())
    unknown = ModelRequest("openai:unknown-name", (PromptTurn("user", "x"),), {}, "room", 10)
    here.ask(unknown)
    assert here.client.counts.cost is None
    assert spending(here.file)[0][5] is None


def test_senders_are_closed(path: Path) -> None:
    sender = Script()
    here = Here(path, sender)

    async def main() -> None:
        await here.client.ask(request(), TAG)
        await here.client.close()

    anyio.run(main)
    assert sender.closed == 1


MOST = 0.001007  # 7 bytes of input and 100 tokens of output


def test_a_budget_is_never_passed_and_stops_what_does_not_fit(path: Path) -> None:
    cheap = ModelReply("{}", 5, 50)  # 0.000505 USD
    sender = Script(*[cheap] * 9)
    here = Here(path, sender, budget=0.0025, at_once=1)
    found = here.ask(*(request(f"hell{n}") for n in range(9)))
    # Three times 0.000505 are spent, and 0.001007 fits no more.
    assert [type(one) for one in found] == [ModelReply] * 3 + [BudgetReachedError] * 6
    assert len(sender.sent) == 3
    assert here.budget is not None
    assert here.budget.spent == pytest.approx(3 * 0.000505)


def test_a_request_waits_for_those_in_flight_that_may_give_back_what_they_reserved(path: Path) -> None:
    cheap = ModelReply("{}", 5, 1)  # 0.000015 USD
    sender = Script(*[cheap] * 9)
    here = Here(path, sender, budget=2.5 * MOST, at_once=9)
    assert here.ask(*(request(f"hell{n}") for n in range(9))) == [cheap] * 9
    assert here.budget is not None
    assert not here.budget.in_flight


def test_reservations_of_requests_in_flight_never_pass_the_budget(path: Path) -> None:
    sender = Script(*[REPLY] * 99)
    here = Here(path, sender, budget=5 * MOST, at_once=64)
    worst: list[float] = []

    async def before() -> None:
        assert here.budget is not None
        worst.append(here.budget.spent + sum(here.budget._reserved.values()) / PER_USD)

    sender.before = before
    here.ask(*(request(f"hell{n}") for n in range(64)))
    assert max(worst) <= 5 * MOST


def test_what_timed_out_keeps_its_reservation(path: Path) -> None:
    here = Here(path, Script(LOST, LOST, LOST, LOST), budget=2.5 * MOST)
    (found,) = here.ask(request("hello"))
    assert isinstance(found, BudgetReachedError)
    assert here.states() == [("failed", 2)]
    assert here.budget is not None
    assert here.budget.spent == pytest.approx(2 * MOST)


def test_a_refusal_before_anything_was_made_gives_its_reservation_back(path: Path) -> None:
    here = Here(path, Script(BUSY, BUSY), budget=1.5 * MOST)
    cheap = here.ask(request("hello"))
    assert cheap == [REPLY]


def test_a_budget_without_a_price_is_refused(path: Path) -> None:
    here = Here(path, Script(), budget=1.0)
    with pytest.raises(BadInputError, match="price of openai:unknown-name is not known"):
        here.ask(ModelRequest("openai:unknown-name", (PromptTurn("user", "x"),), {}, "room", 10))


def test_no_job_is_started_once_the_budget_is_reached(path: Path) -> None:
    sender = Script()
    here = Here(path, sender, budget=0.0001, at_once=2)
    started: list[int] = []

    async def job(number: int) -> ModelReply:
        started.append(number)
        return await here.client.ask(request(str(number)), TAG)

    found = here.many([partial(job, n) for n in range(9)])
    assert [type(one) for one in found] == [BudgetReachedError] * 9
    assert len(started) <= 2
    assert sender.sent == []
