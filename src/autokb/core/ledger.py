"""The ledger's port: what was asked, what came back and what it cost, on disk before anyone uses it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from autokb.core.model_requests import EmbeddingRequest, ModelReply
from autokb.core.vectors import Vectors

State = Literal["sent", "awaited", "paid", "read", "unreadable", "failed"]


@dataclass(frozen=True, slots=True)
class Paid:
    """One row of the ledger.

    ``sent``: an attempt that is under way, booked at the most that it can cost; what ends it takes it out again, so
    that what is left was in flight when a process was killed. ``awaited``: written or submitted as part of a batch.
    ``paid``: the reply is on disk, nobody has read it yet. ``read``: it was read. ``unreadable``: it was paid and could
    not be read; it is never served again. ``failed``: an attempt that got no reply. ``calls`` and ``cost`` are what
    this row adds to the one of the same key, an awaited one adds neither. A cost of None is unknown. ``items`` are the
    keys of the items that the request is about, ``batch`` is for whoever sent it as part of a batch. ``vectors`` are
    those of an embedding request, kept with the row. ``cap`` is the limit of tokens that was sent, 0 where none was.
    """

    key: str
    base_key: str
    stage: str
    task: str
    model: str
    items: tuple[str, ...]
    state: State
    reply: ModelReply | None
    cost: float | None
    calls: int = 1
    batch: str = ""
    vectors: tuple[EmbeddingRequest, Vectors] | None = None
    cap: int = 0


@dataclass(frozen=True, slots=True)
class CutReply:
    """A reply that was cut off at ``cap`` and could not be read; ``hidden`` tokens of it were reasoning."""

    cap: int
    hidden: int


@dataclass(frozen=True, slots=True)
class HiddenReasoning:
    """What a model's replies that ended by themselves used for hidden reasoning, in tokens: the most, and the mean."""

    most: int
    mean: float


class Ledger(Protocol):
    """Keeps every request that was paid for or is awaited.

    A row that is ``sent`` stands beside the one of its key: a reply takes out all attempts of the key that were under
    way, a failure takes out one. Any other row of a key that is there already changes its state (a reply is never lost
    to a later failure), adds its calls and cost, and leaves what it does not name (an empty stage, task, items, batch)
    as it was.
    """

    def replies(self, keys: Sequence[str]) -> dict[str, ModelReply]:
        """Return the replies that can be served: those paid for and not found unreadable."""
        ...

    def unreadable(self, base_keys: Sequence[str]) -> dict[str, int]:
        """Return how many replies to each request were paid for and could not be read; only those with any."""
        ...

    def cut_replies(self) -> dict[str, dict[str, CutReply]]:
        """Return the replies that were cut off and could not be read, by the base key of their request and by key."""
        ...

    def reasoning(self, model: str) -> dict[str, HiddenReasoning]:
        """Return what a model's replies used for hidden reasoning, by task; only tasks where any did."""
        ...

    def keep(self, rows: Sequence[Paid]) -> None:
        """Store rows, on disk before it returns; any thread may call it."""
        ...

    def settle(self, keys: Sequence[str], readable: bool) -> None:
        """Note whether the replies of these keys could be read."""
        ...

    def open_groups(self, task: str) -> list[tuple[str, ...]]:
        """Return the items of each request of a task that is paid but unread or awaited, oldest first, none twice."""
        ...

    def awaited(self) -> list[Paid]:
        """Return the requests whose replies a batch still owes, oldest first."""
        ...
