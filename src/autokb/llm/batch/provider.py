"""A provider's own batch interface: submitted by one run, collected by a later one, at half the price."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from autokb.core.ledger import Ledger, Paid
from autokb.core.model_requests import AwaitedError, ModelReply, ModelRequest, SendError
from autokb.core.settings import MAX_REPLY_BYTES
from autokb.llm.batch.awaited import (
    KEY_DIGITS,
    Batch,
    Handles,
    TakenReplies,
    awaited_row,
    batch_cost,
    custom_id,
    custom_id_of,
    key_digits,
)
from autokb.llm.batch.lines import UNRUN
from autokb.llm.batch.models import batch_request, check_has_batches, decoded, explained, was_refused
from autokb.llm.effort import refuses_effort
from autokb.llm.failures import failure
from autokb.llm.prices import Price
from autokb.net.reply_bound import ReplyBound, find_too_long, is_too_long, too_long

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.models.batch import BatchResult, EncodedBatchRequest


class BatchCollector:
    """One pass over the batches; ``refused`` are the requests, by key, that will fare no better another time."""

    def __init__(self, ledger: Ledger, price_of: Callable[[str], Price | None], bound: ReplyBound) -> None:
        self._ledger = ledger
        self._bound = bound
        self._price_of = price_of
        self._awaited = {row.key: row for row in ledger.awaited()}
        self._taken: list[tuple[ModelReply, float | None]] = []
        self._missing: list[str] = []
        self._reasons: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.taken_keys: set[str] = set()

    async def collect(self, model: Model, keys: Sequence[str], handle: Mapping[str, Any]) -> bool:
        """Take the results of a batch; returns whether it has ended."""
        from pydantic import TypeAdapter, ValidationError
        from pydantic_ai.exceptions import ModelHTTPError
        from pydantic_ai.models.batch import Batch

        batch = TypeAdapter(Batch).validate_python(handle)
        self._bound.replies = len(keys)  # all of them come in one answer
        try:
            batch = await model.batch_status(batch)
            if batch.status != "ended":
                self._missing += [custom_id_of(key, self._awaited) for key in keys]
                return False
            results = {key_digits(one.custom_id): one for one in await model.batch_results(batch)}
        except ModelHTTPError as error:
            if error.status_code != 404:
                raise
            self._all_failed(keys, "the provider no longer has its batch")
            return True
        except ValidationError:
            self._all_failed(keys, "the provider's file of replies cannot be read")
            return True
        except Exception as error:
            if find_too_long(error) is None:
                raise
            self._all_failed(keys, too_long(self._bound.bytes_each))
            return True
        self._store(model, keys, results)
        return True

    def _all_failed(self, keys: Sequence[str], reason: str) -> None:
        self._reasons.update((custom_id_of(key, self._awaited), reason) for key in keys if key in self._awaited)

    def _store(self, model: Model, keys: Sequence[str], results: Mapping[str, BatchResult]) -> None:
        rows: list[Paid] = []
        for key in keys:
            # What another run took already, or another way brought, is not taken twice.
            if (row := self._awaited.get(key)) is None:
                continue
            result = results.get(key[:KEY_DIGITS])
            if result is None:
                self._all_failed([key], "its batch ended without a result for it")
            elif (paid := self._paid(model, row, result)) is not None:
                rows.append(paid)
        if rows:
            self._ledger.keep(rows)
            self.taken_keys.update(row.key for row in rows)
        self._taken += [(r.reply, r.cost) for r in rows if r.reply is not None]

    def _paid(self, model: Model, row: Paid, result: BatchResult) -> Paid | None:
        from pydantic_ai.exceptions import ModelAPIError

        try:
            reply = decoded(model, result)
        except ModelAPIError as error:
            known = failure(error, row.model)
            self._reasons[custom_id_of(row.key, self._awaited)] = UNRUN.get(result.status) or str(known)
            if result.status == "errored" and not known.retry and not refuses_effort(row.model, model, known, ""):
                self.refused[row.key] = str(known)
            return None
        if is_too_long(reply.text, self._bound.bytes_each):
            self._all_failed([row.key], too_long(self._bound.bytes_each))
            return None
        cost = batch_cost(self._price_of(row.model), reply)
        return replace(row, state="paid", reply=reply, cost=cost, calls=1)

    def result(self, unsure: Sequence[str]) -> TakenReplies:
        """Say what was found; ``unsure`` are the keys of what may or may not have been submitted."""
        costs = [cost for _, cost in self._taken]
        known = [cost for cost in costs if cost is not None]
        return TakenReplies(
            taken=len(self._taken),
            input_tokens=sum(reply.input_tokens for reply, _ in self._taken),
            output_tokens=sum(reply.output_tokens for reply, _ in self._taken),
            reasoning_tokens=sum(reply.reasoning_tokens for reply, _ in self._taken),
            cost=sum(known) if len(known) == len(costs) else None,
            missing=tuple(self._missing),
            failed=tuple(self._reasons),
            unsure=tuple(custom_id_of(key, self._awaited) for key in unsure),
            reasons=self._reasons,
        )


JOBS = "batch-provider"


@dataclass
class BatchJob:
    """One batch at a provider: the model, the keys of its requests, the provider's handle."""

    model: str
    keys: list[str]
    handle: dict[str, Any] = field(default_factory=dict)


