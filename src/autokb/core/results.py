"""What the commands give back, typed; ``as_json`` is the object that ``--json`` prints."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from autokb.core.errors import BadInputError
from autokb.core.nouns import Failure, Skipped
from autokb.notebook.html import html

if TYPE_CHECKING:
    from pandas import DataFrame

SHOWN_ENTRIES = 20  # of a list in a notebook; a data frame has all
SHOWN_CHARACTERS = 200  # of a text in a list there
THERE_ARE_MORE = "These are {shown:,} entries, and there are more: pass a larger limit, or the list's next as after."
_adapters: dict[Any, Any] = {}  # of pydantic, one a class of results, made when it is first printed


class Result:
    """A frozen dataclass that is its own JSON shape: every field under its name."""

    __slots__ = ()

    def as_json(self) -> dict[str, Any]:
        """Return the result as one JSON object."""
        from pydantic import TypeAdapter

        kind = type(self)
        if kind not in _adapters:
            _adapters[kind] = TypeAdapter(kind)
        shape: dict[str, Any] = _adapters[kind].dump_python(self, mode="json")
        return shape


class Listed:
    """What is a list under the name ``LIST`` of its JSON shape."""

    __slots__ = ()
    LIST: ClassVar[str] = "items"

    def to_pandas(self) -> DataFrame:
        """Return a data frame: an entry a row, a field of its JSON a column; the extra ``pandas`` (BadInputError).

        Where the list has a next page, it warns that these are not all (UserWarning).
        """
        try:
            import pandas
        except ImportError as error:
            raise BadInputError("A data frame needs the extra: pip install 'autokb[pandas]'.") from error
        shape = self.as_json()  # type: ignore[attr-defined]
        if shape.get("next") is not None:
            warnings.warn(THERE_ARE_MORE.format(shown=len(shape[self.LIST])), stacklevel=2)
        return pandas.DataFrame(shape[self.LIST])

    def _repr_html_(self) -> str:
        shape = self.as_json()  # type: ignore[attr-defined]
        entries = shape[self.LIST]
        cells = [{name: _cell(value) for name, value in one.items()} for one in entries[:SHOWN_ENTRIES]]
        columns = [name for name in (cells[0] if cells else ()) if any(one[name] for one in cells)]
        rows = [[one[name] for name in columns] for one in cells]
        more = shape.get("next") is not None
        return html("list", count=len(entries), more=more, columns=columns, rows=rows)


def _cell(value: Any) -> str:
    """Say a field of an entry in a line; lists, such as steps and evidence, are for whoever looks at one entry."""
    if isinstance(value, Mapping):
        named = ((name, of) for name, of in value.items() if isinstance(of, list) and of != ["Any"])
        return ", ".join(f"{name}: {' or '.join(map(str, of))}" for name, of in named)
    if value is None or isinstance(value, list | bool):
        return "yes" if value is True else ""
    line = " ".join(str(value).split())
    return line if len(line) <= SHOWN_CHARACTERS else f"{line[:SHOWN_CHARACTERS].rstrip()} …"


@dataclass(frozen=True, slots=True)
class Tokens(Result):
    """What a model read and wrote; fractions of a token are those of an estimate.

    ``reasoning`` is the part of the output that is hidden reasoning.
    """

    input: int | float
    output: int | float
    reasoning: int | float = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(self.input + other.input, self.output + other.output, self.reasoning + other.reasoning)

    def __sub__(self, other: Tokens) -> Tokens:
        return Tokens(self.input - other.input, self.output - other.output, self.reasoning - other.reasoning)


@dataclass(frozen=True, slots=True)
class Spending(Result):
    """What was sent and paid; ``cached`` replies came from the ledger, a cost of None holds an unknown price."""

    calls: int
    cached: int
    tokens: Tokens
    cost: float | None

    def __add__(self, other: Spending) -> Spending:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Spending(self.calls + other.calls, self.cached + other.cached, self.tokens + other.tokens, cost)

    def __sub__(self, other: Spending) -> Spending:
        """Return what was spent since ``other``, an earlier state of the same count."""
        cost = None if self.cost is None or other.cost is None else self.cost - other.cost
        return Spending(self.calls - other.calls, self.cached - other.cached, self.tokens - other.tokens, cost)

    def by_name(self) -> dict[str, Any]:
        """Return its figures by the names that reports have for them."""
        return {"calls": self.calls, "cached": self.cached, "tokens": self.tokens, "cost": self.cost}


NOTHING_SPENT = Spending(0, 0, Tokens(0, 0), 0.0)


@dataclass(frozen=True, slots=True)
class Figures(Result):
    """Requests with their tokens: those to be sent, paid for or in flight; a cost of None holds an unknown price."""

    calls: int
    tokens: Tokens
    cost: float | None

    def __add__(self, other: Figures) -> Figures:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Figures(self.calls + other.calls, self.tokens + other.tokens, cost)

    def rounded(self) -> Figures:
        """Return whole tokens, and money to the millionth of a dollar."""
        tokens = Tokens(round(self.tokens.input), round(self.tokens.output), round(self.tokens.reasoning))
        return Figures(self.calls, tokens, None if self.cost is None else round(self.cost, 6))


Told = Callable[[int, Figures], None]  # is given how many things a model is to be asked about, and what that may cost


@dataclass(frozen=True, slots=True)
class Costs(Spending):
    """What was spent in a workspace's life, by stage and by task.

    ``in_flight`` is no part of it: what was under way when a process was killed, at the most that it can have cost.
    """

    stages: Mapping[str, Spending] = field(default_factory=dict)
    tasks: Mapping[str, Spending] = field(default_factory=dict)
    in_flight: Figures = field(default_factory=lambda: Figures(0, Tokens(0, 0), 0.0))

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape, and what was in flight where there is any."""
        shape = Result.as_json(self)
        if not self.in_flight.calls:
            del shape["in_flight"]
        return shape


