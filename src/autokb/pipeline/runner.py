"""Who answers a task: the offline engine, a model, or nobody (a plan counts); one signature for all three."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, Protocol, TypeVar

from autokb.core.executor import LOCAL, Done, Executor
from autokb.tasks.task import In, Task

T = TypeVar("T")
KEPT_AT_ONCE = 64  # answers between two writes to the disk: what a kill -9 can cost at most
KEPT_SECONDS = 1.0  # and the longest that an answer waits for them


@dataclass(frozen=True)
class Job(Generic[In]):
    """The items of one stage that one task is to answer.

    ``keys[n]`` is what the answer to ``items[n]`` is kept under. ``missing`` are the positions that are to be
    answered, the first of each key; the others have their answers, and only tell which items belonged together. When
    more than ``tolerated`` of them in a row come to nothing, the rest need not be asked about.
    """

    stage: str
    task: Task[In, Any]
    items: Sequence[In]
    keys: Sequence[str]
    missing: Sequence[int]
    tolerated: float = math.inf


@dataclass(frozen=True, slots=True)
class Answered:
    """What became of one item: its answer as JSON, or None and why.

    ``requests`` are the keys in the ledger of the replies that it was read from. ``unheard`` says that no reply came,
    so that a later run may bring one.
    """

    position: int
    answer: str | None
    error: str = ""
    requests: tuple[str, ...] = ()
    unheard: bool = False


class Runner(Protocol):
    """Answers tasks for items; ``name`` is its model, with the reasoning effort that a person set for it."""

    @property
    def name(self) -> str:
        """Return what keys hold that hang on who answers."""

    def keys(self, task: Task[In, Any], items: Sequence[In]) -> list[str]:
        """Return what each item's answer is kept under: the hash of everything that can change it."""

    def answer(self, job: Job[Any]) -> Iterator[Sequence[Answered]]:
        """Yield answers as they are done; what was yielded is on the disk when the next are asked for.

        A position that is never yielded waits for a reply that comes later. Raises StoppedOnPurposeError when the
        budget is reached, and BadInputError when this runner cannot answer the task at all.
        """


class OfflineRunner:
    """Asks the task's own engine, item by item."""

    name = "offline"

    def __init__(self, executor: Executor = LOCAL) -> None:
        self._executor = executor

    def keys(self, task: Task[In, Any], items: Sequence[In]) -> list[str]:
        """Return the keys of the tasks' inputs."""
        return [task.key(item) for item in items]

    def answer(self, job: Job[Any]) -> Iterator[Sequence[Answered]]:
        """Work each missing item out."""
        items = (job.items[n] for n in job.missing)
        yield from in_batches(worked_out(job.missing, self._executor.map(partial(_answer, job.task), items)))


def _answer(task: Task[Any, Any], item: Any) -> str:
    return str(task.answer_offline(item).model_dump_json())


def worked_out(positions: Iterable[int], results: Iterator[Done[str]]) -> Iterator[Answered]:
    """Yield each item's answer; one bad item must not end a build, so whatever its work raised is the item's error."""
    for position in positions:
        done = next(results)
        if done.error is None:
            yield Answered(position, done.value)
        else:
            yield Answered(position, None, f"{type(done.error).__name__}: {done.error}")


def in_batches(things: Iterable[T]) -> Iterator[list[T]]:
    """Yield things in lists that are worth a write to the disk, and are not kept back for long."""
    batch: list[T] = []
    written = time.perf_counter()
    for thing in things:
        batch.append(thing)
        if len(batch) >= KEPT_AT_ONCE or time.perf_counter() - written > KEPT_SECONDS:
            yield batch
            batch, written = [], time.perf_counter()
    if batch:
        yield batch
