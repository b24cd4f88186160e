"""Work on many things in several processes, in order, and never far ahead of whoever takes the results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from autokb.core.errors import AutokbError

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # things in work a process: enough that none waits, few enough that memory stays flat


class Each(Protocol):
    """Does a function to each of many things and gives the results in their order."""

    def __call__(self, function: Callable[[T], R], things: Iterable[T], /) -> Iterator[R]:
        """Give the results; a function that goes to another process must be one of a module."""
        ...


@contextmanager
def side_by_side(jobs: int) -> Iterator[Each]:
    """Give what works in ``jobs`` processes; with one it works right here.

    A process that dies (of a lack of memory, most often) ends the block with an AutokbError.
    """
    if jobs <= 1:
        yield _here
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        yield _Elsewhere(pool, jobs * AHEAD)
    except BrokenProcessPool as error:
        raise AutokbError(
            "A process that was at work ended unexpectedly, perhaps for lack of memory; use --jobs 1."
        ) from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _here(function: Callable[[T], R], things: Iterable[T], /) -> Iterator[R]:
    return map(function, things)


class _Elsewhere:
    """Works in the processes of a pool."""

    def __init__(self, pool: ProcessPoolExecutor, most: int) -> None:
        self._pool = pool
        self._most = most

    def __call__(self, function: Callable[[T], R], things: Iterable[T], /) -> Iterator[R]:
        waiting: deque[Future[R]] = deque()
        for thing in things:
            waiting.append(self._pool.submit(function, thing))
            if len(waiting) >= self._most:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
