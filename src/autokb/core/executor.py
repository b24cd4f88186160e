"""Where pure work is done: right here, or wherever another executor has it done; the results are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Done(Generic[R]):
    """What became of one thing: the function's value, or what it raised."""

    value: R | None
    error: Exception | None = None

    def get(self) -> R:
        """Return the value; raises what the function raised."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # without an error it is what the function returned


class Executor(Protocol):
    """Does pure work: functions of a module, or partials of them, on values that can travel.

    No function may hold a workspace, a connection or a key, nor write anything: whoever takes the results does.
    """

    def map(self, function: Callable[[T], R], things: Iterable[T]) -> Iterator[Done[R]]:
        """Yield what becomes of each thing, in the order of the things and as soon as it is there."""
        ...


class LocalExecutor:
    """Does one thing after the other in this process, each when its result is asked for."""

    def map(self, function: Callable[[T], R], things: Iterable[T]) -> Iterator[Done[R]]:
        """Call the function."""
        return (attempt(function, thing) for thing in things)


def attempt(function: Callable[[T], R], thing: T) -> Done[R]:
    """Call a function; whatever it raises becomes the thing's error, since one bad thing must not end the others."""
    try:
        return Done(function(thing))
    except Exception as error:
        return Done(None, error)


LOCAL: Executor = LocalExecutor()
