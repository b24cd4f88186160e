"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext, suppress
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from autokb import __version__
from autokb.app import SupportKB
from autokb.app.workspaces import OpenedWorkspace
from autokb.core.errors import AutokbError, BadInputError
from autokb.web.figures import METHODS, ServiceFigures
from autokb.web.following import Following
from autokb.web.middleware import ServiceLimits, ServiceMiddleware, in_thread, log_fault
from autokb.web.pages import (
    administration,
    checks,
    conversation,
    embed,
    in_use,
    knowledge,
    review,
    sign_in,
    versions,
)
from autokb.web.pages.rendering import as_page
from autokb.web.plugin_paths import add_paths_of_plugins
from autokb.web.problems import NO_PATH, ProblemError, problem, problem_of, refusal_of_request
from autokb.web.rate_limit import RateLimit
from autokb.web.routes import beside, v1
from autokb.web.serving import Door, Serving, computing_limit, folder_of, of_one
from autokb.web.workers import Served, WorkersOfPlugins

# By which ``autokb serve`` tells the application, which each process opens by its name, what it serves and how.
WORKSPACE, HOST, RATE = "AUTOKB_SERVED_WORKSPACE", "AUTOKB_SERVED_HOST", "AUTOKB_SERVED_RATE"
WORKERS = "AUTOKB_SERVED_WORKERS"
# A thread that waits for Python's lock gets it after so many seconds. The usual 0.005 is a third of a whole question,
# which gives the lock away many times and, while a new build is loaded beside, would wait for it as often.
SWITCH_SECONDS = 0.0005
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]


def create_app(
    folder: Path | str,
    *,
    host: str = "127.0.0.1",
    limits: ServiceLimits | None = None,
    follows: bool = False,
    workers: int = 1,
    paths: Callable[[Lifespan], FastAPI] | None = None,
) -> FastAPI:
    """Return the service of a workspace (BadInputError where it is none), with other ``paths`` than its own if any.

    ``host`` is the address that the server listens on: only on loopback are there rights without a key. Where it
    ``follows``, what is published is loaded beside, and questions are answered meanwhile by what was there before;
    else the next question loads it. ``workers`` is among how many processes like this one the processors are shared.
    """
    kb = SupportKB.open(folder, keep_log=True)
    opened = OpenedWorkspace("", Path(folder), kb)
    limits = limits or ServiceLimits()
    rate = RateLimit(limits.requests_a_minute)

    @asynccontextmanager
    async def loaded(_app: FastAPI) -> AsyncIterator[None]:
        """Load what is published beside the first requests, and close it with the last."""
        following = Following(opened, rate, log_fault) if follows else None
        loading = None if follows else asyncio.create_task(_load(kb))
        await in_thread(beside_requests.begin)
        yield
        await in_thread(beside_requests.close)
        if following is not None:
            await following.close()
        if loading is not None:
            loading.cancel()
        opened.close()

    serving = Serving(kb.keys, opened, None if kb.waits_for_servers else computing_limit(workers))
    door = Door(ServiceFigures(), rate, of_one(serving), wake=lambda: beside_requests.wake(""))
    beside_requests = WorkersOfPlugins(
        Served(
            use=lambda _name: nullcontext(kb),
            settings=lambda: {"": kb.workspace.settings},
            figures=lambda _name: door.figures,
            fault=lambda _name, error: log_fault(error),
            is_shared=True,
        )
    )
    app = (paths or workspace_app)(loaded)
    app.state.kb = kb
    app.add_middleware(ServiceMiddleware, door_of=lambda _scope: door, bound_to=host, limits=limits)
    return app


def workspace_app(lifespan: Lifespan | None = None) -> FastAPI:
    """Return every path of a workspace, for whatever workspace a request is answered from."""
    app = bare_app(lifespan)
    app.include_router(v1)
    app.include_router(beside)
    read, decided = (sign_in, embed, conversation, knowledge), (review, versions, checks)
    for page in (*read, *decided, in_use, administration):
        app.include_router(page.pages)
    add_paths_of_plugins(app)
    return app


def bare_app(lifespan: Lifespan | None = None) -> FastAPI:
    """Return an application without paths that says what goes wrong as all of the service does."""
    app = FastAPI(
        title="autokb",
        version=__version__,
        description="Answers and suggestions from a knowledge base, with their sources.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.add_exception_handler(AutokbError, _expected)
    app.add_exception_handler(ProblemError, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _no_route)
    return app


def served_app(paths: Callable[[Lifespan], FastAPI] | None = None) -> FastAPI:
    """Return the application of a process of ``autokb serve``, which names it by environment variables."""
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    logging.getLogger("autokb.web").setLevel(logging.INFO)
    end_with_parent()
    sys.setswitchinterval(SWITCH_SECONDS)
    limits = ServiceLimits(requests_a_minute=int(os.environ[RATE]))
    workers = int(os.environ[WORKERS])
    folder, host = os.environ[WORKSPACE], os.environ[HOST]
    return create_app(folder, host=host, limits=limits, follows=True, workers=workers, paths=paths)


def end_with_parent() -> None:
    """Have a worker stop gently when the process that started it is gone, be it killed, and so free the port."""
    parent = multiprocessing.parent_process()
    if parent is None:  # the only process
        return

    def wait() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, daemon=True).start()


async def _load(kb: SupportKB) -> None:
    with suppress(AutokbError):  # the first question, or /v1/ready, says it
        await in_thread(kb.load)
        await in_thread(kb.views.load)


def _expected(request: Request, error: Exception) -> Response:
    assert isinstance(error, AutokbError)
    if not isinstance(error, BadInputError):
        log_fault(error)
    return as_page(request.scope, problem_of(error, folder_of(request)))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return as_page(request.scope, problem(error.status, error.sentence, error.headers))


def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return as_page(request.scope, problem(422, refusal_of_request(error.errors())))


def _methods_of(request: Request) -> list[str]:
    """Return what a path takes by any of its routes; the one that refused a request knows its own method alone."""
    routes = request.app.routes
    tried = ({**request.scope, "method": method} for method in sorted(METHODS))
    taken = [one["method"] for one in tried if any(route.matches(one)[0] is Match.FULL for route in routes)]
    return sorted({*taken, "HEAD"} if "GET" in taken else taken)


def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return as_page(request.scope, problem(404, NO_PATH))
    if error.status_code == 405:
        allowed = ", ".join(_methods_of(request))
        said = f"This path takes {allowed}; GET /openapi.json says what each takes."
        return problem(405, said, {"Allow": allowed})
    return problem(error.status_code, "The body cannot be read; send JSON in UTF-8.", error.headers)
