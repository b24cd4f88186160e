"""What a request is answered from: the one workspace of a service, or that of its path among several."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AbstractAsyncContextManager, AbstractContextManager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.types import Scope

from autokb.app import SupportKB
from autokb.app.workspaces import OpenedWorkspace
from autokb.core.api_keys import ApiKey
from autokb.web.figures import ServiceFigures
from autokb.web.rate_limit import RateLimit

# Questions at once for each processor, of all workers together; one waits for memory and locks while another computes.
# With twice as many p95 was 75 ms instead of 69 (7,000 solutions, 50 a second, two workers on two cores).
COMPUTING = 2


class Keys(Protocol):
    """What tells whose key a request shows."""

    def find(self, key: str) -> ApiKey | None:
        """Return which key was shown; None where it is wrong or revoked."""
        ...

    def are_needed(self) -> bool:
        """Return whether nobody is served without a key."""
        ...

    def wait_for_store(self, shown: Iterable[str]) -> bool:
        """Return whether a server has to be asked for what is said of these keys."""
        ...


async def open_nothing(_has_key: bool) -> None:
    """Open no workspace: there is none to open, or it is open already."""


@dataclass(slots=True)
class Serving:
    """What one request is answered from; ``opened`` is None where there is no workspace of the name.

    It is None as well until ``open`` has opened it, for who has a key, or for what the workspace shows without one.
    """

    keys: Keys
    opened: OpenedWorkspace | None = None
    open: Callable[[bool], Awaitable[OpenedWorkspace | None]] = open_nothing
    computing: CapacityLimiter | None = None  # how many questions are answered directly


@dataclass(slots=True)
class Door:
    """A workspace as the requests to it find it: what they are counted by, and what answers one of them."""

    figures: ServiceFigures
    rate: RateLimit
    serving: Callable[[Scope], AbstractAsyncContextManager[Serving]]
    name: str = ""  # among several
    wake: Callable[[], None] = lambda: None  # has the workers of plug-ins look at this workspace
    of_addresses: RateLimit = field(default_factory=RateLimit)  # of those who ask without a key
    reports: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(1))  # that ask many questions


# Keeps the workspace of the present request open while a thread works for it, also after the request's time is up.
HOLD: ContextVar[Callable[[], AbstractContextManager[object]]] = ContextVar("HOLD", default=nullcontext)


PREFIX = "/w/"  # of the paths of each workspace among several
# What stands in front of the paths of the present request's workspace: ``/w/NAME`` among several, else nothing.
ROOT: ContextVar[str] = ContextVar("ROOT", default="")


def root() -> str:
    """Return what stands in front of each path that a page of this workspace names."""
    return ROOT.get()


def workspace_name() -> str:
    """Return the name of the present request's workspace as its path says it; empty where there is but one."""
    return root().removeprefix(PREFIX)


def path_of(scope: Scope) -> str:
    """Return the path of a request within its workspace."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def see_other(path: str) -> RedirectResponse:
    """Send a browser to another page of its workspace."""
    return RedirectResponse(f"{root()}{path}", 303)


def kb_of(request: Request) -> SupportKB:
    """Return the knowledge base that a request is answered from."""
    return _opened(request).kb


def candidate_of(request: Request) -> SupportKB:
    """Return what answers and shows the candidate (BadInputError where there is none); it stays open."""
    return _opened(request).candidate()


def folder_of(request: Request) -> Path:
    """Return where the workspace lies, which no answer may say."""
    return _opened(request).folder


def figures_of(request: Request) -> ServiceFigures:
    """Return what counts the requests to this workspace."""
    door: Door = request.scope["state"]["door"]
    return door.figures


def reports_of(request: Request) -> CapacityLimiter:
    """Return what lets one report of this workspace be worked out at a time."""
    door: Door = request.scope["state"]["door"]
    return door.reports


def serving_of(request: Request) -> Serving:
    """Return what a request is answered from; on an open path there may be no workspace."""
    serving: Serving = request.scope["state"]["serving"]
    return serving


def keys_of(request: Request) -> Keys:
    """Return what tells whose key a form shows."""
    return serving_of(request).keys


def computing_of(request: Request) -> CapacityLimiter | None:
    """Return what bounds how many questions are answered directly, None where they wait for servers."""
    serving = serving_of(request)
    waits = serving.opened is not None and serving.opened.kb.waits_for_servers
    return None if waits else serving.computing


def _opened(request: Request) -> OpenedWorkspace:
    opened = serving_of(request).opened
    assert opened is not None  # who has no right to it was refused before
    return opened


def computing_limit(workers: int = 1) -> CapacityLimiter:
    """Return what bounds how many questions are answered directly, where ``workers`` processes share the processors."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return CapacityLimiter(max(1, COMPUTING * processors // workers))
