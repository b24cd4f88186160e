"""Work on many things in several processes, in order, and never far ahead of whoever takes the results."""

from __future__ import annotations

import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import IO, TYPE_CHECKING, Generic, Protocol, TypeVar

from autokb.core.errors import AutokbError

if TYPE_CHECKING:
    from concurrent.futures import Future

T = TypeVar("T")
R = TypeVar("R")
AHEAD = 4  # things in work a process: enough that none waits, few enough that memory stays flat


class ParallelMap(Protocol):
    """Like ``map``, perhaps in other processes."""

    def __call__(self, function: Callable[[T], R], things: Iterable[T], /) -> Iterator[R]:
        """Yield the results in the order of the things; the function must be one of a module, so that it can travel."""


@contextmanager
def process_pool(jobs: int, remedy: str = "use --jobs 1") -> Iterator[ParallelMap]:
    """Give a ``map`` that works in ``jobs`` processes; with one it works right here.

    A process that dies (of a lack of memory, most often) ends the block with an AutokbError, which says what helps.
    """
    if jobs <= 1:
        yield map
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))

    def parallel_map(function: Callable[[T], R], things: Iterable[T], /) -> Iterator[R]:
        waiting: deque[Future[R]] = deque()
        for thing in things:
            waiting.append(pool.submit(function, thing))
            if len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()

    try:
        yield parallel_map
    except BrokenProcessPool as error:
        raise AutokbError(f"A worker process ended unexpectedly, perhaps for lack of memory; {remedy}.") from error
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


class DiskQueue(Generic[T]):
    """A file that only this process knows; it is gone when the block ends."""

    def __init__(self) -> None:
        self._file: IO[bytes] = tempfile.TemporaryFile(prefix="autokb-queue-")  # noqa: SIM115
        self._count = 0

    def __enter__(self) -> DiskQueue[T]:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def __len__(self) -> int:
        return self._count

    def add(self, item: T) -> None:
        """Put an item behind the others."""
        pickle.dump(item, self._file, pickle.HIGHEST_PROTOCOL)
        self._count += 1

    def __iter__(self) -> Iterator[T]:
        """Yield the items in the order in which they came."""
        self._file.seek(0)
        for _ in range(self._count):
            item: T = pickle.load(self._file)
            yield item
