"""What the one client of models sends, and what comes back: replies to prompts, vectors of texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from autokb.core.ids import canonical_json, digest
from autokb.core.settings import DEFAULT_EFFORT
from autokb.core.vectors import Vectors

TOKENS_MOST = 2**40  # of one reply; a server that counts more has not counted
KEY_VERSION = "1"  # part of every key of the ledger: another one would pay for every reply again


@dataclass(frozen=True, slots=True)
class PromptTurn:
    """One turn of what a model reads."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request: the model (``openai:NAME``), its turns, the JSON schema of the reply, the most it may write.

    ``name`` names the schema (letters, digits, underscores). ``max_tokens`` is what the task declares that its reply
    needs, ``cap`` what is sent as the limit, with room for hidden reasoning (0: ``max_tokens``). ``effort`` is the
    reasoning effort that the settings name for the model, empty where they name none. ``attempt`` counts the replies to
    the very same request that were paid for and could not be read.
    """

    model: str
    messages: tuple[PromptTurn, ...]
    schema: Mapping[str, Any]
    name: str
    max_tokens: int
    attempt: int = 0
    effort: str = ""
    cap: int = 0

    @property
    def base_key(self) -> str:
        """Return the hash of all that can change the reply, whichever attempt it is.

        The cap is no part of it: a reply that ended by itself is the same at any cap.
        """
        turns = [[m.role, m.text] for m in self.messages]
        return digest(
            "request",
            KEY_VERSION,
            self.model,
            self.name,
            str(self.max_tokens),
            canonical_json(turns),
            canonical_json(self.schema),
            *effort_in_key(self.effort),
        )

    @property
    def key(self) -> str:
        """Return the key in the ledger: all that can change the reply, and the attempt."""
        return digest(self.base_key, str(self.attempt))

    @property
    def size(self) -> int:
        """Return the bytes of its turns and schema: no tokenizer makes more tokens of them."""
        return sum(len(m.text.encode()) for m in self.messages) + len(canonical_json(self.schema).encode())

    @property
    def most_output(self) -> int:
        """Return the most tokens that the model may write, hidden reasoning among them."""
        return self.cap or self.max_tokens

    def tried_again(self, attempt: int) -> ModelRequest:
        """Return the same request as a later attempt."""
        return replace(self, attempt=attempt)


def effort_in_key(effort: str) -> tuple[str, ...]:
    """Return what a key holds of a reasoning effort: nothing unless a person set one that is sent."""
    return () if effort in ("", DEFAULT_EFFORT) else (f"effort {effort}",)


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model wrote and what it counted.

    ``cached_tokens`` of the input came from the provider's own cache, ``reasoning_tokens`` of the output are hidden
    reasoning, which is paid for and never seen.
    """

    text: str
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    finish: Literal["stop", "length", "refusal", "other"] = "stop"
    reasoning_tokens: int = 0


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """One request for the vectors of texts.

    ``model`` (``openai:NAME``) has the price; ``embedder`` names model and preparation, so it is part of the key.
    ``dimensions`` is the length that is asked for, 0 where the model's own is.
    """

    model: str
    embedder: str
    texts: tuple[str, ...]
    dimensions: int = 0
    most_output: int = 0  # vectors are no text that a model writes

    @property
    def key(self) -> str:
        """Return the key in the ledger."""
        return digest("embed", self.embedder, *self.texts)

    @property
    def base_key(self) -> str:
        """Return the same key: a reply is read as it comes, so there is no second attempt under another one."""
        return self.key

    @property
    def size(self) -> int:
        """Return the bytes of the texts: no tokenizer makes more tokens of them."""
        return sum(len(text.encode("utf-8", "replace")) for text in self.texts)


@dataclass(frozen=True, slots=True)
class EmbeddingReply:
    """Unit vectors in the order of the request's texts, and the tokens that they cost."""

    vectors: Vectors
    tokens: int


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
        unreached: bool = False,
    ) -> None:
        super().__init__(reason)
        self.retry = retry
        self.retry_after = retry_after  # seconds that the provider asked to wait
        self.fatal = fatal  # no other request will fare better: a refused key, a model that is not there
        self.billed = billed  # a request that was sent and timed out may have been paid for
        self.unreached = unreached  # no connection to the server could be made


class CutOffError(SendError):
    """A reply that was cut off at the largest cap that there is; ``hidden`` where hidden reasoning used the cap up."""

    def __init__(self, reason: str, *, hidden: bool) -> None:
        super().__init__(reason, retry=False)
        self.hidden = hidden


class BudgetReachedError(Exception):
    """The next request does not fit into what is left of the budget."""


class AwaitedError(Exception):
    """The request is written or submitted as part of a batch; its reply is not there yet."""


CHARACTERS_A_TOKEN = 4  # of English prose, the usual rule of thumb; a workspace that has asked before knows its own
