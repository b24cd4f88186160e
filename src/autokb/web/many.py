"""Many workspaces behind one port: ``/w/NAME/...`` is a workspace; what is in front lists those of a key.

Each path of a workspace is the very path of a service of its own. Who may not see a workspace cannot tell it from one
that does not exist: there the same application answers, with keys that nobody has.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import APIRouter, Request
from prometheus_client import generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from pydantic import BaseModel
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from autokb.app.keys_of_all import KeysOfAll
from autokb.app.workspaces import NAME, FolderOfWorkspaces, Workspaces
from autokb.core.api_keys import ApiKey
from autokb.core.roles import ROLES, Role
from autokb.web.answers import Alive, Ready
from autokb.web.app import HOST, WORKSPACE, bare_app, prepare_process, workspace_app
from autokb.web.figures import ServiceFigures
from autokb.web.middleware import ServiceLimits, ServiceMiddleware
from autokb.web.pages import sign_in
from autokb.web.pages.rendering import as_page, render
from autokb.web.problems import NO_PATH, RESPONSES, ProblemError, problem
from autokb.web.rate_limit import RateLimit
from autokb.web.routes import METRICS, READER, bearer, health
from autokb.web.service import Service
from autokb.web.serving import PREFIX, Door, Serving

MEMORY = "AUTOKB_SERVED_MEMORY"  # bytes; by which ``autokb serve`` tells the application
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
    limits, memory = prepare_process(), int(os.environ[MEMORY])
    return create_many_app(Path(os.environ[WORKSPACE]), host=os.environ[HOST], limits=limits, memory=memory)


class ManyWorkspaces:
    """The service of many workspaces (ASGI): one application for all of them, and one in front."""

    def __init__(self, workspaces: Workspaces, bound_to: str, limits: ServiceLimits) -> None:
        self.workspaces = workspaces
        self.service = Service(workspaces, limits, is_only=False)
        self.inside = workspace_app()
        self.service.serve_with(self.inside, bound_to)
        self.front = bare_app(self.service.run)
        for router in (v1, beside, sign_in.pages):
            self.front.include_router(router)
        self.front.state.service = self.service
        in_front = Door(ServiceFigures(), RateLimit(limits.requests_a_minute), self._serve_in_front)
        self.front.add_middleware(ServiceMiddleware, door_of=lambda _scope: in_front, bound_to=bound_to, limits=limits)

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

    @asynccontextmanager
    async def _serve_in_front(self, _scope: Scope) -> AsyncIterator[Serving]:
        yield Serving(KeysInFront(self.service.keys))


def _rights(request: Request) -> Mapping[str, Role]:
    keys: KeysInFront = request.scope["state"]["serving"].keys
    return keys.rights


v1.add_api_route("/health", health, response_model=Alive)


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
    service: Service = request.app.state.service
    return Response(together(service, _rights(request)), headers={"content-type": METRICS})


@beside.get("/openapi.json", dependencies=[READER])
async def openapi(request: Request) -> Response:
    """Say what the paths in front of the workspaces take and give; each workspace has its own."""
    return JSONResponse(request.app.openapi())


def together(service: Service, names: Iterable[str]) -> bytes:
    """Return the figures of some workspaces with their names as a label, and which of them are open."""
    found: dict[str, Metric] = {}
    for name in names:
        if (door := service.doors.get(name)) is None:
            continue  # nobody has asked for it yet
        for family in door.figures.registry.collect():
            whole = found.setdefault(family.name, Metric(family.name, family.documentation, family.type))
            for sample in family.samples:
                whole.samples.append(sample._replace(labels={**sample.labels, "workspace": name}))
    is_open = GaugeMetricFamily("autokb_workspace_open", "Whether a workspace is open.", labels=["workspace"])
    opened = {one.name for one in service.workspaces.opened}
    for name in names:
        is_open.add_metric([name], float(name in opened))
    return generate_latest(_Collected([*found.values(), is_open]))


class _Collected:
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families
