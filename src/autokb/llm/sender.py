"""The port that sends a request to a model: providers, batches and scripted models in tests keep it."""

from __future__ import annotations

from typing import Protocol

from autokb.core.model_requests import ModelReply, ModelRequest


class Sender(Protocol):
    """Sends requests as they are, each once; whoever calls decides about retries."""

    async def send(self, request: ModelRequest) -> ModelReply:
        """Return the model's reply; SendError says why there is none, AwaitedError that it comes with a batch."""
        ...

    async def close(self) -> None:
        """Close its connections."""
        ...
