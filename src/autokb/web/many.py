"""Many workspaces behind one port: ``/w/NAME/...`` is a workspace; what is in front lists those of a key.

Each path of a workspace is the very path of a service of its own. Who may not see a workspace cannot tell it from one
that does not exist: there the same application answers, with keys that nobody has.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CapacityLimiter
from fastapi import APIRouter, FastAPI, Request
from prometheus_client import generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from autokb import __version__
from autokb.app import SupportKB
from autokb.app.keys_of_all import KeysOfAll
from autokb.app.workspaces import NAME, FolderOfWorkspaces, OpenedWorkspace, Workspaces
from autokb.core.api_keys import ApiKey
from autokb.core.errors import AutokbError, UnknownIdError
from autokb.core.roles import ROLES, Role
from autokb.web.access import is_at_this_machine, key_in_cookie
from autokb.web.answers import Alive, Ready
from autokb.web.app import (
    HOST,
    RATE,
    SWITCH_SECONDS,
    WORKSPACE,
    bare_app,
    workspace_app,
)
from autokb.web.figures import ServiceFigures
from autokb.web.following import LOOK_AT_SERVER_EVERY, LOOK_EVERY, Following, Loads
from autokb.web.middleware import ServiceLimits, ServiceMiddleware, in_thread, log_fault
from autokb.web.pages import sign_in
from autokb.web.pages.rendering import as_page, render
from autokb.web.problems import NO_PATH, RESPONSES, ProblemError, problem
from autokb.web.rate_limit import RateLimit
from autokb.web.routes import METRICS, READER, bearer
from autokb.web.serving import COMPUTING, HOLD, PREFIX, Door, Serving, computing_limit
from autokb.web.workers import Served, WorkersOfPlugins

MEMORY = "AUTOKB_SERVED_MEMORY"  # bytes; by which ``autokb serve`` tells the application
DAMAGED = "This workspace cannot be opened; the log of the service says why."
v1 = APIRouter(prefix="/v1", responses=RESPONSES, dependencies=[bearer])
beside = APIRouter(include_in_schema=False)


class ListedWorkspace(BaseModel):
    """A workspace that a key is for, and what it may do there; its paths begin with ``path``."""

    name: str
    role: Role
    path: str


class WorkspacePage(BaseModel):
    """Some workspaces by their names; ``next`` is the ``after`` of the next page, null at the end."""

    items: list[ListedWorkspace]
    next: str | None


class NoKeys:
    """The keys of a workspace that does not exist: nobody has one, and nobody is let in without."""

    def find(self, key: str) -> ApiKey | None:
        """Return that no key is one of these."""
        return None

    def are_needed(self) -> bool:
        """Return that nobody is served without a key."""
        return True

    def wait_for_store(self, shown: Iterable[str]) -> bool:
        """Return that nothing has to be asked."""
        return False


class KeysInFront:
    """Whose key a request in front of the workspaces shows: one that counts in any of them.

    ``rights`` is what it may do, by the names of its workspaces; they are found when somebody asks.
    """

    def __init__(self, keys: KeysOfAll) -> None:
        self._keys = keys
        self.rights: dict[str, Role] = {}

    def find(self, key: str) -> ApiKey | None:
        """Return the key with the most that it may do anywhere; the log knows it by what it is called."""
        found = self._keys.find(key)
        self.rights = {name: one.role for name, one in found.items()}
        return max(found.values(), key=lambda one: ROLES.index(one.role), default=None)

    def are_needed(self) -> bool:
        """Return whether there is no workspace that needs none."""
        self.rights = dict.fromkeys(self._keys.without(), "admin")
        return not self.rights

    def wait_for_store(self, shown: Iterable[str]) -> bool:
        """Return that files are looked at, whatever key is shown."""
        return True


def create_many_app(
    folder: Path, *, host: str = "127.0.0.1", limits: ServiceLimits | None = None, memory: int = 0
) -> ManyWorkspaces:
    """Return the service of a folder of workspaces; ``memory`` is how many bytes the process may have, 0 for any."""
    workspaces = Workspaces(FolderOfWorkspaces(folder), memory=memory, keep_log=True)
    return ManyWorkspaces(workspaces, host, limits or ServiceLimits())


def served_many_app() -> ASGIApp:
    """Return the application of ``autokb serve FOLDER``, which names it by environment variables."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("autokb.web").setLevel(logging.INFO)
    sys.setswitchinterval(SWITCH_SECONDS)
    limits = ServiceLimits(requests_a_minute=int(os.environ[RATE]))
    memory = int(os.environ[MEMORY])
    return create_many_app(Path(os.environ[WORKSPACE]), host=os.environ[HOST], limits=limits, memory=memory)


