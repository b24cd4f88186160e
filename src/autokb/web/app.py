"""The service as an ASGI application."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from autokb import __version__
from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError
from autokb.web.door import Door, Limits, in_thread, log_fault
from autokb.web.figures import Figures
from autokb.web.pages import conversation, evaluation, in_use, review, sign_in
from autokb.web.pages.refusals import as_page
from autokb.web.problems import ProblemError, problem, problem_of, sentence_of
from autokb.web.routes import beside, v1

# By which ``autokb serve`` tells the application, which the server opens by its name, what it serves and where.
WORKSPACE, HOST = "AUTOKB_SERVED_WORKSPACE", "AUTOKB_SERVED_HOST"
NO_PATH = "There is no such path; GET /openapi.json lists those there are."


def create_app(folder: Path | str, *, host: str = "127.0.0.1", limits: Limits | None = None) -> FastAPI:
    """Return the service of a workspace (BadInputError where it is none).

    ``host`` is the address that the server listens on: only on loopback are there rights without a key.
    """
    kb, figures = SupportKB.open(folder, keep_log=True), Figures()

    @asynccontextmanager
    async def loaded(_app: FastAPI) -> AsyncIterator[None]:
        """Load what is published beside the first requests, and close it with the last."""

        async def load() -> None:
            with suppress(AutokbError):  # the first question, or /v1/ready, says it
                await in_thread(kb.load)

        loading = asyncio.create_task(load())
        yield
        loading.cancel()
        kb.close()

    app = FastAPI(
        title="autokb",
        version=__version__,
        description="Answers and suggestions from a knowledge base, with their sources.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=loaded,
    )
    app.state.kb, app.state.figures, app.state.folder = kb, figures, Path(folder)
    app.include_router(v1)
    app.include_router(beside)
    for page in (sign_in, conversation, review, in_use, evaluation):
        app.include_router(page.pages)
    app.add_exception_handler(AutokbError, _expected)
    app.add_exception_handler(ProblemError, _refused)
    app.add_exception_handler(RequestValidationError, _unreadable)
    app.add_exception_handler(HTTPException, _no_route)
    app.add_middleware(Door, kb=kb, bound_to=host, limits=limits or Limits(), figures=figures)
    return app


def served_app() -> FastAPI:
    """Return the application of ``autokb serve``; it names it by environment variables."""
    return create_app(os.environ[WORKSPACE], host=os.environ[HOST])


def _expected(request: Request, error: Exception) -> Response:
    assert isinstance(error, AutokbError)
    if not isinstance(error, BadInputError):
        log_fault(error)
    return as_page(request.scope, problem_of(error, request.app.state.folder))


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return as_page(request.scope, problem(error.status, error.sentence, error.headers))


def _unreadable(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return as_page(request.scope, problem(422, sentence_of(error.errors())))


def _no_route(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 404:
        return as_page(request.scope, problem(404, NO_PATH))
    if error.status_code == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        return problem(405, f"This path takes {allowed}; GET /openapi.json says what each takes.", error.headers)
    return problem(error.status_code, "The body cannot be read; send JSON in UTF-8.", error.headers)
