"""Batch files: requests as JSONL that anyone may answer, replies as JSONL in any order and number of files."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from autokb.core.errors import BadInputError
from autokb.core.ledger import Ledger, Paid
from autokb.core.model_requests import AwaitedError, ModelReply, ModelRequest
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
    task_of,
)
from autokb.llm.batch.folder import (
    read_lines,
    reply_files,
    request_file,
    split_into_files,
    usable,
    write_requests,
)
from autokb.llm.batch.lines import NO_JSON, ReplyLine, find_custom_id, read_line, request_line
from autokb.llm.batch.models import batch_request
from autokb.llm.batch.readme import FileContents, describe_files
from autokb.llm.keys import check_package, scrubbed
from autokb.llm.prices import Price
from autokb.net.reply_bound import too_long

if TYPE_CHECKING:
    from pydantic_ai.models import Model

OWN_FORM = ("anthropic", "google")  # all others are asked in OpenAI's form, which most servers know
NO_KEY = "none-is-needed-to-write-a-file"  # pydantic-ai opens no model without one; it goes nowhere


class RequestLines:
    """Writes lines: for Anthropic and Google what their packages would submit. It needs no key and sends nothing."""

    def __init__(self) -> None:
        self._models: dict[str, Model] = {}

    async def line(self, request: ModelRequest) -> bytes:
        """Return a request as one line; BadInputError where its provider's package is not installed or refuses it."""
        from pydantic_ai.exceptions import UserError

        provider, _, name = request.model.partition(":")
        if provider not in OWN_FORM:
            return request_line(request)
        try:
            model = self._model(provider, name)
            body = json.loads((await model.batch_encode(batch_request(model, request))).body)
        except UserError as error:
            raise BadInputError(f"{request.model} takes no such request in a batch: {scrubbed(str(error))}") from None
        name = custom_id(request.key, request.name)
        line = {"custom_id": name, "params": body} if provider == "anthropic" else {"key": name, "request": body}
        return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"

    def _model(self, provider: str, name: str) -> Model:
        if (model := f"{provider}:{name}") not in self._models:
            check_package(provider)
            self._models[model] = _anthropic(name) if provider == "anthropic" else _google(name)
        return self._models[model]


def _anthropic(name: str) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    return AnthropicModel(name, provider=AnthropicProvider(api_key=NO_KEY))


def _google(name: str) -> Model:
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider

    return GoogleModel(name, provider=GoogleProvider(api_key=NO_KEY))


@dataclass(frozen=True, slots=True)
class Noted:
    """A noted request: its row for the ledger, its characters, and where its line lies."""

    name: str
    row: Paid
    characters: int
    start: int
    length: int


class LineSpool:
    """Lines of requests; ordered by model, schema and key, whatever the order in which they came."""

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
        return sorted(self._noted.values(), key=lambda n: (n.row.model, n.name, n.row.key))

    def lines(self, some: Sequence[Noted]) -> Iterator[bytes]:
        """Yield the lines of some requests."""
        for noted in some:
            self._file.seek(noted.start)
            yield self._file.read(noted.length)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


AT_ONCE = 200  # replies that share one write to the disk


