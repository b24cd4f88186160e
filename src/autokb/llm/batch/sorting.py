"""Sorts the lines of reply files: taken into the ledger, or named with what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from autokb.core.ledger import Ledger, Paid
from autokb.llm.batch.awaited import TakenReplies, batch_cost, custom_id
from autokb.llm.batch.folder import LINE_MOST
from autokb.llm.batch.lines import NO_JSON, ReplyLine, read_line
from autokb.llm.prices import Price

AT_ONCE = 200  # replies that share one write to the disk


class Sorting:
    """One pass over all reply files; a reply is in the ledger at the latest when ``store`` returns."""

    def __init__(self, ledger: Ledger, written: Mapping[str, int], price_of: Callable[[str], Price | None]) -> None:
        self._ledger = ledger
        self._written = written
        self._price_of = price_of
        self._awaited = {custom_id(row.key): row for row in ledger.awaited()}
        self._keys = {custom_id(key): key for key in written} | {i: row.key for i, row in self._awaited.items()}
        self._waiting: list[Paid] = []  # taken, to be written with the next ones
        self._seen: set[str] = set()
        self._doubled: dict[str, None] = {}
        self._foreign: dict[str, None] = {}
        self._reasons: dict[str, str] = {}
        self._nameless: list[str] = []
        self._incomplete: list[str] = []
        self._input = self._output = 0
        self._cost: float | None = 0.0
        self.taken_keys: list[str] = []

    def sort(self, file: str, number: int, data: bytes, ended: bool) -> None:
        """Take one line, or note what is wrong with it."""
        line = ReplyLine("", reason="it is too long") if len(data) >= LINE_MOST else read_line(data)
        if line.custom_id:
            self._sort_named(line)
        elif line.reason == NO_JSON and not ended:
            self._incomplete.append(file)
        else:
            self._refuse(f"{file} line {number}", line.reason)

    def refuse_file(self, file: str, reason: str) -> None:
        """Note a file that cannot be read."""
        self._refuse(file, reason)

    def _refuse(self, place: str, reason: str) -> None:
        self._nameless.append(place)
        self._reasons[place] = reason

    def _sort_named(self, line: ReplyLine) -> None:
        name = line.custom_id
        if name not in self._keys:
            self._foreign[name] = None
        elif line.reason:
            self._reasons.setdefault(name, line.reason)
        elif name in self._seen or self._differs(line):
            self._doubled[name] = None
        elif name in self._awaited:
            self._take(line, self._awaited[name])

    def _differs(self, line: ReplyLine) -> bool:
        """Return whether an earlier run took another reply; the same line seen again says nothing new."""
        if line.custom_id in self._awaited:
            return False
        key = self._keys[line.custom_id]
        taken = self._ledger.replies([key]).get(key)
        return taken is not None and taken.text != line.text

    def _take(self, line: ReplyLine, row: Paid) -> None:
        reply = line.reply(self._written.get(row.key, 0))
        cost = batch_cost(self._price_of(row.model), reply)
        self._cost = None if cost is None or self._cost is None else self._cost + cost
        self._input += reply.input_tokens
        self._output += reply.output_tokens
        self._seen.add(line.custom_id)
        self.taken_keys.append(row.key)
        self._waiting.append(replace(row, state="paid", reply=reply, cost=cost, calls=1))
        if len(self._waiting) >= AT_ONCE:
            self.store()

    def store(self) -> None:
        """Put what was taken into the ledger."""
        if self._waiting:
            self._ledger.keep(self._waiting)
        self._waiting = []

    def result(self, wanted: Sequence[str], skipped: Sequence[str]) -> TakenReplies:
        """Say what was found; ``wanted`` are the keys of the requests that stand in the request files."""
        bad = [name for name in self._reasons if name in self._awaited and name not in self._seen]
        owed = [name for name in map(custom_id, wanted) if name in self._awaited and name not in self._seen]
        return TakenReplies(
            taken=len(self.taken_keys),
            input_tokens=self._input,
            output_tokens=self._output,
            cost=self._cost,
            missing=tuple(sorted(set(owed) - set(bad))),
            doubled=tuple(self._doubled),
            foreign=tuple(self._foreign),
            malformed=(*bad, *self._nameless),
            incomplete=tuple(self._incomplete),
            skipped=tuple(skipped),
            reasons={name: self._reasons[name] for name in (*bad, *self._nameless)},
        )
