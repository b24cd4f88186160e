"""The threads of a service that write the notes: for its workspace, or for those of its workspaces that have work."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from threading import Condition, Thread

from autokb.core.errors import UnknownIdError
from autokb.plugins.helpdesks import MESSAGES
from autokb.plugins.helpdesks.desk import WorkDone
from autokb.web.middleware import log_line
from autokb.web.workers import Served

THREADS = 4  # notes under way at once in a process: each mostly waits for the helpdesk
LOOK_EVERY = 5.0  # seconds between two looks for what other processes took and did not finish
CLOSE_SECONDS = 2.0  # that closing waits for a note under way; what is then not written is written later
FAULT_PAUSE = 5.0  # seconds after a fault of ours, or a store that is away


@dataclass(eq=False)
class NoteThreads:
    """Works through messages of workspaces by their names.

    Where other processes serve the same, a workspace without work is looked at all the same, for another may have left
    some.
    """

    served: Served
    _due: dict[str, float] = field(default_factory=dict, init=False)  # by name: when it is looked at next
    _changed: Condition = field(default_factory=Condition, init=False)
    _is_closed: bool = field(default=False, init=False)
    _threads: list[Thread] = field(default_factory=list, init=False)

    def begin(self) -> None:
        """Begin, with the workspaces whose settings name helpdesks."""
        for name, settings in self.served.settings().items():
            if settings.helpdesks:
                self.wake(name)
        self._threads = [Thread(target=self._run, name="autokb-notes", daemon=True) for _ in range(THREADS)]
        for thread in self._threads:
            thread.start()

    def wake(self, name: str) -> None:
        """Look at a workspace at once."""
        self._set(name, time.monotonic())

    def close(self) -> None:
        """Stop, after the notes that are under way."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        end = time.monotonic() + CLOSE_SECONDS
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def _set(self, name: str, due: float) -> None:
        with self._changed:
            self._due[name] = min(due, self._due.get(name, due))
            self._changed.notify()

    def _run(self) -> None:
        while (name := self._next()) is not None:
            wait: float | None = FAULT_PAUSE
            try:
                with self.served.use(name) as kb:
                    try:
                        done = kb.helpdesks.work()
                        while done.became is not None and not self._is_closed:
                            self._set(name, time.monotonic())  # another thread may find more
                            self._tell(name, done)
                            done = kb.helpdesks.work()
                        wait = done.wait
                    finally:
                        kb.helpdesks.close()
            except UnknownIdError:  # a workspace that is gone
                continue
            except Exception as error:
                self.served.fault(name, error)
            if self.served.is_shared:
                wait = LOOK_EVERY if wait is None else min(wait, LOOK_EVERY)
            if wait is not None:
                self._set(name, time.monotonic() + wait)

    def _tell(self, name: str, done: WorkDone) -> None:
        """Count what was done with a message, and log what failed or was postponed."""
        if done.became is None or done.became == "waits":
            return
        self.served.figures(name).counters[MESSAGES].labels(done.helpdesk, done.became).inc()
        if done.became in ("failed", "postponed"):
            said = {"helpdesk": done.helpdesk, "message": done.became, "why": done.why}
            level = logging.ERROR if done.became == "failed" else logging.WARNING
            log_line(level, {**said, **({"workspace": name} if name else {})})

    def _next(self) -> str | None:
        """Wait for a workspace that is due; None at the end."""
        with self._changed:
            while not self._is_closed:
                now = time.monotonic()
                name = min(self._due, key=self._due.__getitem__, default=None)
                if name is not None and self._due[name] <= now:
                    del self._due[name]
                    return name
                self._changed.wait(None if name is None else self._due[name] - now)
            return None
