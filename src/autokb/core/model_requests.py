"""What goes through the one client of models: a request, and the reply that came back for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from autokb.core.ids import canonical_json, digest

KEY_VERSION = "1"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a model reads."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request: the model (``openai:NAME``), its turns, the JSON schema of the reply, the most it may write.

    ``name`` names the schema (letters, digits, underscores). ``attempt`` counts the replies to the very same request
    that were paid for and could not be read.
    """

    model: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    name: str
    max_tokens: int
    attempt: int = 0

    @property
    def base_key(self) -> str:
        """Return the hash of all that can change the reply, whichever attempt it is."""
        turns = [[m.role, m.text] for m in self.messages]
        return digest(
            "request",
            KEY_VERSION,
            self.model,
            self.name,
            str(self.max_tokens),
            canonical_json(turns),
            canonical_json(self.schema),
        )

    @property
    def key(self) -> str:
        """Return the key in the ledger: all that can change the reply, and the attempt."""
        return digest(self.base_key, str(self.attempt))

    @property
    def size(self) -> int:
        """Return the bytes of its turns and schema: no tokenizer makes more tokens of them."""
        return sum(len(m.text.encode()) for m in self.messages) + len(canonical_json(self.schema).encode())

    def tried_again(self, attempt: int) -> ModelRequest:
        """Return the same request as a later attempt."""
        return replace(self, attempt=attempt)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model wrote and what it counted; ``cached_tokens`` of the input came from the provider's own cache."""

    text: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    finish: Literal["stop", "length", "refusal", "other"] = "stop"


class SendError(Exception):
    """A request that got no reply; ``retry`` says whether sending it again can help."""

    def __init__(
        self,
        reason: str,
        *,
        retry: bool,
        retry_after: float | None = None,
        fatal: bool = False,
        billed: Literal["no", "perhaps"] = "no",
    ) -> None:
        super().__init__(reason)
        self.retry = retry
        self.retry_after = retry_after  # seconds that the provider asked to wait
        self.fatal = fatal  # no other request will fare better: a refused key, a model that is not there
        self.billed = billed  # a request that was sent and timed out may have been paid for


class BudgetReachedError(Exception):
    """The next request does not fit into what is left of the budget."""


class AwaitedError(Exception):
    """The request is written or submitted as part of a batch; its reply is not there yet."""
