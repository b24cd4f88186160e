"""The service of workspaces: what opens them for requests, and what goes on beside these while they are open.

A workspace that is served alone is one of a folder of one, whose name is empty. It is opened by whoever makes the
service, stays open, and is loaded before anybody asks; among several each is opened for the first request that may.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial

from anyio import CapacityLimiter
from fastapi import FastAPI
from starlette.types import Scope

from autokb.app import SupportKB
from autokb.app.held_keys import HeldKeys
from autokb.app.keys_of_all import KeysOfAll
from autokb.app.workspaces import OpenedWorkspace, Workspaces
from autokb.core.api_keys import ApiKey
from autokb.core.errors import UnknownIdError
from autokb.web.access import CHALLENGE, EMBED, OPEN_PATHS, REFUSED, SIGNING_IN
from autokb.web.figures import ServiceFigures
from autokb.web.following import LOOK_AT_SERVER_EVERY, LOOK_EVERY, Following, Loads
from autokb.web.middleware import ServiceLimits, ServiceMiddleware, in_thread, log_fault
from autokb.web.problems import ProblemError
from autokb.web.rate_limit import RateLimit
from autokb.web.serving import COMPUTING, HOLD, PREFIX, Door, Serving, computing_limit, path_of
from autokb.web.workers import Served, WorkersOfPlugins

DAMAGED = "This workspace cannot be opened; the log of the service says why."


@dataclass(frozen=True, slots=True)
class UnopenedKeys:
    """The keys of a workspace that is not open, and of one that does not exist: nobody has one of these."""

    keys: KeysOfAll
    name: str
    fault: Callable[[str, Exception], None]

    def find(self, key: str) -> ApiKey | None:
        """Return which key was shown; None where it is wrong or revoked."""
        held = self._held()
        return None if held is None else held.find(key)

    def are_needed(self) -> bool:
        """Return whether nobody is served without a key (ProblemError: the workspace cannot be opened)."""
        held = self._held()
        if held is None and self.name in self.keys.failures:
            raise ProblemError(503, DAMAGED)
        return held is None or held.are_needed()

    def wait_for_store(self, shown: Iterable[str]) -> bool:
        """Return that files are looked at, whatever key is shown."""
        return True

    def _held(self) -> HeldKeys | None:
        held = self.keys.of(self.name)
        if held is None and (error := self.keys.failures.get(self.name)) is not None:
            self.fault(self.name, error)
        return held


class Service:
    """The workspaces that are served, as one application has them for all requests."""

    def __init__(self, workspaces: Workspaces, limits: ServiceLimits, *, is_only: bool, workers: int = 1) -> None:
        self.workspaces, self.limits, self.is_only = workspaces, limits, is_only
        self.keys = KeysOfAll(workspaces.places)
        self._said: dict[str, str] = {}  # by name: why it cannot be opened, as the log has it already
        self.doors: dict[str, Door] = {}  # of workspaces that are there, or were
        self._unknown = self._new_door("")
        self._computing = computing_limit(workers)
        self._loads = Loads(computing_limit(COMPUTING), CapacityLimiter(1))
        self._followed: dict[OpenedWorkspace, Following] = {}
        self._workers = WorkersOfPlugins(
            Served(
                use=self._use,
                settings=workspaces.settings,
                figures=lambda name: self.door(name).figures,
                fault=lambda name, error: log_fault(error, workspace=name),
                is_shared=is_only,
            )
        )

    def serve_with(self, app: FastAPI, bound_to: str) -> None:
        """Have an application answer from these workspaces."""
        # Whether one of several is ready is told to its keys alone, as that it is there at all.
        open_paths = OPEN_PATHS if self.is_only else frozenset[str]()
        app.add_middleware(
            ServiceMiddleware, door_of=self._door_of, bound_to=bound_to, limits=self.limits, open_paths=open_paths
        )

    @asynccontextmanager
    async def run(self, _app: FastAPI) -> AsyncIterator[None]:
        """Follow what is published, and close what there is no room for, until the service ends."""
        tasks = [asyncio.create_task(self._tend())]
        if not self.is_only:
            tasks.append(asyncio.create_task(self._read_keys()))
        await in_thread(self._workers.begin)
        yield
        for one in tasks:
            one.cancel()
        await in_thread(self._workers.close)
        for following in self._followed.values():
            await following.close()
        self.workspaces.close()

    # -- requests ----------------------------------------------------------------------------------

    def door(self, name: str) -> Door:
        """Return what counts the requests to a workspace; all names that are none have one together."""
        if name not in self.doors:
            if self.workspaces.places.place(name) is None:
                return self._unknown
            self.doors[name] = self._new_door(name)
        return self.doors[name]

    def _new_door(self, name: str) -> Door:
        rate = RateLimit(self.limits.requests_a_minute)
        return Door(ServiceFigures(), rate, self._serve, name, wake=lambda: self._workers.wake(name))

    def _door_of(self, scope: Scope) -> Door:
        return self.door(_name_of(scope))

    @asynccontextmanager
    async def _serve(self, scope: Scope) -> AsyncIterator[Serving]:
        name = _name_of(scope)
        exists = self.workspaces.places.place(name) is not None
        opened = self.workspaces.take_open(name) if exists else None
        keys = UnopenedKeys(self.keys, name, self._say_once) if opened is None else opened.kb.keys
        serving = Serving(keys, opened, partial(self._open, scope, name), self._computing)

        def hold() -> AbstractContextManager[object]:
            return nullcontext() if serving.opened is None else self.workspaces.held(serving.opened)

        held = HOLD.set(hold)
        try:
            yield serving
        finally:
            HOLD.reset(held)
            if serving.opened is not None:
                self.workspaces.let_go(serving.opened)

    async def _open(self, scope: Scope, name: str, has_key: bool) -> OpenedWorkspace | None:
        """Return a workspace, opened for who has a key of it, and for all where its settings say so."""
        if not has_key and not await in_thread(lambda: self._is_public(name, path_of(scope))):
            return None
        try:
            opened: OpenedWorkspace = await in_thread(lambda: self.workspaces.take(name))
        except UnknownIdError:  # it is gone by now
            raise ProblemError(401, REFUSED, CHALLENGE) from None
        self._said.pop(name, None)
        return opened

    def _say_once(self, name: str, error: Exception) -> None:
        if self._said.get(name) != repr(error):
            log_fault(error, workspace=name)
        self._said[name] = repr(error)

    def _is_public(self, name: str, path: str) -> bool:
        """Return whether a path that needs no key leads to a workspace: its ask box, or a webhook that is signed."""
        settings = self.keys.settings_of(name)
        if settings is None or path.startswith(SIGNING_IN):
            return False
        return bool(settings.embed.origins) if path == EMBED else bool(settings.helpdesks)

    @contextmanager
    def _use(self, name: str) -> Iterator[SupportKB]:
        with self.workspaces.use(name) as opened:
            yield opened.kb

    # -- beside the requests -----------------------------------------------------------------------

    async def _tend(self) -> None:
        """Follow what is opened, each workspace by itself, and close those for which there is no room."""
        while True:
            opened = self.workspaces.opened
            for one in set(self._followed).difference(opened):
                await self._followed.pop(one).close()
            for one in set(opened).difference(self._followed):
                self._followed[one] = self._follow(one)
            await in_thread(self.workspaces.tend)
            await asyncio.sleep(LOOK_EVERY)

    def _follow(self, opened: OpenedWorkspace) -> Following:
        """Follow a workspace; one of several once it has been asked, for nobody needs it in memory before that."""
        return Following(
            opened,
            self.door(opened.name).rate,
            self._loads,
            hold=lambda: self.workspaces.held(opened),
            is_wanted=lambda: self.is_only or opened.kb.is_loaded,
        )

    async def _read_keys(self) -> None:
        while True:
            opened = {one.name for one in self.workspaces.opened}
            with suppress(OSError):  # of their folder; requests go by what was read before
                await in_thread(partial(self.keys.read_servers, opened))
            await asyncio.sleep(LOOK_AT_SERVER_EVERY)


def _name_of(scope: Scope) -> str:
    """Return the name of a request's workspace; empty where there is but one."""
    root_path: str = scope.get("root_path", "")
    return root_path.removeprefix(PREFIX)
