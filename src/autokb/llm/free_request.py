"""A request that costs nothing: which models a provider's key may use. It tells that key, address and network work."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import anyio
import httpx2

from autokb.core.results import Result
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.keys import NO_KEY, VARIABLES
from autokb.llm.prices import OPENAI_URL
from autokb.net.bounded_http import BoundedClient
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError

SECONDS = 10.0  # that a list of models may take
REFUSED = (401, 403)
# Where the lists stand, as the providers document them; the variables are those that their own packages read.
ANTHROPIC = ("ANTHROPIC_BASE_URL", "https://api.anthropic.com", "/v1/models?limit=1000")
GOOGLE = ("GOOGLE_GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", "/v1beta/models?pageSize=1000")


@dataclass(frozen=True, slots=True)
class FreeReply(Result):
    """What came back: an HTTP status (0: none came), and whether the model is ``listed`` (None: no list came)."""

    status: int
    listed: bool | None
    seconds: float


def ask_for_models(model: str, base_url: str = "") -> FreeReply | None:
    """Ask a model's provider, which ``model`` names as PROVIDER:NAME, for its models; None where no way is known."""
    provider, _, name = model.partition(":")
    started = time.perf_counter()
    status, names = 0, None
    try:
        if provider == "bedrock":
            status, names = _ask_bedrock()
        elif (request := _request(provider, base_url)) is not None:
            status, names = anyio.run(_ask, *request)
        else:
            return None
    except (httpx2.HTTPError, httpx2.InvalidURL, ReplyTooLongError, OSError, ValueError):
        pass  # no list came
    return FreeReply(status, None if names is None else name in names, time.perf_counter() - started)


def _request(provider: str, base_url: str) -> tuple[str, Mapping[str, str]] | None:
    """Return address and headers."""
    key = next((value for one in VARIABLES.get(provider, ()) if (value := os.environ.get(one, "").strip())), NO_KEY)
    if provider in ("openai", "openai-chat"):
        return f"{(base_url or OPENAI_URL).rstrip('/')}/models", {"authorization": f"Bearer {key}"}
    if provider == "anthropic":
        return _address(ANTHROPIC), {"x-api-key": key, "anthropic-version": "2023-06-01"}
    return (_address(GOOGLE), {"x-goog-api-key": key}) if provider == "google" else None


def _address(place: tuple[str, str, str]) -> str:
    variable, usual, path = place
    return f"{os.environ.get(variable, usual).rstrip('/')}{path}"


async def _ask(url: str, headers: Mapping[str, str]) -> tuple[int, set[str] | None]:
    async with BoundedClient(ReplyBound(MAX_REPLY_BYTES), SECONDS) as client:
        reply = await client.get(url, headers=dict(headers))
    return reply.status_code, _names(reply.json()) if reply.status_code == httpx2.codes.OK else None


def _names(shape: Any) -> set[str] | None:
    """Return the models of a list; None where it is none."""
    rows = shape.get("data", shape.get("models")) if isinstance(shape, dict) else None
    if not isinstance(rows, list):
        return None
    named = (row.get("id") or row.get("name") for row in rows if isinstance(row, dict))
    return {str(name).removeprefix("models/") for name in named if name}


def _ask_bedrock() -> tuple[int, set[str] | None]:
    boto3, errors = import_module("boto3"), import_module("botocore.exceptions")  # they have no types
    config = import_module("botocore.config").Config(
        read_timeout=SECONDS, connect_timeout=SECONDS, retries={"total_max_attempts": 1}
    )
    try:
        found = boto3.Session().client("bedrock", config=config).list_foundation_models()
    except errors.ClientError as error:
        return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)), None
    except errors.BotoCoreError:
        return 0, None
    return 200, {str(one.get("modelId", "")) for one in found.get("modelSummaries", [])}
