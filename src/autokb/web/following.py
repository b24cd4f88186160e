"""What keeps a workspace that is served in step with its store, beside all who ask."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from anyio import CapacityLimiter

from autokb.app.workspaces import OpenedWorkspace
from autokb.core.errors import NothingPublishedError
from autokb.web.middleware import in_thread, log_fault
from autokb.web.rate_limit import RateLimit
from autokb.web.serving import HOLD

LOOK_EVERY = 0.25  # seconds between two looks whether something was published
LOOK_AT_SERVER_EVERY = 1.0  # seconds between two where a server keeps the store, which tells of it besides


class Loads(NamedTuple):
    """How many workspaces are loaded at once, and how many by the second encoder."""

    builds: CapacityLimiter
    languages: CapacityLimiter


@dataclass(eq=False)
class Following:
    """Loads what is published of an open workspace, now and whenever it changes, and what other languages need.

    Where a server keeps the store, keys and the ``rate`` are shared with the processes on other machines. What fails is
    logged once, until it fails otherwise. A workspace that ``is_wanted`` by nobody yet is not loaded; ``hold`` keeps it
    open while it is. Make and close it in the event loop.
    """

    opened: OpenedWorkspace
    rate: RateLimit
    loads: Loads
    hold: Callable[[], AbstractContextManager[object]]
    is_wanted: Callable[[], bool]
    _warming: asyncio.Task[None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Begin to follow."""
        self._told, self._loop = asyncio.Event(), asyncio.get_running_loop()
        self._watch = self.opened.kb.watch_store(self._wake, self.rate)
        self._look_every = LOOK_EVERY if self._watch is None else LOOK_AT_SERVER_EVERY
        self._task = asyncio.create_task(self._run())

    async def close(self) -> None:
        """Follow no longer; what is being loaded ends by itself."""
        self._task.cancel()
        if self._warming is not None:
            self._warming.cancel()
        if self._watch is not None:
            await in_thread(self._watch.close)

    def _wake(self) -> None:
        self._loop.call_soon_threadsafe(self._told.set)

    async def _run(self) -> None:
        """Look until the workspace is closed, every so many seconds and at once when something is told.

        After a later load it rests as long as that took, so that who judges solution by solution does not slow all
        others down. Nothing waits for the second encoder, which takes many times as long as a load.
        """
        HOLD.set(self.hold)  # of this task
        said = ""
        while not self.opened.is_closed:
            seconds = 0.0
            self._told.clear()
            try:
                if self.is_wanted():
                    seconds = await self._load()
                said = ""
            except Exception as error:  # questions are answered from what was loaded before; /v1/ready says it too
                if said != repr(error):
                    log_fault(error, workspace=self.opened.name)
                said = repr(error)
            await asyncio.sleep(seconds)
            with suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), max(0.0, self._look_every - seconds))

    async def _load(self) -> float:
        """Load what is later than what is in memory; returns how many seconds to rest after it."""
        kb, seconds = self.opened.kb, 0.0
        with suppress(NothingPublishedError):  # which questions say
            if await self._do(lambda: kb.is_behind):
                started = time.monotonic()
                await self._do(kb.follow, self.loads.builds)
                seconds = time.monotonic() - started
            if self._warming is None:
                seconds, self._warming = 0.0, asyncio.create_task(self._warm_languages())
        await self._do(lambda: kb.views.load(follows=True), self.loads.builds)
        return seconds

    async def _warm_languages(self) -> None:
        try:
            await self._do(self.opened.kb.warm_languages, self.loads.languages)
        except Exception as error:  # the first question in another language says it too
            log_fault(error, workspace=self.opened.name)

    async def _do(self, work: Callable[[], Any], limiter: CapacityLimiter | None = None) -> Any:
        return await in_thread(lambda: None if self.opened.is_closed else work(), limiter)