@dataclass(frozen=True, slots=True)
class BatchPlan(Result):
    """What the same requests cost through a provider's batch interface."""

    cost: float | None


@dataclass(frozen=True, slots=True)
class Plan(Figures):
    """What a build is still to pay for in the mode set, and what either mode would take.

    ``seconds`` is None where nothing is known of them, ``paid`` what the workspace has paid already. ``documents``,
    ``issues`` and ``tickets`` are those that were added.
    """

    seconds: float | None
    documents: int
    issues: int
    mode: str
    stages: Mapping[str, Figures]
    modes: Mapping[str, Figures]
    batch: BatchPlan
    paid: Figures
    tickets: int = 0

    def _repr_html_(self) -> str:
        asked = [(name, one) for name, one in self.stages.items() if one.calls]
        return html("plan", plan=self, stages=asked, modes=self.modes if asked else {})


@dataclass(frozen=True, slots=True)
class StageReport(Result):
    """What one stage did: items worked out in this run, known before, and failed."""

    computed: int
    reused: int
    failed: int
    seconds: float


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


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """Whether what a check names was ``first``, among the ``three`` first, and whether the ``outcome`` was right.

    ``answer`` is the outcome that it got, ``shown`` the title of what was shown first, with its document.
    """

    id: str
    first: bool
    three: bool
    outcome: bool
    answer: str = ""
    shown: str = ""

    @property
    def is_right(self) -> bool:
        """Whether what comes first and the outcome are right."""
        return self.first and self.outcome


@dataclass(frozen=True, slots=True)
class Turned(Result):
    """A check that was right ``before`` and is not ``now``; before is None where nothing was published."""

    id: str
    before: CheckResult | None
    now: CheckResult


