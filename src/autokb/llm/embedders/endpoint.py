"""Embeddings of OpenAI and of any endpoint that speaks its /embeddings: batches, our own retries, strict reading."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.model_requests import SendError
from autokb.llm.embedders import Vectors, readable
from autokb.llm.embedders.endpoint_replies import Embeddings, failure, read_embeddings
from autokb.llm.keys import VARIABLES, check_key, scrubbed

MOST_TEXTS = 32  # a request: what the strictest common server takes by default
MOST_CHARACTERS = 48_000  # a request, so that a slow endpoint answers before the time-out
LONGEST = 8_000  # bytes of a text: no tokenizer makes more tokens of them, and providers take 8,191
PROBE = "a text to learn how long a vector is"
LONGEST_PAUSE = 60.0  # seconds


class OpenAIEmbedder:
    """Asks BASE_URL/embeddings; ``name`` is ``openai:NAME``, with ``?dimensions=N`` where shorter vectors are asked.

    The endpoint's address is no part of the name: the same model elsewhere gives the same vectors.
    """

    def __init__(
        self,
        model: str,
        *,
        asked_dimensions: int = 0,
        base_url: str = "",
        timeout: float = 120.0,
        retries: int = 5,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = f"openai:{model}" + (f"?dimensions={asked_dimensions}" if asked_dimensions else "")
        self.price_key = f"openai:{model}"
        self.sent = 0
        self.known_dimensions = asked_dimensions
        self._model, self._asked = model, asked_dimensions
        self._base_url, self._timeout = base_url, timeout
        self._retries, self._pause, self._jitter = retries, pause, random.Random(0)
        check_key("openai", f"The embedder {self.name}")

    @property
    def dimensions(self) -> int:
        """Return the length of its vectors; asked before any text was embedded, it costs one short request."""
        if not self.known_dimensions:
            self.embed_counted([PROBE])
        return self.known_dimensions

    def expect(self, dimensions: int) -> None:
        """Say how long its vectors were so far; from now on others are refused."""
        if self.known_dimensions not in (0, dimensions):
            raise self._other_length(self.known_dimensions, dimensions)
        self.known_dimensions = dimensions

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors in the order of the texts; of a text only the first 8,000 bytes are read."""
        found = [self.embed_counted(part)[0] for part in self.batches(texts)]
        return np.concatenate(found) if found else np.zeros((0, self.dimensions), dtype=np.float32)

    def batches(self, texts: Sequence[str]) -> list[list[str]]:
        """Cut texts into what one request takes."""
        parts: list[list[str]] = []
        size = 0
        for text in texts:
            length = min(len(text), LONGEST)
            if not parts or len(parts[-1]) == MOST_TEXTS or size + length > MOST_CHARACTERS:
                parts.append([])
                size = 0
            parts[-1].append(text)
            size += length
        return parts

    def embed_counted(self, texts: Sequence[str]) -> tuple[Vectors, int]:
        """Return unit vectors and the tokens that they cost, by one request that is tried again where that helps."""
        found = self._asked_often([readable(text, LONGEST) for text in texts])
        length = found.vectors.shape[1]
        if self.known_dimensions not in (0, length):
            raise self._other_length(self.known_dimensions, length)
        self.known_dimensions = length
        return found.vectors, found.tokens

    def _asked_often(self, texts: Sequence[str]) -> Embeddings:
        for attempt in range(self._retries + 1):
            try:
                return self._asked_once(texts)
            except SendError as error:
                said = scrubbed(str(error))
                if error.fatal:
                    raise BadInputError(f"The embedder {self.name} cannot be used: {said}") from None
                if not error.retry or attempt == self._retries:
                    raise AutokbError(
                        f"The embedder {self.name} gave no vectors: {said} What was embedded before is kept; run the "
                        "command again."
                    ) from None
                self._pause(self._seconds(attempt, error.retry_after))
        raise AssertionError("the last attempt returns or raises")

    def _asked_once(self, texts: Sequence[str]) -> Embeddings:
        import openai

        wanted = {"dimensions": self._asked} if self._asked else {}
        self.sent += 1
        try:
            reply = self._client.embeddings.with_raw_response.create(
                input=list(texts), model=self._model, encoding_format="float", **wanted
            )
            return read_embeddings(reply.http_response.content, texts)
        except openai.OpenAIError as error:
            raise failure(error, self._model) from None

    @cached_property
    def _client(self) -> Any:
        import openai

        key = os.environ.get(VARIABLES["openai"][0], "").strip()
        return openai.OpenAI(api_key=key, base_url=self._base_url or None, timeout=self._timeout, max_retries=0)

    def _seconds(self, attempt: int, asked: float | None) -> float:
        if asked is not None:
            return min(asked, LONGEST_PAUSE)
        return float(min(2.0**attempt, LONGEST_PAUSE)) * (0.5 + self._jitter.random() / 2)

    def _other_length(self, expected: int, found: int) -> BadInputError:
        return BadInputError(
            f"The embedder {self.name} gives vectors of {found} numbers, not {expected} as before: another model "
            "answers under this name. Name the right one in settings.yaml, or import the knowledge base into a new "
            "workspace."
        )
