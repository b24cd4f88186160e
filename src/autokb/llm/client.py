"""The one client of models: ledger, budget, retries and limits around whatever sends the request."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import anyio
import anyio.to_thread

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ledger import Ledger, Paid
from autokb.core.model_requests import (
    AwaitedError,
    BudgetReachedError,
    EmbeddingReply,
    EmbeddingRequest,
    ModelReply,
    ModelRequest,
    SendError,
)
from autokb.core.vectors import Vectors
from autokb.llm.budget import Budget
from autokb.llm.caps import Caps, usual_limits, was_cut
from autokb.llm.commits import Commits
from autokb.llm.prices import Price, Prices
from autokb.llm.sender import EmbeddingSender, Sender

T = TypeVar("T")

FIRST_PAUSE = 0.5  # seconds before the first retry; each further one waits twice as long
LONGEST_PAUSE = 30.0  # seconds
UNREACHED_RETRIES = 2  # while a server was never reached: some two seconds, then it is down and not only busy
LONGEST_RETRY_AFTER = 60.0  # seconds that a provider's retry-after can make us wait at most


@dataclass(frozen=True, slots=True)
class Tag:
    """What a request is for: its stage, its task and the keys of its items."""

    stage: str
    task: str
    items: tuple[str, ...] = ()


@dataclass
class Counts:
    """What was asked in this run; a cost of None holds a price that is unknown."""

    calls: int = 0
    cached: int = 0
    input: int = 0
    output: int = 0
    cost: float | None = 0.0
    reasoning: int = 0  # hidden, part of the output

    def add(self, row: Paid) -> None:
        """Count one attempt."""
        self.calls += row.calls
        self.cost = None if self.cost is None or row.cost is None else self.cost + row.cost
        if row.reply is not None:
            self.input += row.reply.input_tokens
            self.output += row.reply.output_tokens
            self.reasoning += row.reply.reasoning_tokens


@dataclass
class _Flight:
    """A request that is under way, for whoever else wants the same."""

    landed: anyio.Event = field(default_factory=anyio.Event)
    reply: ModelReply | EmbeddingReply | None = None
    error: Exception | None = None


@dataclass(eq=False)
class ModelClient:
    """Asks models, never twice for the same; use it inside one event loop at a time and ``close`` it there."""

    ledger: Ledger
    open_sender: Callable[[str], Sender]
    prices: Prices
    budget: Budget | None = None
    concurrency: int = 8
    retries: int = 5
    pause: Callable[[float], Awaitable[None]] = anyio.sleep
    embedding_sender: EmbeddingSender | None = None
    sends_at_once: bool = True  # else requests are noted for a batch, and none is ever in flight
    caps: Caps | None = None
    counts: Counts = field(default_factory=Counts, init=False)  # of the whole run
    by_task: dict[tuple[str, str], Counts] = field(default_factory=dict, init=False)  # by stage and task
    # Seeded by the system: processes that failed together do not wait alike.
    _dice: random.Random = field(default_factory=random.Random, init=False)
    _senders: dict[str, Sender] = field(default_factory=dict, init=False)
    _flights: dict[str, _Flight] = field(default_factory=dict, init=False)
    # By model, whether its server was reached; where False, requests gave up.
    _reached: dict[str, bool] = field(default_factory=dict, init=False)
    _freed: anyio.Event | None = field(default=None, init=False)  # set when a reservation of the budget is settled

    def __post_init__(self) -> None:
        self._commits = Commits(self.ledger)
        self._caps = self.caps or Caps(self.ledger, usual_limits)

    async def ask(self, request: ModelRequest, tag: Tag) -> ModelReply:
        """Return the reply to a request: from the ledger, else paid for, and on disk before it is returned.

        A reply that was cut off is asked for once more with a raised cap. Raises SendError when no retry helped, among
        them CutOffError when no cap is left, AwaitedError when the reply comes with a batch, BudgetReachedError, and
        BadInputError when no other request would fare better.
        """
        base_key = request.base_key
        settled: set[str] = set()
        while True:
            request = request.tried_again(self.ledger.unreadable([base_key]).get(base_key, 0))
            reply = await self._landed(request.key) or self.ledger.replies([request.key]).get(request.key)
            is_new = reply is None
            if reply is None:
                request = self._caps.with_cap(request, tag.task)
                reply = await self._fly(request, tag)
                self._caps.note(request, reply)
            assert isinstance(reply, ModelReply)
            if not was_cut(reply) or request.key in settled:  # twice the same: a ledger that nobody can write
                if not is_new:
                    for counts in (self.counts, self._counts_of(tag.stage, tag.task)):
                        counts.cached += 1
                return reply
            if not is_new:
                settled.add(request.key)
            await anyio.to_thread.run_sync(self.ledger.settle, [request.key], False)
            self._caps.read_again()

    async def embed(self, request: EmbeddingRequest, tag: Tag, *, keep: bool = True) -> Vectors:
        """Return the vectors of a request's texts, on disk with its row of the ledger before they are returned.

        Whoever asks looks first for vectors that are there: this always pays. Without ``keep`` only the row stays.
        Raises as ``ask`` does.
        """
        reply = await self._landed(request.key) or await self._fly(request, tag, keep=keep)
        assert isinstance(reply, EmbeddingReply)
        return reply.vectors

    async def run_many(self, jobs: Sequence[Callable[[], Awaitable[T]]]) -> list[T | Exception]:
        """Run jobs at once, at most ``concurrency``, and give each one's result or its exception, in their order.

        Once the budget is reached no job is started; those that were not have BudgetReachedError for a result. An
        AutokbError (a key that is refused, a full disk) cancels the others and is raised.
        """
        found: list[T | Exception] = [AssertionError("never started")] * len(jobs)
        waiting = iter(enumerate(jobs))
        ended: list[AutokbError] = []
        reached: list[BudgetReachedError] = []

        async def work() -> None:
            for position, job in waiting:
                try:
                    found[position] = reached[0] if reached else await job()
                except AutokbError as error:
                    ended.append(error)
                    group.cancel_scope.cancel()
                    return
                except Exception as error:  # one job's failure is given back beside what was done
                    found[position] = error
                    if isinstance(error, BudgetReachedError):
                        reached.append(error)

        async with anyio.create_task_group() as group:
            for _ in range(min(self.concurrency, len(jobs))):
                group.start_soon(work)
        if ended:
            raise ended[0]
        return found

    async def connect(self, models: Sequence[str]) -> None:
        """Load what models are asked with, and connect to their servers; a request says what fails."""
        for model in models:
            await self._sender(model).connect()

    def _sender(self, model: str) -> Sender:
        if model not in self._senders:
            self._senders[model] = self.open_sender(model)
        return self._senders[model]

    async def close(self) -> None:
        """Close the connections."""
        senders, self._senders = self._senders, {}
        for sender in {id(s): s for s in senders.values()}.values():
            await sender.close()
        if self.embedding_sender is not None:
            await self.embedding_sender.close()

    def _counts_of(self, stage: str, task: str) -> Counts:
        return self.by_task.setdefault((stage, task), Counts())

    async def _landed(self, key: str) -> ModelReply | EmbeddingReply | None:
        """Wait for a flight of the same request, if there is one, and return what it brought."""
        while (flight := self._flights.get(key)) is not None:
            await flight.landed.wait()
            if flight.error is not None:
                raise flight.error
            if flight.reply is not None:
                return flight.reply
        return None

    async def _fly(
        self, request: ModelRequest | EmbeddingRequest, tag: Tag, *, keep: bool = True
    ) -> ModelReply | EmbeddingReply:
        """Send a request; whoever asks for the same meanwhile gets what it brings."""
        row = Paid(
            key=request.key,
            base_key=request.base_key,
            stage=tag.stage,
            task=tag.task,
            model=request.model,
            items=tag.items,
            state="failed",
            reply=None,
            cost=0.0,
        )
        row = replace(row, cap=request.most_output)
        flight = self._flights[row.key] = _Flight()
        try:
            flight.reply = await self._retried(request, row, keep)
            return flight.reply
        except Exception as error:
            flight.error = error
            raise
        finally:
            del self._flights[row.key]
            flight.landed.set()

    async def _retried(
        self, request: ModelRequest | EmbeddingRequest, row: Paid, keep: bool
    ) -> ModelReply | EmbeddingReply:
        price = self.prices.of(request.model)
        failures = 0
        while True:
            try:
                brought = await self._attempt(request, row, keep, price)
                self._reached[request.model] = True
                return brought
            except SendError as error:
                if error.fatal:
                    raise BadInputError(str(error)) from None
                failures += 1
                if not error.retry or failures > self._most_retries(request.model, error):
                    self._reached.setdefault(request.model, False)
                    raise
                wait = self._wait(failures, error.retry_after)
            await self.pause(wait)

    def _most_retries(self, model: str, error: SendError) -> int:
        """Return how often a request is sent again: a server that nobody reached in this run is soon given up."""
        if not error.unreached:
            self._reached[model] = True
        if self._reached.get(model):
            return self.retries
        return 0 if model in self._reached else min(UNREACHED_RETRIES, self.retries)

    def _wait(self, failures: int, retry_after: float | None) -> float:
        """Return the seconds before the next try, never the same for all that failed together."""
        jitter = self._dice.random()
        if retry_after is not None:
            return min(max(retry_after, 0.0), LONGEST_RETRY_AFTER) + jitter * FIRST_PAUSE
        return min(FIRST_PAUSE * 2.0 ** (failures - 1), LONGEST_PAUSE) * (0.5 + jitter)

    async def _attempt(
        self, request: ModelRequest | EmbeddingRequest, row: Paid, keep: bool, price: Price | None
    ) -> ModelReply | EmbeddingReply:
        """Send once, with the most that it can cost set aside, and keep what it brought, be it only the attempt."""
        most = None if price is None else price.most(request)
        reservation = await self._reserve(request.model, most)
        spent = most or 0.0  # unless we learn better: a request that is cancelled may have been paid for
        try:
            if self.sends_at_once or isinstance(request, EmbeddingRequest):
                # On the disk before it is sent: a process that is killed must not hide what it may have spent.
                booked = ModelReply("", request.size, request.most_output)
                await self._commits.keep(replace(row, state="sent", reply=booked, cost=most))
            brought, paid = await self._send(request, row, keep, price)
            spent = paid.cost or 0.0
            await self._keep(paid)
            return brought
        except AwaitedError:
            spent = 0.0 if price is None else price.most(request, batch=True)
            await self._keep(replace(row, state="awaited", calls=0))
            raise
        except SendError as error:
            lost = most if error.billed == "perhaps" else 0.0
            spent = lost or 0.0
            await self._keep(replace(row, cost=lost))
            raise
        finally:
            self._settle(reservation, spent)

    async def _send(
        self, request: ModelRequest | EmbeddingRequest, row: Paid, keep: bool, price: Price | None
    ) -> tuple[ModelReply | EmbeddingReply, Paid]:
        """Return what a request brought, and the row that says so with what it cost."""
        if isinstance(request, EmbeddingRequest):
            assert self.embedding_sender is not None
            vectors = await self.embedding_sender.send(request)
            cost = None if price is None else price.cost(vectors.tokens, 0)
            kept = (request, vectors.vectors) if keep else None
            counted = ModelReply("", vectors.tokens, 0)
            return vectors, replace(row, state="read", reply=counted, cost=cost, vectors=kept)
        reply = await self._sender(request.model).send(request)
        cost = None if price is None else price.cost(reply.input_tokens, reply.output_tokens, reply.cached_tokens)
        return reply, replace(row, state="paid", reply=reply, cost=cost)

    async def _keep(self, row: Paid) -> None:
        """Count one attempt and put it on the disk."""
        for counts in (self.counts, self._counts_of(row.stage, row.task)):
            counts.add(row)
        await self._commits.keep(row)

    async def _reserve(self, model: str, most: float | None) -> int | None:
        """Wait until a request fits into the budget; BudgetReachedError when it never will."""
        if (budget := self.budget) is None:
            return None
        if most is None:
            raise BadInputError(f"The price of {model} is not known, so a budget cannot be kept.")
        while (reservation := budget.reserve(most)) is None:
            if not budget.in_flight or not budget.can_ever_fit(most):
                raise BudgetReachedError(
                    f"The budget of {budget.limit_usd:g} USD is reached: {budget.spent:.4f} USD are spent, and the "
                    f"next request may cost {most:.4f} USD. Run the command again with a new budget to go on."
                )
            self._freed = self._freed or anyio.Event()
            await self._freed.wait()
        return reservation

    def _settle(self, reservation: int | None, spent: float) -> None:
        if self.budget is None or reservation is None:
            return
        self.budget.settle(reservation, spent)
        if self._freed is not None:
            self._freed.set()
            self._freed = None
