"""The requests noted in this run, on disk in a file without a name: a build may want gigabytes of them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass

from autokb.core.ledger import Paid
from autokb.core.model_requests import ModelRequest
from autokb.llm.batch.awaited import awaited_row


@dataclass(frozen=True, slots=True)
class Noted:
    """A noted request: its row for the ledger, its characters, and where its line lies."""

    name: str
    row: Paid
    characters: int
    start: int
    length: int


class Spool:
    """Lines of requests; ordered by schema and key, whatever the order in which they came."""

    def __init__(self) -> None:
        # A file without a name is gone with the process, however that ends.
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        self._noted: dict[str, Noted] = {}

    def add(self, request: ModelRequest, line: bytes) -> None:
        """Note a request; a second time changes nothing."""
        row = awaited_row(request)
        if row.key in self._noted:
            return
        start = self._file.seek(0, 2)
        self._file.write(line)
        characters = sum(len(m.text) for m in request.messages)
        self._noted[row.key] = Noted(request.name, row, characters, start, len(line))

    def drop(self, key: str) -> None:
        """Leave a request out."""
        self._noted.pop(key, None)

    def noted(self) -> list[Noted]:
        """Return what is noted, in order."""
        return sorted(self._noted.values(), key=lambda n: (n.name, n.row.key))

    def lines(self) -> Iterator[bytes]:
        """Yield the lines, in order."""
        for noted in self.noted():
            self._file.seek(noted.start)
            yield self._file.read(noted.length)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()