@dataclass
class BatchJobs:
    """What is with providers, and what was about to be submitted."""

    jobs: list[BatchJob] = field(default_factory=list)
    submitting: list[BatchJob] = field(default_factory=list)

    def as_json(self) -> str:
        """Return it as one JSON text."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @staticmethod
    def from_json(text: str | None) -> BatchJobs:
        """Read it; there are none where there is no text."""
        kept = json.loads(text) if text else {"jobs": [], "submitting": []}
        return BatchJobs([BatchJob(**job) for job in kept["jobs"]], [BatchJob(**job) for job in kept["submitting"]])


def submitted(handles: Handles) -> int:
    """Return how many requests are with providers: a build that asks in another way would pay for them again."""
    return sum(len(job.keys) for job in BatchJobs.from_json(handles.get(JOBS)).jobs)


@dataclass(eq=False)
class BatchProvider(Batch):
    """Queues requests and submits them together; use it inside one event loop."""

    ledger: Ledger
    handles: Handles
    price_of: Callable[[str], Price | None]
    open_model: Callable[[str], AbstractAsyncContextManager[Model]]
    bound: ReplyBound = field(default_factory=lambda: ReplyBound(MAX_REPLY_BYTES))
    _models: dict[str, Model] = field(default_factory=dict, init=False)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack, init=False)
    _queue: dict[str, ModelRequest] = field(default_factory=dict, init=False)
    _awaited: set[str] = field(default_factory=set, init=False)  # keys that this run asked for
    _refused: dict[str, str] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        """Read what was submitted before."""
        self._state = BatchJobs.from_json(self.handles.get(JOBS))
        self._submitted = {key for job in self._state.jobs for key in job.keys}

    async def check(self, models: Sequence[str]) -> None:
        """Refuse models whose provider takes no batches (BadInputError)."""
        for name in models:
            await self._model(name)

    async def take_replies(self) -> TakenReplies:
        """Put the replies of batches that have ended into the ledger."""
        collecting = BatchCollector(self.ledger, self.price_of, self.bound)
        for job in list(self._state.jobs):
            model = await self._model(job.model)
            with explained(job.model, "be asked for its batches"):
                ended = await collecting.collect(model, job.keys, job.handle)
            if ended:
                # The replies are in the ledger by now; a run that is killed here collects them again and drops them.
                self._state.jobs.remove(job)
                self._save()
        self._submitted = {key for job in self._state.jobs for key in job.keys}
        self._awaited -= collecting.taken_keys
        self._refused = collecting.refused
        return collecting.result([key for job in self._state.submitting for key in job.keys])

    async def has_ended(self) -> bool:
        """Ask whether a batch has ended, so that there is something to take; it is so too where none is submitted."""
        from pydantic import TypeAdapter
        from pydantic_ai.exceptions import ModelHTTPError
        from pydantic_ai.models.batch import Batch

        for job in self._state.jobs:
            model = await self._model(job.model)
            with explained(job.model, "be asked for its batches"):
                try:
                    batch = await model.batch_status(TypeAdapter(Batch).validate_python(job.handle))
                except ModelHTTPError as error:
                    if error.status_code != 404:  # the provider no longer has it: its requests are submitted again
                        raise
                    return True
            if batch.status == "ended":
                return True
        return not self._state.jobs

    async def send(self, request: ModelRequest) -> ModelReply:
        """Queue a request, unless it is with the provider already; raises AwaitedError."""
        key = request.key
        if reason := self._refused.get(key):
            raise SendError(reason, retry=False)
        if key not in self._submitted:
            self._queue[key] = request
        self._awaited.add(key)
        raise AwaitedError(f"The reply to {custom_id(key, request.name)} is awaited.")

    async def flush(self, outlook: str = "") -> int:
        """Submit what is queued; returns how many replies this run waits for."""
        requests = [self._queue[key] for key in sorted(self._queue)]
        self.ledger.keep([awaited_row(request) for request in requests])
        for name in dict.fromkeys(request.model for request in requests):
            await self._submit(name, [request for request in requests if request.model == name])
        if self._state.submitting:
            self._state.submitting = []
            self._save()
        return len(self._awaited)

    async def _submit(self, name: str, requests: Sequence[ModelRequest]) -> None:
        model = await self._model(name)
        groups: dict[str, list[EncodedBatchRequest]] = {}
        keys = {custom_id(request.key, request.name): request.key for request in requests}
        for request in requests:
            with explained(name, "take a request as part of a batch"):
                encoded = await model.batch_encode(batch_request(model, request))
            groups.setdefault(encoded.group, []).append(encoded)
        for group in groups.values():
            for part in parts_of_batch(model, group):
                await self._create(model, BatchJob(name, [keys[one.custom_id] for one in part]), part)

    async def _create(self, model: Model, job: BatchJob, part: Sequence[EncodedBatchRequest]) -> None:
        """Submit one batch: noted before, so that a run that ends here is noticed by the next one."""
        from pydantic import TypeAdapter
        from pydantic_ai.exceptions import ModelHTTPError
        from pydantic_ai.models.batch import Batch

        self._state.submitting = [job]
        self._save()
        with explained(job.model, "take a batch"):
            try:
                batch = await model.batch_create(part)
            except ModelHTTPError as error:
                if was_refused(error):  # so the provider does not have it
                    self._state.submitting = []
                    self._save()
                raise
        job.handle = TypeAdapter(Batch).dump_python(batch, mode="json")
        self._state.jobs.append(job)
        self._state.submitting = []
        self._save()
        self._submitted.update(job.keys)
        for key in job.keys:
            del self._queue[key]

    async def _model(self, name: str) -> Model:
        if name not in self._models:
            model = await self._stack.enter_async_context(self.open_model(name))
            check_has_batches(model, name)
            self._models[name] = model
        return self._models[name]

    def _save(self) -> None:
        self.handles.put(JOBS, self._state.as_json())

    async def close(self) -> None:
        """Close the connections."""
        await self._stack.aclose()
        self._models.clear()


def parts_of_batch(model: Model, encoded: Sequence[EncodedBatchRequest]) -> Iterator[list[EncodedBatchRequest]]:
    """Split requests into batches that the provider takes."""
    most, most_bytes = model.batch_max_requests, model.batch_max_bytes
    part: list[EncodedBatchRequest] = []
    size = 0
    for one in encoded:
        own = model.batch_request_size(one)
        if part and (len(part) == most or (most_bytes is not None and size + own > most_bytes)):
            yield part
            part, size = [], 0
        part.append(one)
        size += own
    if part:
        yield part