class ReplySorter:
    """One pass over all reply files; a reply is in the ledger at the latest when ``store`` returns."""

    def __init__(
        self, ledger: Ledger, written: Mapping[str, int], price_of: Callable[[str], Price | None], most: int
    ) -> None:
        self._ledger = ledger
        self._most = most  # bytes of a line
        self._written = written
        self._price_of = price_of
        self._awaited = {row.key: row for row in ledger.awaited()}
        self._keys = {key[:KEY_DIGITS]: key for key in (*written, *self._awaited)}
        self._waiting: list[Paid] = []  # taken, to be written with the next ones
        self._seen: set[str] = set()
        self._doubled: dict[str, None] = {}
        self._foreign: dict[str, None] = {}
        self._reasons: dict[str, str] = {}
        self._nameless: list[str] = []
        self._incomplete: list[str] = []
        self._input = self._output = self._reasoning = 0
        self._cost: float | None = 0.0
        self.taken_keys: list[str] = []

    def sort(self, file: str, number: int, data: bytes, ended: bool) -> None:
        """Take one line, or note what is wrong with it."""
        if len(data.rstrip(b"\r\n")) > self._most:
            line = ReplyLine(find_custom_id(data), reason=too_long(self._most))
        else:
            line = read_line(data)
        if line.custom_id:
            self._sort_named(line)
        elif line.reason == NO_JSON and not ended:
            self._incomplete.append(file)
        else:
            self.refuse(f"{file} line {number}", line.reason)

    def refuse(self, place: str, reason: str) -> None:
        """Note a file, or a line of one, that cannot be read."""
        self._nameless.append(place)
        self._reasons[place] = reason

    def _sort_named(self, line: ReplyLine) -> None:
        if (key := self._keys.get(key_digits(line.custom_id))) is None:
            self._foreign[line.custom_id] = None
        elif line.reason:
            self._reasons.setdefault(custom_id_of(key, self._awaited), line.reason)
        elif key in self._seen or self._differs(key, line):
            self._doubled[line.custom_id] = None
        elif key in self._awaited:
            self._take(line, self._awaited[key])

    def _differs(self, key: str, line: ReplyLine) -> bool:
        """Return whether an earlier run took another reply; the same line seen again says nothing new."""
        if key in self._awaited:
            return False
        taken = self._ledger.replies([key]).get(key)
        return taken is not None and taken.text != line.text

    def _take(self, line: ReplyLine, row: Paid) -> None:
        reply = line.reply(self._written.get(row.key, 0))
        cost = batch_cost(self._price_of(row.model), reply)
        self._cost = None if cost is None or self._cost is None else self._cost + cost
        self._input += reply.input_tokens
        self._output += reply.output_tokens
        self._reasoning += reply.reasoning_tokens
        self._seen.add(row.key)
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
        owed = [custom_id_of(key, self._awaited) for key in self._awaited if key not in self._seen]
        bad = [name for name in self._reasons if name in owed]
        owed = [custom_id_of(key, self._awaited) for key in wanted if key in self._awaited and key not in self._seen]
        return TakenReplies(
            taken=len(self.taken_keys),
            input_tokens=self._input,
            output_tokens=self._output,
            reasoning_tokens=self._reasoning,
            cost=self._cost,
            missing=tuple(sorted(set(owed) - set(bad))),
            doubled=tuple(self._doubled),
            foreign=tuple(self._foreign),
            malformed=(*bad, *self._nameless),
            incomplete=tuple(self._incomplete),
            skipped=tuple(skipped),
            reasons={name: self._reasons[name] for name in (*bad, *self._nameless)},
        )


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


@dataclass(eq=False)
class BatchFiles(Batch):
    """Takes replies from a folder and writes there what is still to be answered; it sends nothing by itself."""

    folder: Path
    ledger: Ledger
    handles: Handles
    price_of: Callable[[str], Price | None]
    max_reply_bytes: int = MAX_REPLY_BYTES
    _spool: LineSpool = field(default_factory=LineSpool, init=False)
    _lines: RequestLines = field(default_factory=RequestLines, init=False)

    def __post_init__(self) -> None:
        """Refuse a folder that cannot be used."""
        self.folder = usable(self.folder)

    async def check(self, models: Sequence[str]) -> None:
        """Accept every model: whoever answers the files decides."""

    async def take_replies(self) -> TakenReplies:
        """Put the replies of the folder into the ledger, and name what is missing, doubled, foreign and malformed."""
        register = Register.from_json(self.handles.get(REGISTER))
        sorting = ReplySorter(self.ledger, register.written, self.price_of, self.max_reply_bytes)
        files, skipped = reply_files(self.folder)
        for path in files:
            try:
                for number, line, ended in read_lines(path, self.max_reply_bytes):
                    sorting.sort(path.name, number, line, ended)
            except OSError as error:
                sorting.refuse(path.name, error.strerror or "unreadable")
        sorting.store()
        for key in sorting.taken_keys:
            self._spool.drop(key)
        return sorting.result(register.wanted, skipped)

    async def send(self, request: ModelRequest) -> ModelReply:
        """Note a request for the files; raises AwaitedError."""
        self._spool.add(request, await self._lines.line(request))
        raise AwaitedError(f"The reply to {custom_id(request.key, request.name)} is awaited.")

    async def flush(self, outlook: str = "") -> int:
        """Make the request files hold exactly what was noted in this run; returns how many that is.

        ``outlook`` is what the README beside them says of the rounds to come. What an earlier run wrote and this one
        did not ask for (a document changed) stands in no file any longer; a late reply to it is still taken.
        """
        noted = self._spool.noted()
        characters = {n.row.key: n.characters for n in noted}
        self._register(Register(characters, list(characters)))
        awaited = {row.key for row in self.ledger.awaited()}
        # The ledger first: a reply to a file that it knows nothing of would be foreign.
        self.ledger.keep([n.row for n in noted if n.row.key not in awaited])
        files = [[noted[n] for n in some] for some in split_into_files((n.row.model, n.length) for n in noted)]
        contents = [
            FileContents(request_file(number), some[0].row.model, Counter(task_of(n.name) for n in some))
            for number, some in enumerate(files, 1)
        ]
        write_requests(self.folder, [self._spool.lines(some) for some in files], describe_files(contents, outlook))
        return len(noted)

    def _register(self, new: Register) -> None:
        old = self.handles.get(REGISTER)
        text = Register(Register.from_json(old).written | new.written, new.wanted).as_json()
        if text != old:
            self.handles.put(REGISTER, text)

    async def close(self) -> None:
        """Let go of what was noted."""
        self._spool.close()
