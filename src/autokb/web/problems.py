"""What went wrong with a request, as problem+json (RFC 9457) with a sentence that says what to do."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse

from autokb.core.errors import (
    AutokbError,
    BadEntryError,
    BadInputError,
    ChangedMeanwhileError,
    NotForRoleError,
    NothingPublishedError,
    StoreAwayError,
    UnknownIdError,
    UnwritableWorkspaceError,
    WorkspaceBusyError,
)
from autokb.core.storable import without_surrogates
from autokb.core.validation import sentence_without_values

MEDIA_TYPE = "application/problem+json"
SECONDS_TO_WAIT = "5"  # before a busy workspace, or a store that is away, is asked again
SECONDS_TO_MEND = "60"  # before what cannot be written is tried again: somebody has to free a disk
FAULT = "Something failed on the server; its log says what, and the workspace is as it was. Try again, or report it."
UNWRITABLE = (
    "Nothing was changed: the workspace cannot be written, for its disk is full or its folder read-only; whoever runs "
    "the service finds in its log which. Questions are answered all the same; send this again when that is mended."
)
AWAY = (
    "Nothing of this was confirmed: the store cannot be reached just now. Questions are answered all the same; send "
    "this again in some seconds, once or twice changes nothing."
)
NO_PATH = "Page or path not found. GET /openapi.json lists all paths."
SEE_PATHS = "GET /openapi.json says what each path takes."
NO_JSON = f"The body is not valid JSON; send one JSON object in UTF-8. {SEE_PATHS}"
SHOWN_ERRORS = 3  # of a body
SCHEMA = {
    "type": "object",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
    },
}
STATUSES = (400, 401, 403, 404, 405, 408, 412, 413, 422, 429, 500, 503, 504)
# For the OpenAPI file: every path may answer with them.
RESPONSES: dict[int | str, dict[str, Any]] = {
    status: {"description": HTTPStatus(status).phrase, "content": {MEDIA_TYPE: {"schema": SCHEMA}}}
    for status in STATUSES
}


class ProblemError(Exception):
    """A request that is refused, with its status and the sentence."""

    def __init__(self, status: int, sentence: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.headers = headers


def problem(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response."""
    detail = without_surrogates(sentence)  # it may name a field of the body
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return JSONResponse(body, status, headers, MEDIA_TYPE)


def problem_of(error: AutokbError, folder: Path) -> JSONResponse:
    """Return the response to an error that is expected; where the workspace lies on the server is no part of it."""
    refused = refusal_of(error, folder)
    return problem(refused.status, refused.sentence, refused.headers)


def refusal_of(error: AutokbError, folder: Path) -> ProblemError:
    """Return what a request is refused with where this error, which is expected, came of it."""
    if isinstance(error, UnwritableWorkspaceError):
        return ProblemError(503, UNWRITABLE, {"Retry-After": SECONDS_TO_MEND})
    if isinstance(error, StoreAwayError):
        return ProblemError(503, AWAY, {"Retry-After": SECONDS_TO_WAIT})
    if not isinstance(error, BadInputError):  # a damaged file: for the log
        return ProblemError(500, FAULT)
    sentence = error.without_values if isinstance(error, BadEntryError) else str(error)
    for path in (shlex.quote(str(folder)), str(folder)):
        sentence = sentence.replace(path, "WORKSPACE")
    if isinstance(error, WorkspaceBusyError):
        return ProblemError(503, sentence, {"Retry-After": SECONDS_TO_WAIT})
    if isinstance(error, ChangedMeanwhileError):
        return ProblemError(412, sentence)
    if isinstance(error, NotForRoleError):
        return ProblemError(403, sentence)
    return ProblemError(404 if isinstance(error, UnknownIdError | NothingPublishedError) else 422, sentence)


def refusal_of_request(errors: Sequence[Mapping[str, Any]]) -> str:
    """Say what is wrong with a body or a query: where, and what is wanted, never what was sent."""
    if any(error["type"] == "json_invalid" for error in errors):
        return NO_JSON
    said = []
    for error in errors[:SHOWN_ERRORS]:
        where = ".".join(map(str, error["loc"][1:])) or "The body"
        said.append(sentence_without_values({**error, "loc": ()}, where))
    return " ".join((*said, SEE_PATHS))
