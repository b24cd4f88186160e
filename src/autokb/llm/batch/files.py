"""Batch files: requests as JSONL that anyone may answer, replies as JSONL in any order and number of files."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from autokb.core.ledger import Ledger
from autokb.core.model_requests import AwaitedError, ModelReply, ModelRequest
from autokb.llm.batch.awaited import Handles, TakenReplies, custom_id
from autokb.llm.batch.folder import read_lines, reply_files, usable, write_requests
from autokb.llm.batch.lines import request_line
from autokb.llm.batch.sorting import Sorting
from autokb.llm.batch.spool import Spool
from autokb.llm.prices import Price

REGISTER = "batch-files"


@dataclass
class Register:
    """Every request ever written to a file, with its characters, by key; and those that the last run wrote."""

    written: dict[str, int] = field(default_factory=dict)
    wanted: list[str] = field(default_factory=list)

    def as_json(self) -> str:
        """Return it as one JSON text, the same for the same requests."""
        return json.dumps({"written": self.written, "wanted": self.wanted}, separators=(",", ":"), sort_keys=True)

    @staticmethod
    def from_json(text: str | None) -> Register:
        """Read it; nothing was written where there is no text."""
        return Register(**json.loads(text)) if text else Register()


class BatchFiles:
    """Takes replies from a folder and writes there what is still to be answered; it sends nothing by itself."""

    def __init__(self, folder: Path, ledger: Ledger, handles: Handles, price_of: Callable[[str], Price | None]) -> None:
        self._folder = usable(folder)
        self._ledger = ledger
        self._handles = handles
        self._price_of = price_of
        self._spool = Spool()

    async def check(self, models: Sequence[str]) -> None:
        """Accept every model: whoever answers the files decides."""

    async def take_replies(self) -> TakenReplies:
        """Put the replies of the folder into the ledger, and name what is missing, doubled, foreign and malformed."""
        register = Register.from_json(self._handles.get(REGISTER))
        sorting = Sorting(self._ledger, register.written, self._price_of)
        files, skipped = reply_files(self._folder)
        for path in files:
            try:
                for number, line, ended in read_lines(path):
                    sorting.sort(path.name, number, line, ended)
            except OSError as error:
                sorting.refuse_file(path.name, error.strerror or "unreadable")
        sorting.store()
        for key in sorting.taken_keys:
            self._spool.drop(key)
        return sorting.result(register.wanted, skipped)

    async def send(self, request: ModelRequest) -> ModelReply:
        """Note a request for the files; raises AwaitedError."""
        self._spool.add(request, request_line(request))
        raise AwaitedError(f"The reply to {custom_id(request.key)} is awaited.")

    async def flush(self) -> int:
        """Make the request files hold exactly what was noted in this run; returns how many that is.

        What an earlier run wrote and this one did not ask for (a document changed) stands in no file any longer; a late
        reply to it is still taken.
        """
        noted = self._spool.noted()
        self._register(Register({n.row.key: n.characters for n in noted}, [n.row.key for n in noted]))
        awaited = {row.key for row in self._ledger.awaited()}
        # The ledger first: a reply to a file that it knows nothing of would be foreign.
        self._ledger.keep([n.row for n in noted if n.row.key not in awaited])
        write_requests(self._folder, self._spool.lines())
        return len(noted)

    def _register(self, new: Register) -> None:
        old = self._handles.get(REGISTER)
        text = Register(Register.from_json(old).written | new.written, new.wanted).as_json()
        if text != old:
            self._handles.put(REGISTER, text)

    async def close(self) -> None:
        """Let go of what was noted."""
        self._spool.close()
