"""Embeddings of OpenAI and of any endpoint that speaks its /embeddings, one request at a time."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import anyio
import numpy as np
from numpy.typing import NDArray

from autokb.core.errors import BadInputError
from autokb.core.model_requests import CHARACTERS_A_TOKEN, TOKENS_MOST, EmbeddingReply, EmbeddingRequest, SendError
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.core.storable import without_surrogates
from autokb.core.vectors import Vectors
from autokb.llm.embedders import readable
from autokb.llm.failures import SHOWN, is_worth_a_retry, timed_out
from autokb.llm.keys import NO_KEY, VARIABLES, check_key, scrubbed, warn_of_open_wire
from autokb.llm.prices import OPENAI_URL, is_openai
from autokb.net.reply_bound import ReplyBound, ReplyTooLongError, find_too_long

if TYPE_CHECKING:
    import openai

MOST_TEXTS = 32  # a request: what the strictest common server takes by default
MOST_CHARACTERS = 48_000  # a request, so that a slow endpoint answers before the time-out
MOST_BYTES = 8_000  # of a text: no tokenizer makes more tokens of them, and providers take 8,191
KEY = VARIABLES["openai"][0]


@dataclass(eq=False)
class EndpointEmbedder:
    """Says what to send to BASE_URL/embeddings, and sends it; vectors come through the client of models.

    ``name`` is ``openai:NAME``, with ``?dimensions=N`` where shorter vectors are asked. The endpoint's address is no
    part of it: the same model elsewhere gives the same vectors. ``dimensions`` is 0 until the first vectors came, or
    ``expect`` told of those that are kept already.
    """

    model: str
    _: KW_ONLY
    dimensions: int = 0
    base_url: str = ""
    timeout: float = 120.0
    max_reply_bytes: int = MAX_REPLY_BYTES

    def __post_init__(self) -> None:
        """Refuse an endpoint that needs a key where there is none."""
        self.name = f"openai:{self.model}" + (f"?dimensions={self.dimensions}" if self.dimensions else "")
        self.price_key = f"openai:{self.model}"
        self._asked_dimensions = self.dimensions
        if is_openai(self.base_url):
            check_key("openai", f"The embedder {self.name}")
        warn_of_open_wire(self.base_url)

    def expect(self, dimensions: int) -> None:
        """Say how long its vectors were so far; from now on others are refused (BadInputError)."""
        if self.dimensions not in (0, dimensions):
            raise self._other_length(self.dimensions, dimensions)
        self.dimensions = dimensions

    def requests(self, texts: Sequence[str]) -> Iterator[EmbeddingRequest]:
        """Yield the requests that ask for the vectors of these texts, in their order."""
        batch: list[str] = []
        size = 0
        for text in texts:
            length = min(len(text), MOST_BYTES)
            if batch and (len(batch) == MOST_TEXTS or size + length > MOST_CHARACTERS):
                yield self._request(batch)
                batch, size = [], 0
            batch.append(text)
            size += length
        if batch:
            yield self._request(batch)

    def _request(self, texts: Sequence[str]) -> EmbeddingRequest:
        return EmbeddingRequest(self.price_key, self.name, tuple(texts), self._asked_dimensions)

    async def send(self, request: EmbeddingRequest) -> EmbeddingReply:
        """Return unit vectors and the tokens that they cost; of a text only the first 8,000 bytes are read."""
        import openai

        read = [readable(text, MOST_BYTES) for text in request.texts]
        wanted = {"dimensions": request.dimensions} if request.dimensions else {}
        try:
            with anyio.fail_after(self.timeout):
                reply = await self._client.embeddings.with_raw_response.create(
                    input=read, model=self.model, encoding_format="float", **wanted
                )
        except TimeoutError:
            raise timed_out(self.timeout) from None
        except (openai.OpenAIError, ReplyTooLongError) as error:
            raise find_too_long(error) or self._failure(error) from None
        found = read_embeddings(reply.http_response.content, read)
        length = found.vectors.shape[1]
        if self.dimensions not in (0, length):
            raise self._other_length(self.dimensions, length)
        self.dimensions = length
        return found

    async def close(self) -> None:
        """Close the connections."""
        if "_client" in self.__dict__:
            await self._client.close()

    @cached_property
    def _client(self) -> Any:
        import openai

        from autokb.net.bounded_http import BoundedClient

        key = os.environ.get(KEY, "").strip() or NO_KEY
        http = BoundedClient(ReplyBound(self.max_reply_bytes), self.timeout, follow_redirects=True)
        # An address is always named: OPENAI_BASE_URL must not send a person's texts and money elsewhere unseen.
        return openai.AsyncOpenAI(
            api_key=key,
            base_url=self.base_url or OPENAI_URL,
            timeout=self.timeout,
            max_retries=0,
            http_client=http,
        )

    def _other_length(self, expected: int, found: int) -> BadInputError:
        return BadInputError(
            f"The embedder {self.name} gives vectors of {found} numbers, not {expected} as before: another model "
            "answers under this name. Name the right one in settings.yaml, or import the knowledge base into a new "
            "workspace."
        )

    def _failure(self, error: Exception) -> SendError:
        """Say why a request got no vectors; what an endpoint repeats of the key is taken out."""
        import httpx
        import openai

        match error:
            case openai.APITimeoutError():
                return SendError("the endpoint did not answer in time.", retry=True, billed="perhaps")
            case openai.APIStatusError():
                return self._refusal(error)
            case openai.APIConnectionError():
                said = "the endpoint cannot be reached, or it closed the connection."
                return SendError(said, retry=True, unreached=isinstance(error.__cause__, httpx.ConnectError))
        return SendError(f"{type(error).__name__}.", retry=False)

    def _refusal(self, error: openai.APIStatusError) -> SendError:
        status, reason = error.status_code, ""
        if status in (401, 403):
            reason = f"the key in {KEY} was refused (HTTP {status})."
        elif status == 404:
            reason = (
                f"there is no embedding model {self.model} at the endpoint (HTTP 404); check embedder and base_url in "
                "settings.yaml."
            )
        elif error.code == "insufficient_quota":
            reason = f"the account of the key in {KEY} has no money left."
        if reason:
            return SendError(f"The embedder {self.name} cannot be used: {reason}", retry=False, fatal=True)
        body = error.body
        message = body.get("message") if isinstance(body, dict) else None
        shown = without_surrogates(scrubbed(str(message or "the endpoint refused the request")))
        told = " ".join(shown.split()).rstrip(".")[:SHOWN]
        try:
            retry_after = max(0.0, float(error.response.headers["retry-after"]))
        except (KeyError, ValueError):
            retry_after = None
        return SendError(f"{told} (HTTP {status}).", retry=is_worth_a_retry(status), retry_after=retry_after)


def read_embeddings(body: bytes, texts: Sequence[str]) -> EmbeddingReply:
    """Read a reply for these texts; SendError says what is wrong, and a body cut off may be asked for again."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise SendError("the endpoint's reply is no JSON.", retry=True) from error
    if not isinstance(data, dict) or not isinstance(data.get("data"), list):
        raise SendError("the endpoint's reply has no list of embeddings; is base_url right?", retry=False)
    items = data["data"]
    if len(items) != len(texts):
        raise SendError(f"the endpoint sent {len(items)} vectors for {len(texts)} texts.", retry=False)
    places = [i.get("index", n) if isinstance(i, dict) else None for n, i in enumerate(items)]
    by_place = {p: i.get("embedding") for p, i in zip(places, items, strict=True) if type(p) is int}
    if set(by_place) != set(range(len(texts))):
        raise SendError("the endpoint numbered its vectors wrongly.", retry=False)
    vectors = _unit_rows([by_place[n] for n in range(len(texts))])
    return EmbeddingReply(vectors, _tokens(data.get("usage"), texts))


