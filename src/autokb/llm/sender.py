"""The ports that send a request to a provider: providers, batches and scripted models in tests keep them."""

from __future__ import annotations

from typing import Protocol

from autokb.core.model_requests import EmbeddingReply, EmbeddingRequest, ModelReply, ModelRequest


class Sender(Protocol):
    """Sends requests as they are, each once; whoever calls decides about retries."""

    async def connect(self) -> None:
        """Connect, so that the first request need not; it says what fails. Nothing is asked or paid."""
        ...

    async def send(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply; SendError says why there is none, AwaitedError that it comes with a batch."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...


class EmbeddingSender(Protocol):
    """Sends requests for vectors, each once."""

    async def send(self, request: EmbeddingRequest) -> EmbeddingReply:
        """Return the vectors; SendError says why there are none."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...