@dataclass(frozen=True, slots=True)
class KeptChecks(Result):
    """What became of checks that were added; ``unresolved`` are those whose document or solution is not published."""

    added: int
    updated: int
    unchanged: int
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal(Result):
    """Why readers stay where they are: what they would lose, what the gate has against it, the checks that turned."""

    reasons: tuple[str, ...]
    checks: tuple[Turned, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of a publication that the gate refuses."""
        return {"published": False, **Result.as_json(self)}


@dataclass(frozen=True, slots=True)
class KnowledgeCounts(Result):
    """What a build published; ``solutions`` are those that are shown.

    ``orphaned`` counts the decisions of people whose solution is gone, ``outdated`` the raw issues that went or got
    other words since the themes were made; 0 where they are too few to make them again.
    """

    themes: int = 0
    seeds: int = 0
    parents: int = 0
    children: int = 0
    solutions: int = 0
    withheld: int = 0
    unresolved_links: tuple[str, ...] = ()
    orphaned: int = 0
    outdated: int = 0


@dataclass(frozen=True, slots=True)
class BuildReport(KnowledgeCounts):
    """What a build did, failed to do and spent.

    ``awaited`` replies come later, ``awaited_tasks`` counts them by task; ``rounds_left`` is how many more rounds
    follow at most, None where none is awaited or nobody knows. ``notes`` say what a person should know of all of it;
    ``stopped`` why a build ended before its end, to go on later; ``refusal`` what the gate has against it.
    """

    failures: tuple[Failure, ...] = ()
    left_out: tuple[Failure, ...] = ()
    calls: int = 0
    cached: int = 0
    tokens: Tokens = NOTHING_SPENT.tokens
    cost: float | None = 0.0
    awaited: int = 0
    awaited_tasks: Mapping[str, int] = field(default_factory=dict)
    rounds_left: int | None = None
    batch: BatchReport | None = None
    seconds: float = 0.0
    stages: Mapping[str, StageReport] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    stopped: str | None = None
    refusal: Refusal | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape; what the gate has against it is there where it was refused."""
        shape = Result.as_json(self)
        del shape["refusal"]
        return {**shape, **(self.refusal.as_json() if self.refusal else {})}

    def _repr_html_(self) -> str:
        stages = [
            (name, *(f"{n:,}" for n in (one.computed, one.reused, one.failed)), f"{one.seconds:.1f}")
            for name, one in self.stages.items()
        ]
        failures = [(one.stage, one.item, one.reason) for one in self.failures]
        return html("build", report=self, stages=stages, failures=failures)


@dataclass(frozen=True, slots=True)
class TicketBuildReport(BuildReport):
    """What a build of the ticket graph did; ``links`` are the source's, ``dangling`` those that lead nowhere."""

    tickets: int = 0
    changed: int = 0
    gone: int = 0
    links: int = 0
    dangling: int = 0
    similar: int = 0


@dataclass(frozen=True, slots=True)
class Added(Result):
    """What one ``add`` did; ``gone`` counts what the sources no longer have and what stays until a sync.

    ``left`` names the first of what is gone, by ids and titles, in one line.
    ``dropped`` says how many spans of web pages were left out for which reason, ``unresolved`` how often which template
    or icon of a wiki was, the most frequent first. ``columns`` names the fields of records that hold ``id``,
    ``title`` and ``text`` of documents and issues, and ``date`` and ``resolved_by`` of issues. ``notes`` are sentences
    about what was taken, but not as a person may expect. ``titles`` counts the links of issues that mean a document by
    its title.
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]
    gone: int = 0
    dropped: tuple[tuple[str, int], ...] = ()
    unresolved: tuple[tuple[str, int], ...] = ()
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    titles: int = 0
    left: str = ""

    @property
    def took_nothing(self) -> bool:
        """Whether nothing that was given is in the workspace now, and nothing was taken out of it."""
        return not (self.added or self.updated or self.unchanged or self.removed)

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape; with ``notes`` where there are any."""
        shape = Result.as_json(self)
        for name in ("gone", "dropped", "unresolved", "columns", "titles", "left", *(() if self.notes else ("notes",))):
            del shape[name]
        return shape


@dataclass(frozen=True, slots=True)
class SyncedSource(Result):
    """What one run of a source did, with the requests and bytes that it took; ``error`` says why it ended early.

    ``kept`` documents have the text that they had, since the source gives something else in their place (``skipped``).
    """

    added: int
    updated: int
    unchanged: int
    removed: int
    skipped: tuple[Skipped, ...]
    requests: int = 0
    bytes: int = 0
    error: str | None = None
    kept: int = 0

    @property
    def changed(self) -> int:
        """How many items are not as they were."""
        return self.added + self.updated + self.removed


@dataclass(frozen=True, slots=True)
class Synced(Result):
    """What a run did, source by source; ``build`` is what was built after it, None where nothing was."""

    sources: Mapping[str, SyncedSource]
    build: BuildReport | None = None

    def as_json(self) -> dict[str, Any]:
        """Return what ``add`` says, by source; the build is there where there was one."""
        by_source = {name: one.as_json() for name, one in self.sources.items()}
        return {**by_source, **({"build": self.build.as_json()} if self.build else {})}

    @property
    def errors(self) -> tuple[str, ...]:
        """A sentence for each source that could not be read to its end."""
        return tuple(f"{name}: {one.error}" for name, one in self.sources.items() if one.error is not None)


@dataclass(frozen=True, slots=True)
class ListedSource(Result):
    """One folder, file, import or source of ``sync``, and how many documents, raw issues, tickets and chats it gave."""

    kind: str
    path: str
    documents: int
    issues: int
    tickets: int
    chats: int = 0


@dataclass(frozen=True, slots=True)
class Sources(Listed, Result):
    """What was added or imported: folders first, then files and imports, each by its path.

    ``losses`` is what was not read of them, where that was asked for.
    """

    LIST: ClassVar[str] = "sources"
    sources: tuple[ListedSource, ...]
    losses: tuple[Skipped, ...] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape, with losses only where they were asked for."""
        shape = Result.as_json(self)
        return shape if self.losses is not None else {self.LIST: shape[self.LIST]}


@dataclass(frozen=True, slots=True)
class Removed(Result):
    """What one ``remove`` took out of the next build; ``removed`` counts all kinds together."""

    removed: int
    documents: int
    issues: int
    tickets: int
    chats: int = 0


@dataclass(frozen=True, slots=True)
class Imported(Result):
    """What one import took, what was there already, and what it did not take; ``notes`` say what went for it."""

    taken: int
    unchanged: int
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Created(Result):
    """A new workspace and what it holds."""

    workspace: str
    domain: str
    documents: int
    issues: int


@dataclass(frozen=True, slots=True)
class Exported(Result):
    """Where it was written; JSONL counts ``lines``, formats for people ``solutions``, those of graphs ``tickets``."""

    file: str
    lines: int | None = None
    solutions: int | None = None
    tickets: int | None = None


@dataclass(frozen=True, slots=True)
class Publication(Result):
    """The version that readers see now, or what the gate has against the candidate."""

    number: int
    published: bool
    refusal: Refusal | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape."""
        if self.refusal is not None:
            return self.refusal.as_json()
        return {"number": self.number, "published": self.published}


@dataclass(frozen=True, slots=True)
class Discarded(Result):
    """A candidate that is gone."""

    discarded: bool


@dataclass(frozen=True, slots=True)
class Moved(Result):
    """The rows of each table, where they are now (a URL without its password, or a folder), and what is ``left``."""

    tables: Mapping[str, int]
    to: str
    seconds: float
    left: str

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape."""
        return {"tables": dict(self.tables), "to": self.to, "seconds": self.seconds}


@dataclass(frozen=True, slots=True)
class Vacuumed(Result):
    """How many bytes the workspace's file had before and has now."""

    bytes_before: int
    bytes_after: int


@dataclass(frozen=True, slots=True)
class Forced(Result):
    """Who published all the same, and what there was against it."""

    by: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionChecks(Result):
    """What the ``n`` checks of a team found of a version: the shares that were right first, and in their outcome.

    ``trees`` is the share of the trees' solutions that fit their customers' issues, where the gate looked at it.
    """

    first: float
    outcome: float
    n: int
    forced: Forced | None = None
    trees: float | None = None


@dataclass(frozen=True, slots=True)
class VersionView(Result):
    """One version, or the candidate, with the documents, nodes and displayed solutions that were built for it.

    ``date`` and ``by`` are empty where nobody noted them, ``published`` is the one that readers see; ``inputs`` are
    hashes of what went in, ``checks`` the figures of its gate. ``is_candidate`` is one that nobody has published yet,
    under the number it would have. ``forced`` names who consented to its having less than half of what readers saw.
    """

    number: int
    date: str
    by: str
    documents: int
    issues: int
    solutions: int
    published: bool
    checks: VersionChecks | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    is_candidate: bool = False
    forced: Forced | None = None


@dataclass(frozen=True, slots=True)
class VersionEvent(Result):
    """What somebody did with a version, and when: ``what`` is rolled back or discarded.

    ``number`` is the version that readers saw from then on, or the one that the candidate would have become; ``before``
    is the one that they saw until then. ``by`` is empty where nobody said who it was.
    """

    what: Literal["rolled back", "discarded"]
    number: int
    before: int
    by: str
    date: str


@dataclass(frozen=True, slots=True)
class Versions(Listed, Result):
    """The versions that are kept, from the oldest; the candidate stands last. ``events`` are rollbacks and the like."""

    LIST: ClassVar[str] = "versions"
    versions: tuple[VersionView, ...]
    events: tuple[VersionEvent, ...] = ()
