"""A reader behind ``/rerank``, in the shape that Cohere, Jina and text-embeddings-inference share but for two words."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from contextlib import ExitStack
from urllib.parse import urlsplit

import anyio
from anyio.from_thread import start_blocking_portal

from autokb.core.errors import BadEntryError, BadInputError, shown_value
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.keys import warn_of_open_wire
from autokb.llm.rerankers import RerankError, checked_scores, out_of_time
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError

KEY = "RERANKER_API_KEY"  # sent as a bearer where it is set; a server of one's own needs none
LEAST = 1e-6  # a probability nearer to 0 or to 1 counts as this near; servers round them to some six digits


class EndpointReranker:
    """Asks one address, one request a question, once: whoever waits for an answer waits for no second try.

    A request is cut off after ``seconds``, whatever it waits for, and its reply read up to ``max_reply_bytes``.
    """

    def __init__(self, url: str, seconds: float, *, model: str = "", max_reply_bytes: int = MAX_REPLY_BYTES) -> None:
        self.name = f"http:{model or checked_host(url)}"
        warn_of_open_wire(url)
        from autokb.net.bounded_http import BoundedClient

        self._url, self._model, self._seconds = url, model, seconds
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal())
            self._client = BoundedClient(ReplyBound(max_reply_bytes), seconds)
            stack.callback(self._portal.call, self._client.aclose)
            self._held = stack.pop_all()

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the server's scores as log-odds, in the order of the texts."""
        if not texts:
            return []
        return read_scores(self._portal.call(self._ask, question, list(texts)), len(texts))

    def close(self) -> None:
        """Close the connections; twice is no harm."""
        self._held.close()

    async def _ask(self, question: str, texts: list[str]) -> bytes:
        import httpx2

        # Cohere and Jina read ``documents``, text-embeddings-inference reads ``texts`` and the two switches.
        body = {"query": question, "documents": texts, "texts": texts, "raw_scores": True, "truncate": True}
        if self._model:
            body["model"] = self._model
        key = os.environ.get(KEY, "").strip()
        headers = {"authorization": f"Bearer {key}"} if key else {}
        try:
            with anyio.fail_after(self._seconds):
                reply = await self._client.post(self._url, json=body, headers=headers)
        except (TimeoutError, httpx2.TimeoutException):
            raise out_of_time(self._seconds) from None
        except ReplyTooLongError as error:
            raise RerankError(str(error)) from None
        except httpx2.HTTPError:
            raise RerankError("the reranker cannot be reached, or it closed the connection.") from None
        if reply.status_code in (401, 403):
            raise RerankError(f"the reranker refused the key in {KEY} (HTTP {reply.status_code}).")
        if not reply.is_success:  # what it says is left out: answers go to customers
            raise RerankError(f"the reranker refused the request (HTTP {reply.status_code}).")
        return reply.content


def checked_host(url: str) -> str:
    """Return the host of a reranker's address (BadInputError where it is none, or holds a password)."""
    try:
        address = urlsplit(url)
        host = address.hostname if address.scheme in ("http", "https") and address.port != 0 else None
    except ValueError:
        host = None
    if not host:
        raise BadEntryError(
            f"settings.yaml: the reranker's address {shown_value(url)} is none; write http:https://HOST/rerank."
        )
    if "@" in address.netloc:
        raise BadInputError(f"settings.yaml: reranker must have no user and password; {KEY} is their place.")
    return host


# Complex: one condition for each way in which servers shape or number their scores.
def read_scores(body: bytes, number: int) -> list[float]:
    """Read a reply for so many texts, a list of entries or ``results`` with one, in any order, or raise RerankError.

    Scores that are all from 0 to 1 are probabilities and become log-odds.
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise RerankError("the reranker's reply is no JSON.") from None
    items = data.get("results") if isinstance(data, dict) else data
    if not isinstance(items, list) or not all(isinstance(one, dict) for one in items):
        raise RerankError("the reranker's reply has no list of scores; is its address right?")
    by_place = {one["index"]: one.get("relevance_score", one.get("score")) for one in items if _is_place(one)}
    if len(items) == number and by_place.keys() != set(range(number)):
        raise RerankError("the reranker numbered its scores wrongly.")
    scores = checked_scores([by_place[n] for n in sorted(by_place)], number)
    return [_log_odds(one) for one in scores] if all(0 <= one <= 1 for one in scores) else scores


def _is_place(one: dict[str, object]) -> bool:
    return type(one.get("index")) is int


def _log_odds(probability: float) -> float:
    within = min(max(probability, LEAST), 1 - LEAST)
    return math.log(within / (1 - within))
