"""What an /embeddings endpoint sends back, read strictly: vectors and tokens, or why there are none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.model_requests import SendError
from autokb.llm.embedders import Vectors
from autokb.llm.keys import VARIABLES

if TYPE_CHECKING:
    import openai

KEY = VARIABLES["openai"][0]
CHARACTERS_A_TOKEN = 4  # where an endpoint counts nothing
RETRIED = frozenset({408, 409, 429})
SHOWN = 300


@dataclass(frozen=True, slots=True)
class Embeddings:
    """Unit vectors of one request, and the tokens that it cost."""

    vectors: Vectors
    tokens: int


def read_embeddings(body: bytes, texts: Sequence[str]) -> Embeddings:
    """Read a reply for these texts; SendError says what is wrong, and a body cut off may be asked for again."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SendError("the endpoint's reply is no JSON.", retry=True) from error
    if not isinstance(data, dict) or not isinstance(data.get("data"), list):
        raise SendError("the endpoint's reply has no list of embeddings; is base_url right?", retry=False)
    rows = _in_order(data["data"], len(texts))
    return Embeddings(_unit(rows), _tokens(data.get("usage"), texts))


def _in_order(items: Sequence[Any], count: int) -> list[Any]:
    if len(items) != count:
        raise SendError(f"the endpoint sent {len(items)} vectors for {count} texts.", retry=False)
    by_place = {i.get("index", n): i.get("embedding") for n, i in enumerate(items) if isinstance(i, dict)}
    if set(by_place) != set(range(count)):
        raise SendError("the endpoint numbered its vectors wrongly.", retry=False)
    return [by_place[n] for n in range(count)]


def _unit(rows: Sequence[Any]) -> Vectors:
    vectors = _numbers(rows)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise SendError("a vector holds something that is no finite number.", retry=False)
    if not (lengths > 0).all():
        raise SendError("a vector is all zeros and points nowhere.", retry=False)
    return np.ascontiguousarray(vectors / lengths, dtype=np.float32)


def _numbers(rows: Sequence[Any]) -> NDArray[np.float64]:
    if not all(isinstance(row, list) and row for row in rows):
        raise SendError("an embedding is no list of numbers.", retry=False)
    if len({len(row) for row in rows}) != 1:
        raise SendError("the vectors of one reply differ in their length.", retry=False)
    # Strictly numbers: numpy would read "1.5" and true as such.
    if not all(type(number) in (int, float) for row in rows for number in row):
        raise SendError("a vector holds something that is no finite number.", retry=False)
    return np.array(rows, dtype=np.float64)


def _tokens(usage: Any, texts: Sequence[str]) -> int:
    counted = usage if isinstance(usage, dict) else {}
    for name in ("prompt_tokens", "total_tokens"):
        if isinstance(tokens := counted.get(name), int) and tokens > 0:
            return tokens
    return sum(len(text) for text in texts) // CHARACTERS_A_TOKEN + 1


def failure(error: openai.OpenAIError, model: str) -> SendError:
    """Say why a request got no reply; what an endpoint said may repeat the key, which the caller takes out."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return SendError("the endpoint did not answer in time.", retry=True, billed="perhaps")
    if isinstance(error, openai.APIStatusError):
        return _of_status(error, model)
    if isinstance(error, openai.APIConnectionError):
        return SendError("the endpoint cannot be reached, or it closed the connection.", retry=True)
    return SendError(f"{type(error).__name__}.", retry=False)


def _of_status(error: openai.APIStatusError, model: str) -> SendError:
    status = error.status_code
    said = f"{_said(error)} (HTTP {status})"
    if status in (401, 403):
        return SendError(f"the key in {KEY} was refused (HTTP {status}).", retry=False, fatal=True)
    if status == 404:
        hint = "check embedder and base_url in settings.yaml"
        return SendError(
            f"there is no embedding model {model} at the endpoint (HTTP 404); {hint}.", retry=False, fatal=True
        )
    if error.code == "insufficient_quota":
        return SendError(f"the account of the key in {KEY} has no money left.", retry=False, fatal=True)
    retry = status in RETRIED or status >= 500
    return SendError(f"{said}.", retry=retry, retry_after=_retry_after(error))


def _said(error: openai.APIStatusError) -> str:
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return " ".join(str(message or "the endpoint refused the request").split()).rstrip(".")[:SHOWN]


def _retry_after(error: openai.APIStatusError) -> float | None:
    try:
        return max(0.0, float(error.response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
