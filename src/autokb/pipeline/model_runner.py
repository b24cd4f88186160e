"""Tasks answered by a model: items are grouped into requests, asked at once, read as the replies come."""

from __future__ import annotations

import queue
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from autokb.core.errors import AutokbError, StoppedOnPurposeError
from autokb.core.model_requests import (
    CHARACTERS_A_TOKEN,
    AwaitedError,
    BudgetReachedError,
    CutOffError,
    ModelReply,
    ModelRequest,
    SendError,
    effort_in_key,
)
from autokb.pipeline.model_session import ModelSession
from autokb.pipeline.request_batching import TOKENS_AROUND_ENTRIES, Batching, Group, halves, item_keys
from autokb.pipeline.runner import KEPT_AT_ONCE, KEPT_SECONDS, Answered, Job
from autokb.pipeline.unread_items import UnreadItems
from autokb.tasks.asking import answer, request_for
from autokb.tasks.task import In, Read, Task

TOO_SLOW = "The model did not reply in the time that somebody waits for it."


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read of the replies to one request: its items' answers, and the replies' keys in the ledger.

    ``unread`` says by their keys why items have none; nothing where a reply did not come.
    """

    answers: tuple[Answered, ...]
    requests: tuple[str, ...]
    unread: Mapping[str, str] = field(default_factory=dict)

    @property
    def readable(self) -> bool:
        """Whether the replies served anything; those that did not are never served again."""
        return any(a.answer is not None for a in self.answers)


class _GivenUpError(AutokbError):
    """So many items in a row came to nothing that the rest of a job is not asked about."""


class _Arrivals:
    """What comes of the requests of a job: readings as they come, and the items that no reply came for.

    Raises _GivenUpError when more items in a row than the job tolerates came to nothing.
    """

    def __init__(self, tolerated: float) -> None:
        self.readings: queue.SimpleQueue[_Reading | None] = queue.SimpleQueue()
        self.lost: list[Answered] = []
        self._tolerated = tolerated
        self._in_a_row = 0

    def put(self, reading: _Reading) -> None:
        """Hand on what was read."""
        self.readings.put(reading)
        self._count(0 if reading.readable else len(reading.answers))

    def lose(self, group: Group, error: Exception) -> None:
        """Note that a request got no reply."""
        reason, unheard = str(error) or type(error).__name__, isinstance(error, SendError) and error.retry
        self.lost += [Answered(position, None, reason, unheard=unheard) for position in group]
        self._count(len(group))

    def _count(self, failed: int) -> None:
        self._in_a_row = self._in_a_row + failed if failed else 0
        if self._in_a_row > self._tolerated:
            raise _GivenUpError


class ModelRunner:
    """Asks one model through the session of a run."""

    def __init__(self, session: ModelSession, model: str) -> None:
        self._session = session
        self._model = model
        self._effort = session.settings.effort_of(model)
        self.name = " ".join((model, *effort_in_key(self._effort)))

    def keys(self, task: Task[In, Any], items: Sequence[In]) -> list[str]:
        """Return the keys of what the model reads of each item."""
        return item_keys(task, self._model, items, self._effort)

    # Complex: what was given up, what comes and what failed must be yielded in this order, around one wait.
    def answer(self, job: Job[Any]) -> Iterator[Sequence[Answered]]:
        """Ask what is missing; a budget that is reached is raised when all that arrived was yielded."""
        session, missing = self._session, set(job.missing)
        session.count_reused(job.stage, job.task.name, [k for n, k in enumerate(job.keys) if n not in missing])
        batching = Batching(job.task, job.items, session.limits(self._model), session.mode == "paper")
        unread_items = UnreadItems(session.file, job, self._model, batching.limits.output)
        given_up, asked = unread_items.split_exhausted()
        if given_up:
            yield given_up
        groups = batching.groups(job.keys, asked, session.ledger.open_groups(job.task.name))
        if not groups:
            return
        arrived = _Arrivals(job.tolerated)
        future = session.start([partial(self._ask_or_lose, job, g, batching.limits.output, arrived) for g in groups])
        future.add_done_callback(lambda _done: arrived.readings.put(None))
        answered: set[int] = set()
        outcomes: Sequence[Exception | None] = ()
        with session.waiting():
            for readings in self._as_they_come(future, arrived.readings):
                answers = [a for reading in readings for a in reading.answers]
                answered.update(a.position for a in answers)
                yield answers
                self._settle(readings, unread_items)
            with suppress(_GivenUpError):
                outcomes = future.result()
        stopped = self._stopped(job, outcomes)
        if lost := [a for a in arrived.lost if a.position not in answered]:
            yield lost
        if stopped:
            raise StoppedOnPurposeError(stopped)

    def _settle(self, readings: Sequence[_Reading], unread_items: UnreadItems) -> None:
        """Note what readings left unread, and that their answers are kept.

        Until then the ledger's open groups say that their replies must be read again.
        """
        for reading in readings:
            if reading.unread:
                unread_items.note(reading.requests[0], reading.unread)
        for readable in (True, False):
            keys = [key for r in readings if r.readable is readable for key in r.requests]
            self._session.ledger.settle(keys, readable)

    def _as_they_come(
        self, future: Future[Any], arrived: queue.SimpleQueue[_Reading | None]
    ) -> Iterator[list[_Reading]]:
        """Yield what arrives in lists that are worth a write; Ctrl-C cancels what is in flight and yields what came."""
        batch: list[_Reading] = []
        try:
            while True:
                try:
                    reading = arrived.get(timeout=KEPT_SECONDS)
                except queue.Empty:
                    reading = None
                    if not batch:
                        continue
                else:
                    if reading is None:
                        break
                    batch.append(reading)
                if reading is None or len(batch) >= KEPT_AT_ONCE:
                    yield batch
                    batch = []
            if batch:
                yield batch
        except KeyboardInterrupt:
            future.cancel()
            while (reading := arrived.get()) is not None:
                batch.append(reading)
            yield batch
            raise
        finally:
            future.cancel()  # when nobody takes what arrives any more

    def _stopped(self, job: Job[Any], outcomes: Sequence[Exception | None]) -> str:
        """Count the requests whose replies are awaited; return why the run stops, if it does."""
        stopped = ""
        for outcome in outcomes:
            match outcome:
                case AwaitedError():
                    self._session.awaited[job.stage, job.task.name] += 1
                case BudgetReachedError():
                    stopped = str(outcome) or "The budget is used up."
        return stopped

    async def _ask_or_lose(self, job: Job[Any], group: Group, most_tokens: int, arrived: _Arrivals) -> None:
        """Ask about the items of a group, which are lost where no reply comes."""
        try:
            await self._ask(job, group, most_tokens, arrived)
        except (AutokbError, AwaitedError, BudgetReachedError):
            raise
        except Exception as error:  # one request's failure is its items' alone
            arrived.lose(group, error)

    # Complex: how a request ended decides how its reply is kept, so that the inner function shares its state.
    async def _ask(self, job: Job[Any], group: Group, most_tokens: int, arrived: _Arrivals) -> None:
        """Ask about the items of a group; where their reply is cut off at any cap, about half of them at once."""
        import anyio

        from autokb.llm.client import Tag

        session, task = self._session, job.task
        items = tuple(job.items[n] for n in group)
        tag = Tag(job.stage, task.name, tuple(job.keys[n] for n in group))
        requests: list[str] = []
        all_came = True

        async def ask(one: ModelRequest) -> ModelReply:
            nonlocal all_came
            try:
                with anyio.fail_after(session.seconds_left()):
                    reply = await session.client.ask(one, tag)
            except TimeoutError:
                all_came = False
                raise SendError(TOO_SLOW, retry=False, billed="perhaps") from None
            except SendError as error:
                all_came = isinstance(error, CutOffError)
                raise
            attempt = session.ledger.unreadable([one.base_key]).get(one.base_key, 0)
            if not requests:
                usual = TOKENS_AROUND_ENTRIES + sum(task.tokens(item)[1] for item in items)
                session.guessed(f"{self._model} {task.name}", usual, reply.output_tokens - reply.reasoning_tokens)
            characters = sum(len(m.text) for m in one.messages)
            session.guessed(self._model, characters / CHARACTERS_A_TOKEN, reply.input_tokens)
            requests.append(one.tried_again(attempt).key)
            return reply

        request = request_for(task, items, self._model, most_tokens, self._effort)
        try:
            read: list[Read[Any]] = await answer(request, task, items, ask)
        except CutOffError as error:
            await self._ask_in_parts(job, halves(group, error), most_tokens, arrived)
            if error.hidden or len(group) == 1:
                arrived.put(_Reading(tuple(Answered(n, None, str(error)) for n in group), ()))
            return
        answered = tuple(
            Answered(n, None, one.error)
            if one.answer is None
            else Answered(n, one.answer.model_dump_json(), "", tuple(requests))
            for n, one in zip(group, read, strict=True)
        )
        errors = {job.keys[n]: one.error for n, one in zip(group, read, strict=True) if one.error and not one.final}
        arrived.put(_Reading(answered, tuple(requests), errors if all_came else {}))

    async def _ask_in_parts(self, job: Job[Any], parts: Sequence[Group], most_tokens: int, arrived: _Arrivals) -> None:
        """Ask about each part of a group, also where the reply to an earlier one comes with a batch."""
        awaited: AwaitedError | None = None
        for part in parts:
            try:
                await self._ask(job, part, most_tokens, arrived)
            except AwaitedError as error:
                awaited = error
        if awaited is not None:
            raise awaited
