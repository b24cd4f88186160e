"""Collects the results of a provider's batches into the ledger."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from autokb.core.ledger import Ledger, Paid
from autokb.llm.batch.awaited import TakenReplies, batch_cost, custom_id
from autokb.llm.batch.models import decoded
from autokb.llm.failures import failure
from autokb.llm.prices import Price

if TYPE_CHECKING:
    from pydantic_ai.models import Model
    from pydantic_ai.models.batch import Batch, BatchResult

UNRUN = {"expired": "it expired before it was run", "canceled": "it was cancelled before it was run"}


class Collecting:
    """One pass over the batches; ``refused`` are the requests, by key, that will fare no better another time."""

    def __init__(self, ledger: Ledger, price_of: Callable[[str], Price | None]) -> None:
        self._ledger = ledger
        self._price_of = price_of
        self._awaited = {row.key: row for row in ledger.awaited()}
        self._taken: list[tuple[int, int, float | None]] = []
        self._missing: list[str] = []
        self._reasons: dict[str, str] = {}
        self.refused: dict[str, str] = {}
        self.taken_keys: set[str] = set()

    async def collect(self, model: Model, keys: Sequence[str], handle: Mapping[str, Any]) -> bool:
        """Take the results of a batch; returns whether it has ended."""
        from pydantic import TypeAdapter
        from pydantic_ai.exceptions import ModelHTTPError
        from pydantic_ai.models.batch import Batch

        batch = TypeAdapter(Batch).validate_python(handle)
        try:
            batch = await model.batch_status(batch)
            if batch.status != "ended":
                self._missing += [custom_id(key) for key in keys]
                return False
            results = await self._results(model, batch)
        except ModelHTTPError as error:
            if error.status_code != 404:
                raise
            self._all_failed(keys, "the provider no longer has its batch")
            return True
        self._store(model, keys, results)
        return True

    async def _results(self, model: Model, batch: Batch) -> dict[str, BatchResult]:
        return {result.custom_id: result for result in await model.batch_results(batch)}

    def _all_failed(self, keys: Sequence[str], reason: str) -> None:
        self._reasons.update((custom_id(key), reason) for key in keys if key in self._awaited)

    def _store(self, model: Model, keys: Sequence[str], results: Mapping[str, BatchResult]) -> None:
        rows: list[Paid] = []
        for key in keys:
            # What another run took already, or another way brought, is not taken twice.
            if (row := self._awaited.get(key)) is None:
                continue
            result = results.get(custom_id(key))
            if result is None:
                self._all_failed([key], "its batch ended without a result for it")
            elif (paid := self._paid(model, row, result)) is not None:
                rows.append(paid)
        if rows:
            self._ledger.keep(rows)
            self.taken_keys.update(row.key for row in rows)
        self._taken += [(r.reply.input_tokens, r.reply.output_tokens, r.cost) for r in rows if r.reply is not None]

    def _paid(self, model: Model, row: Paid, result: BatchResult) -> Paid | None:
        from pydantic_ai.exceptions import ModelAPIError

        try:
            reply = decoded(model, result)
        except ModelAPIError as error:
            known = failure(error, row.model)
            self._reasons[custom_id(row.key)] = UNRUN.get(result.status) or str(known)
            if result.status == "errored" and not known.retry:
                self.refused[row.key] = str(known)
            return None
        cost = batch_cost(self._price_of(row.model), reply)
        return replace(row, state="paid", reply=reply, cost=cost, calls=1)

    def result(self, unsure: Sequence[str]) -> TakenReplies:
        """Say what was found."""
        costs = [cost for _, _, cost in self._taken]
        known = [cost for cost in costs if cost is not None]
        return TakenReplies(
            taken=len(self._taken),
            input_tokens=sum(read for read, _, _ in self._taken),
            output_tokens=sum(wrote for _, wrote, _ in self._taken),
            cost=sum(known) if len(known) == len(costs) else None,
            missing=tuple(self._missing),
            failed=tuple(self._reasons),
            unsure=tuple(unsure),
            reasons=self._reasons,
        )
