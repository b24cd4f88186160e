"""Replies that come later: what batch files and a provider's batch interface have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Protocol

from autokb.core.ledger import Paid
from autokb.core.model_requests import ModelReply, ModelRequest
from autokb.core.results import Result
from autokb.llm.prices import Price

NAMED = 20  # custom_ids in one sentence; all of them stand in the lists
KEY_DIGITS = 32  # of a key, in a custom_id: 128 bits tell any number of requests apart
TASK_CHARACTERS = 24  # of a task's name there: Anthropic takes 64 letters, digits, hyphens and underscores in all
_CUSTOM_ID = re.compile(r"autokb-(?:\w+-)?([0-9a-f]{32,40})", re.ASCII)


@dataclass(frozen=True, slots=True)
class BatchReport(Result):
    """What was found of the replies that a build waits for, by custom_id; ``said`` says it to people."""

    taken: int
    missing: tuple[str, ...]
    doubled: tuple[str, ...]
    foreign: tuple[str, ...]
    malformed: tuple[str, ...]
    failed: tuple[str, ...]
    unsure: tuple[str, ...]
    incomplete: tuple[str, ...]
    skipped: tuple[str, ...]
    said: tuple[str, ...]


class Handles(Protocol):
    """Keeps a few JSON texts of a batch beside the ledger."""

    def get(self, name: str) -> str | None:
        """Return the text under a name or None."""
        ...

    def put(self, name: str, text: str) -> None:
        """Store a text under a name, on disk before it returns."""
        ...


@dataclass(frozen=True, slots=True)
class TakenReplies:
    """What was found of the replies that a build waits for; requests are named by custom_id.

    ``missing``: no reply yet. ``doubled``: more than one; the first counts. ``foreign``: a reply to something that was
    never asked. ``malformed``: cannot be used. ``failed``: ended by the provider without a reply. ``unsure``:
    submitted or not, nobody knows. ``reasons`` says why of each malformed and failed one. Missing, malformed and
    failed ones are asked for again. ``incomplete`` names files that are still being written, ``skipped`` files whose
    names keep them from being read as replies. ``taken`` counts the replies put into the ledger, with their tokens;
    a cost of None holds a price that is unknown.
    """

    taken: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = 0.0
    missing: tuple[str, ...] = ()
    doubled: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    malformed: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    incomplete: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    reasons: Mapping[str, str] = field(default_factory=dict)

    def report(self) -> BatchReport:
        """Return what was found, with the sentences that say it to people."""
        found = {one.name: getattr(self, one.name) for one in fields(BatchReport) if one.name != "said"}
        return BatchReport(**found, said=tuple(self.sentences()))

    def sentences(self) -> list[str]:
        """Say it to people, one sentence a kind; nothing is said of what did not happen."""
        told = [
            (self.malformed, "Replies that cannot be used, and are asked for again: {}."),
            (self.failed, "Requests that the provider ended without a reply: {}."),
            (self.doubled, "More than one reply, of which the first counts: {}."),
            (self.foreign, "Replies to requests that this workspace never wrote: {}."),
            (self.missing, "No reply yet: {}."),
            (
                self.unsure,
                "The last run ended while it submitted these requests, and nobody knows whether they arrived; they are "
                "submitted again, so cancel the provider's batch of them if there is one: {}.",
            ),
            (self.incomplete, "Files whose last line is not complete yet; it is read by the next run: {}."),
            (self.skipped, "Files that are not read as replies because their names start with requests: {}."),
        ]
        said = [sentence.format(self._named(ids)) for ids, sentence in told if ids]
        return [f"Replies taken: {self.taken}.", *said] if self.taken else said

    def _named(self, ids: tuple[str, ...]) -> str:
        shown = [f"{i} ({self.reasons[i]})" if i in self.reasons else i for i in ids[:NAMED]]
        more = [f"and {len(ids) - NAMED} more"] if len(ids) > NAMED else []
        return ", ".join(shown + more)


class Batch(Protocol):
    """A sender whose replies come with a later run: take what is there, send what is missing, flush."""

    async def check(self, models: Sequence[str]) -> None:
        """Refuse models that cannot be asked this way (BadInputError)."""
        ...

    async def take_replies(self) -> TakenReplies:
        """Put the replies that have come into the ledger; call it before a build asks anything."""
        ...

    async def connect(self) -> None:
        """Do nothing: nobody waits for a reply."""
        return

    async def send(self, request: ModelRequest) -> ModelReply:
        """Note a request; raises AwaitedError."""
        ...

    async def flush(self, outlook: str = "") -> int:
        """Write or submit what was noted; returns how many replies the build waits for.

        ``outlook`` says to people how many rounds are still to come.
        """
        ...

    async def close(self) -> None:
        """Let go of files and connections."""
        ...


def custom_id(key: str, task: str = "") -> str:
    """Return the name that a request has in a batch: its task, for whoever looks at the files, and its key.

    A task is named as tasks are (``issues/grow_tree``) or as their schemas are (``issues_grow_tree``).
    """
    name = re.sub(r"\W", "_", task_of(task), flags=re.ASCII)[:TASK_CHARACTERS]
    return "-".join(filter(None, ("autokb", name, key[:KEY_DIGITS])))


def custom_id_of(key: str, awaited: Mapping[str, Paid]) -> str:
    """Return the custom_id of a request; its task is known as long as its reply is awaited."""
    return custom_id(key, awaited[key].task if key in awaited else "")


def task_of(name: str) -> str:
    """Return a task's name without its group, from its own name or that of its schema."""
    return re.split("[/_]", name, maxsplit=1)[-1]


def key_digits(custom_id: str) -> str:
    """Return the first digits of the key that a custom_id names, nothing where it is none of ours.

    Earlier versions wrote 40 digits and no task; replies to such requests are still taken.
    """
    found = _CUSTOM_ID.fullmatch(custom_id)
    return found[1][:KEY_DIGITS] if found else ""


def awaited_row(request: ModelRequest) -> Paid:
    """Return the ledger's row of a request that is written or submitted; the client knows its stage, task and items."""
    cap = request.most_output
    return Paid(
        key=request.key,
        base_key=request.base_key,
        stage="",
        task="",
        model=request.model,
        items=(),
        state="awaited",
        reply=None,
        cost=None,
        calls=0,
        cap=cap,
    )


def batch_cost(price: Price | None, reply: ModelReply) -> float | None:
    """Return the USD of a reply that came with a batch; unknown without a price."""
    if price is None:
        return None
    return price.cost(reply.input_tokens, reply.output_tokens, reply.cached_tokens, batch=True)
