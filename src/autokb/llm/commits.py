"""Rows of the ledger that come at about the same time share one write to the disk."""

from __future__ import annotations

from dataclasses import dataclass, field

import anyio
import anyio.to_thread

from autokb.core.ledger import Ledger, Paid


@dataclass
class _Batch:
    """Rows of one write; ``done`` is set when they are on the disk, or could not be written."""

    rows: list[Paid] = field(default_factory=list)
    done: anyio.Event = field(default_factory=anyio.Event)
    error: BaseException | None = None


class Commits:
    """Writes in a thread, one write at a time; what comes meanwhile is the next write."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._open: _Batch | None = None
        self._turn: anyio.Lock | None = None  # made in the event loop that uses it

    async def keep(self, row: Paid) -> None:
        """Return once the row is on the disk; cancelling does not end it."""
        with anyio.CancelScope(shield=True):
            if self._open is None:
                self._open = batch = _Batch([row])
                await self._write(batch)
            else:
                batch = self._open
                batch.rows.append(row)
                await batch.done.wait()
        if batch.error is not None:
            raise batch.error

    async def _write(self, batch: _Batch) -> None:
        self._turn = self._turn or anyio.Lock()
        async with self._turn:
            self._open = None
            try:
                await anyio.to_thread.run_sync(self._ledger.keep, batch.rows)
            except Exception as error:  # everyone whose row it was is told
                batch.error = error
            batch.done.set()