def _tokens(usage: Any, texts: Sequence[str]) -> int:
    """Return the tokens that a reply counts, or a guess by the length of the texts where it counts none."""
    counted = [usage.get(name) for name in ("prompt_tokens", "total_tokens")] if isinstance(usage, dict) else []
    guessed = sum(map(len, texts)) // CHARACTERS_A_TOKEN + 1
    return next((n for n in counted if type(n) is int and 0 < n < TOKENS_MOST), guessed)


# Complex: one condition for each way in which rows are no unit vectors, in an order that keeps numpy from failing.
def _unit_rows(rows: Sequence[Any]) -> Vectors:
    if not all(isinstance(row, list) and row for row in rows):
        raise SendError("an embedding is no list of numbers.", retry=False)
    if len({len(row) for row in rows}) != 1:
        raise SendError("the vectors of one reply differ in their length.", retry=False)
    # Strictly numbers: numpy would read "1.5" and true as such.
    if not all(type(number) in (int, float) for row in rows for number in row):
        raise SendError("a vector holds something that is no finite number.", retry=False)
    try:
        vectors: NDArray[np.float64] = np.array(rows, dtype=np.float64)
    except OverflowError:
        raise SendError("a vector holds a number that is too large.", retry=False) from None
    with np.errstate(over="ignore"):  # it is refused below; numpy would tell people of a line of its own
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise SendError("a vector holds something that is no finite number.", retry=False)
    if not (lengths > 0).all():
        raise SendError("a vector is all zeros and points nowhere.", retry=False)
    return np.ascontiguousarray(vectors / lengths, dtype=np.float32)
