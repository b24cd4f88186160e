"""The server over streamable HTTP: the keys, roles, limits and log of the service in front of it."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

from fastapi import FastAPI
from mcp.server import ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from autokb.plugins.mcp.server import CallContext, create_server
from autokb.web.app import Lifespan, bare_app, served_app
from autokb.web.middleware import ServiceLimits
from autokb.web.routes import beside, health, ready
from autokb.web.serving import computing_of, folder_of, kb_of

PATH = "/v1/mcp"  # among the paths of programs, to which nobody is let in by a cookie alone


class _Endpoint:
    """The manager of the protocol's sessions as what a route leads to; the log then names the route."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self.manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["route"] = SimpleNamespace(path=PATH)
        await self.manager.handle_request(scope, receive, send)


def mcp_app(lifespan: Lifespan) -> FastAPI:
    """Return the application: the protocol's path, and those that say whether it is up.

    Nothing is kept between two requests, so none is tied to a process: a session is no more than its key. A client
    that closes the answer's stream cancels its call.
    """
    manager = StreamableHTTPSessionManager(
        create_server(_call_of), stateless=True, max_request_body_size=ServiceLimits().body_bytes
    )

    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with lifespan(app), manager.run():
            yield

    app = bare_app(running)
    app.add_api_route("/v1/health", health)
    app.add_api_route("/v1/ready", ready)
    app.include_router(beside)
    app.router.routes.append(Route(PATH, _Endpoint(manager), methods=["POST"]))
    return app


def _call_of(context: ServerRequestContext[Any, Any]) -> CallContext:
    request: Request | None = context.request
    assert request is not None  # every message has come by one
    caller = request.scope["state"]["caller"]
    assert caller is not None  # the path is not open
    return CallContext(kb_of(request), folder_of(request), caller, computing_of(request), writes=True)


def served_mcp_app() -> FastAPI:
    """Return the application of the process of ``autokb mcp --http``."""
    app = served_app(mcp_app)
    logging.getLogger("mcp").setLevel(logging.CRITICAL)  # its words may be a customer's; our log has each request
    return app
