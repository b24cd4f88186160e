"""Sources that are read side by side: one that is slow, fails or hangs holds up no other, and no end of the process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue
from traceback import extract_tb

from autokb.app.synced import SyncedSource
from autokb.core.errors import AutokbError
from autokb.core.plugins import is_of_plugin
from autokb.core.source_settings import SourceSettings
from autokb.net.fetch import RunOverError
from autokb.stores.workspace import Workspace

LONGEST_RUN = 6 * 3_600.0  # seconds of one run of one source; the next one goes on where it was
GRACE = 600.0  # seconds that a source has to see that its time is over, as while a file is read
LOOK_EVERY = 60.0  # seconds after which sources that hang are looked for
STOP_SECONDS = 5.0  # that all sources together have to end when the process does
Sleep = Callable[[float], None]


class Turns:
    """The store, which one source at a time writes: of those that wait, the first in the settings."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._waiting: list[int] = []
        self._taken = False

    @contextmanager
    def turn(self, place: int) -> Iterator[None]:
        """Hold the store for the length of a block."""
        with self._free:
            self._waiting.append(place)
            self._free.wait_for(lambda: not self._taken and place == min(self._waiting))
            self._waiting.remove(place)
            self._taken = True
        try:
            yield
        finally:
            with self._free:
                self._taken = False
                self._free.notify_all()


class Run:
    """One run of one source: until when it may go on, and its turn to write."""

    def __init__(self, stop: threading.Event, turns: Turns, place: int, sleep: Sleep | None) -> None:
        self._stop, self._turns, self._place, self._sleep = stop, turns, place, sleep
        self.ends = time.monotonic() + LONGEST_RUN

    def check(self) -> None:
        """Raise RunOverError where its time is over, or it is stopped."""
        if self._stop.is_set():
            raise RunOverError("It was stopped; the next run goes on.")
        if time.monotonic() > self.ends:
            raise RunOverError(f"It took more than {LONGEST_RUN / 3_600:g} hours; the next run goes on.")

    def pause(self, seconds: float) -> None:
        """Wait, and wake where it is stopped."""
        if self._sleep is not None:
            self._sleep(seconds)
        else:
            self._stop.wait(min(seconds, max(0.0, self.ends - time.monotonic())))
        self.check()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the store for the length of a block; a run that is over writes nothing more."""
        with self._turns.turn(self._place):
            self.check()
            yield


Read = Callable[[Workspace, SourceSettings, Run], SyncedSource]


class SideBySide:
    """Reads sources in a thread each; leaving the block stops those that are still read.

    ``read`` returns what a run of a source did; whatever it raises is the error of that source alone.
    """

    def __init__(
        self, read: Callable[[Workspace, SourceSettings, Run], SyncedSource], sleep: Sleep | None = None
    ) -> None:
        self._read = read
        self._sleep = sleep
        self._stop = threading.Event()
        self._turns = Turns()
        self._ended: SimpleQueue[tuple[str, SyncedSource]] = SimpleQueue()
        self._threads: dict[str, threading.Thread] = {}
        self.running: dict[str, Run] = {}

    def __enter__(self) -> SideBySide:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        ends = time.monotonic() + STOP_SECONDS
        for thread in self._threads.values():
            thread.join(max(0.0, ends - time.monotonic()))

    def start(self, workspace: Workspace, source: SourceSettings, place: int) -> None:
        """Begin to read a source, whose place in the settings is given."""
        if (before := self._threads.get(source.name)) is not None and before.is_alive():
            self._ended.put((source.name, failed("Its last run hangs; start the process anew.")))
        else:
            run = Run(self._stop, self._turns, place, self._sleep)
            name = f"sync {source.name}"
            # A daemon: the end of the process does not wait for one that hangs.
            thread = self._threads[source.name] = threading.Thread(
                target=self._run, args=(workspace, source, run), name=name, daemon=True
            )
            self.running[source.name] = run
            thread.start()

    def _run(self, workspace: Workspace, source: SourceSettings, run: Run) -> None:
        try:
            done = self._read(workspace, source, run)
        except AutokbError as error:
            done = failed(str(error))
        except BaseException as error:  # whatever a source holds, a library's panic too, is its error and ends no other
            done = failed(what_failed(error, source.type))
        if self.running.get(source.name) is run:
            self._ended.put((source.name, done))

    def ended(self, wait: float) -> tuple[str, SyncedSource] | None:
        """Return a source whose run ended and what it did; None where none does within so many seconds."""
        try:
            name, done = self._ended.get(timeout=wait)
        except Empty:
            late = time.monotonic() - GRACE
            name = next((name for name, run in self.running.items() if run.ends < late), "")
            if not name:
                return None
            done = failed("It hangs, and is left; what it read is kept.")
        self.running.pop(name, None)
        return name, done


def failed(error: str) -> SyncedSource:
    """Return what a run did that read nothing."""
    return SyncedSource(0, 0, 0, 0, (), error=error)


def what_failed(error: BaseException, kind: str = "") -> str:
    """Say an error that nobody expected by its kind and place; its words may be somebody's text.

    It names the plug-in of somebody else that a source's ``kind``, as settings have it, is of.
    """
    fails = f"The plug-in {kind.partition('.')[0]} fails" if is_of_plugin(kind) else "It failed"
    if said := getattr(error, "strerror", None):
        return f"{fails}: {said}."
    places = extract_tb(error.__traceback__)
    place = f" ({Path(places[-1].filename).name}, line {places[-1].lineno})" if places else ""
    return f"{fails}: {type(error).__name__}{place}."