class ManyWorkspaces:
    """The service of many workspaces (ASGI): one application for all of them, and one in front."""

    def __init__(self, workspaces: Workspaces, bound_to: str, limits: ServiceLimits) -> None:
        self.workspaces, self.bound_to, self.limits = workspaces, bound_to, limits
        self.inside = workspace_app()
        # Whether a workspace is ready is told to its keys alone, as that it is there at all.
        self.inside.add_middleware(
            ServiceMiddleware, door_of=self._door_of, bound_to=bound_to, limits=limits, open_paths=frozenset()
        )
        self.front = bare_app(self._run)
        for router in (v1, beside, sign_in.pages):
            self.front.include_router(router)
        self.front.state.many = self
        in_front = Door(ServiceFigures(), RateLimit(limits.requests_a_minute), self._serve_in_front)
        self.front.add_middleware(ServiceMiddleware, door_of=lambda _scope: in_front, bound_to=bound_to, limits=limits)
        self.doors: dict[str, Door] = {}  # of workspaces that are there, or were
        self._unknown = self._new_door("")
        self.keys = KeysOfAll(workspaces.places)
        self._computing = computing_limit()
        self._loads = Loads(computing_limit(COMPUTING), CapacityLimiter(1))
        self._followed: dict[OpenedWorkspace, Following] = {}
        served = Served(
            self._use, workspaces.settings, lambda name: self._door(name).figures, self._say_once, is_shared=False
        )
        self.workers = WorkersOfPlugins(served)
        self._said: dict[str, str] = {}  # by name: the failure that the log has already

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request by its path; a name that cannot be one is looked for nowhere."""
        path = scope.get("path", "")
        if scope["type"] != "http" or not path.startswith(PREFIX):
            await self.front(scope, receive, send)
            return
        name, slash, _ = path.removeprefix(PREFIX).partition("/")
        if not NAME.fullmatch(name):
            await as_page(scope, problem(404, NO_PATH))(scope, receive, send)
        elif not slash:
            await RedirectResponse(f"{PREFIX}{name}/", 307)(scope, receive, send)
        else:
            await self.inside({**scope, "root_path": f"{PREFIX}{name}", "state": {}}, receive, send)

    def _new_door(self, name: str) -> Door:
        rate = RateLimit(self.limits.requests_a_minute)
        serve = self._serve if name else self._serve_none
        return Door(ServiceFigures(), rate, serve, name, wake=lambda: self.workers.wake(name))

    def _door_of(self, scope: Scope) -> Door:
        """Return what counts the requests to a workspace; all names that are none have one together."""
        return self._door(scope["root_path"].removeprefix(PREFIX))

    def _door(self, name: str) -> Door:
        if name not in self.doors:
            if self.workspaces.places.place(name) is None:
                return self._unknown
            self.doors[name] = self._new_door(name)
        return self.doors[name]

    @contextmanager
    def _use(self, name: str) -> Iterator[SupportKB]:
        with self.workspaces.use(name) as opened:
            yield opened.kb

    @asynccontextmanager
    async def _serve_none(self, _scope: Scope) -> AsyncIterator[Serving]:
        yield Serving(NoKeys(), None, None)

    @asynccontextmanager
    async def _serve_in_front(self, _scope: Scope) -> AsyncIterator[Serving]:
        yield Serving(KeysInFront(self.keys), None, None)

    def _hold(self, opened: OpenedWorkspace) -> AbstractContextManager[bool]:
        return self.workspaces.held(opened)

    @asynccontextmanager
    async def _serve(self, scope: Scope) -> AsyncIterator[Serving]:
        opened = await self._open(scope["root_path"].removeprefix(PREFIX), scope)
        if opened is None:
            yield Serving(NoKeys(), None, None)
            return
        held = HOLD.set(lambda: self._hold(opened))
        try:
            computing: CapacityLimiter | None = None if opened.kb.waits_for_servers else self._computing
            yield Serving(opened.kb.keys, opened, computing)
        finally:
            HOLD.reset(held)
            self.workspaces.let_go(opened)

    def _take_at_once(self, name: str) -> OpenedWorkspace | None:
        """Return a workspace that is open, and still in its place, without a thread."""
        return None if self.workspaces.places.place(name) is None else self.workspaces.take_open(name)

    async def _open(self, name: str, scope: Scope) -> OpenedWorkspace | None:
        """Return a workspace for use; None where it is gone, or cannot be opened to know whose keys it has."""
        try:
            opened = self._take_at_once(name) or await in_thread(lambda: self.workspaces.take(name))
        except UnknownIdError:
            return None
        except (AutokbError, OSError) as error:
            self._say_once(name, error)
            if _shown_key(scope) is None and is_at_this_machine(scope, Headers(scope=scope), self.bound_to):
                raise ProblemError(503, DAMAGED) from error
            return None
        self._said.pop(name, None)
        return opened

    @asynccontextmanager
    async def _run(self, _app: FastAPI) -> AsyncIterator[None]:
        """Follow what is published, and close what there is no room for, until the service ends."""
        tasks = [asyncio.create_task(one) for one in (self._tend(), self._read_keys())]
        await in_thread(self.workers.begin)
        yield
        for one in tasks:
            one.cancel()
        await in_thread(self.workers.close)
        for following in self._followed.values():
            await following.close()
        self.workspaces.close()

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
        """Follow a workspace once it has been asked; before that nobody needs its knowledge base in memory."""
        return Following(
            opened,
            self._door(opened.name).rate,
            partial(log_fault, workspace=opened.name),
            is_wanted=lambda: opened.kb.is_loaded,
            loads=self._loads,
            hold=lambda: self._hold(opened),
        )

    async def _read_keys(self) -> None:
        while True:
            try:
                opened = {one.name for one in self.workspaces.opened}
                await in_thread(partial(self.keys.read_servers, opened))
            except Exception as error:  # requests go by what was read before
                self._say_once("", error)
            await asyncio.sleep(LOOK_AT_SERVER_EVERY)

    def _say_once(self, name: str, error: Exception) -> None:
        if self._said.get(name) != repr(error):
            log_fault(error, workspace=name)
        self._said[name] = repr(error)


def _shown_key(scope: Scope) -> str | None:
    """Return the key that a request shows: in its header, else in a cookie."""
    headers = Headers(scope=scope)
    if shown := headers.get("authorization"):
        return shown.strip().partition(" ")[2].strip()
    return key_in_cookie(headers)


def _rights(request: Request) -> Mapping[str, Role]:
    keys: KeysInFront = request.scope["state"]["serving"].keys
    return keys.rights


@v1.get("/health", response_model=Alive)
async def health() -> dict[str, str]:
    """Say that the process answers."""
    return {"status": "ok", "version": __version__}


@v1.get("/ready", response_model=Ready)
async def ready() -> dict[str, str]:
    """Say that workspaces can be asked; each opens at its first question."""
    return {"status": "ready"}


@v1.get("/workspaces", response_model=WorkspacePage, dependencies=[READER])
async def workspaces(request: Request, limit: int = 100, after: str = "") -> Response:
    """List the workspaces that the key is for."""
    if not 1 <= limit <= 1000:
        raise ProblemError(422, "limit: from 1 to 1000.")
    found = [(name, role) for name, role in _rights(request).items() if name > after]
    items = [{"name": name, "role": role, "path": f"{PREFIX}{name}"} for name, role in found[:limit]]
    return JSONResponse({"items": items, "next": items[-1]["name"] if len(found) > limit else None})


@beside.get("/", dependencies=[READER])
async def start(request: Request) -> Response:
    """List the workspaces that the key is for, for people."""
    return render(request, "workspaces.html", workspaces=_rights(request))


@beside.get("/metrics", dependencies=[READER])
async def metrics(request: Request) -> Response:
    """Give Prometheus the figures of the workspaces that the key is for."""
    many: ManyWorkspaces = request.app.state.many
    return Response(together(many, _rights(request)), headers={"content-type": METRICS})


@beside.get("/openapi.json", dependencies=[READER])
async def openapi(request: Request) -> Response:
    """Say what the paths in front of the workspaces take and give; each workspace has its own."""
    return JSONResponse(request.app.openapi())


def together(many: ManyWorkspaces, names: Mapping[str, Any]) -> bytes:
    """Return the figures of some workspaces with their names as a label, and which of them are open."""
    found: dict[str, Metric] = {}
    for name in names:
        if (door := many.doors.get(name)) is None:
            continue  # nobody has asked for it yet
        for family in door.figures.registry.collect():
            whole = found.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            for sample in family.samples:
                whole.samples.append(sample._replace(labels={**sample.labels, "workspace": name}))
    is_open = GaugeMetricFamily("autokb_workspace_open", "Whether a workspace is open.", labels=["workspace"])
    opened = {one.name for one in many.workspaces.opened}
    for name in names:
        is_open.add_metric([name], float(name in opened))
    return generate_latest(_Collected([*found.values(), is_open]))


class _Collected:
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families
