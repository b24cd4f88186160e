"""Which model answers which task, and the client, the ledger and the loop through which it is asked."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from autokb.app.embedding import read_embedder_name
from autokb.app.workspace import Workspace
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.settings import Settings
from autokb.tasks.registry import task_names

if TYPE_CHECKING:
    from autokb.app.estimating import Estimate
    from autokb.llm.client import ModelClient
    from autokb.llm.limits import Limits
    from autokb.stores.ledger_table import LedgerTable
    from autokb.stores.workspace_file import WorkspaceFile

T = TypeVar("T")
OFFLINE = "offline"
NOT_COUNTED = frozenset({"attributes", "rules"})  # stages that appendix C of the paper does not count


def model_of(settings: Settings, mode: str, task: str, stage: str) -> str:
    """Return the model that answers a task in a stage of the build.

    ``paper`` mode asks what appendix C counts: raw issues' attributes and rules are answered offline there, unless
    the settings name a model for the task itself.
    """
    own = settings.tasks.get(task) or settings.tasks.get(task.rsplit("/", 1)[-1])
    if own:
        return own
    return OFFLINE if mode == "paper" and stage in NOT_COUNTED else settings.model


def named_models(settings: Settings) -> list[str]:
    """Return every model that the settings name, without ``offline``; unknown tasks are refused (BadInputError)."""
    known = task_names()
    for task in settings.tasks:
        if task not in known and task not in {name.rsplit("/", 1)[-1] for name in known}:
            raise BadInputError(f"settings.yaml: tasks: there is no task {task!r}; the tasks are {', '.join(known)}.")
    return sorted({settings.model, *settings.tasks.values()} - {OFFLINE})


@dataclass
class Models:
    """The open client of one build."""

    settings: Settings
    mode: str
    client: ModelClient | None
    ledger: LedgerTable
    portal: Any
    prices: Any
    budget: Any = None
    batch: Any = None
    taken: Any = None
    estimate: Estimate | None = None
    guesses: dict[str, list[float]] = field(default_factory=dict)
    seconds: float = 0.0
    requests_reused: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    @classmethod
    def counting(cls, workspace: Workspace, file: WorkspaceFile, estimate: Estimate) -> Models:
        """Return models that are never asked: what would be asked is counted."""
        return cls(workspace.settings, workspace.mode, None, _ledger(file), None, estimate.prices, estimate=estimate)

    def of(self, task: str, stage: str) -> str:
        """Return the model of a task in a stage."""
        return model_of(self.settings, self.mode, task, stage)

    def limits(self, model: str) -> Limits:
        """Return how many tokens a model reads and writes."""
        from autokb.llm.limits import limits

        return limits(model, self.settings.window, self.settings.max_output)

    def run(self, jobs: Sequence[Callable[[], Awaitable[T]]]) -> list[T | Exception]:
        """Run jobs on the client's loop and wait; Ctrl-C cancels what is in flight, what arrived is kept."""
        assert self.client is not None
        future = self.portal.start_task_soon(self.client.run_many, jobs)
        try:
            found: list[T | Exception] = future.result()
        except KeyboardInterrupt:
            future.cancel()
            raise
        return found

    def take_replies(self, names: Sequence[str]) -> None:
        """Put the replies of a batch that have come into the ledger; they count as calls of this run."""
        if self.batch is None:
            return
        assert self.client is not None
        if hasattr(self.batch, "check"):
            self.portal.call(self.batch.check, names)
        self.taken = taken = self.portal.call(self.batch.take_replies)
        counts = self.client.counts
        counts.calls += taken.taken
        counts.input += taken.input_tokens
        counts.output += taken.output_tokens
        counts.cost = None if counts.cost is None or taken.cost is None else counts.cost + taken.cost

    def flush(self) -> None:
        """Write or submit what this run asked of a batch."""
        if self.batch is not None:
            self.portal.call(self.batch.flush)

    def pay(self, stage: str, task: str, model: str, key: str, tokens: int, cost: float | None, calls: int) -> None:
        """Put a paid request that was no question into the ledger and the counts of this run."""
        from autokb.core.ledger import Paid
        from autokb.core.model_requests import ModelReply

        row = Paid(key, key, stage, task, model, (), "read", ModelReply("", tokens, 0), cost, calls)
        self.ledger.keep([row])
        if self.client is not None:
            self.client.counts.add(row)

    def reuse(self, stage: str, task: str, requests: set[str]) -> None:
        """Count requests whose replies an earlier build paid for."""
        self.requests_reused.setdefault((stage, task), set()).update(requests)

    def cached(self) -> dict[tuple[str, str], int]:
        """Return by stage and task how many replies were taken from the ledger."""
        found = {place: len(requests) for place, requests in self.requests_reused.items()}
        for place, counts in self.client.by_task.items() if self.client else ():
            found[place] = found.get(place, 0) + counts.cached
        return {place: n for place, n in found.items() if n}

    def guessed(self, name: str, guess: float, actual: float) -> None:
        """Remember what a request took beside what was guessed, for the next plan."""
        pair = self.guesses.setdefault(name, [0.0, 0.0])
        pair[0] += guess
        pair[1] += actual

    def note(self, file: WorkspaceFile) -> None:
        """Keep for the next plan how far guesses were off, and the pace of requests."""
        calls = self.client.counts.calls if self.client else 0
        ratios = {**read_ratios(file), **{n: round(a / g, 4) for n, (g, a) in self.guesses.items() if g and a}}
        with file.transaction():
            file.note("token_ratios", canonical_json(ratios))
            if calls:
                file.note("seconds_a_call", str(round(self.seconds / calls, 4)))

    def spending(self) -> dict[str, Any]:
        """Return ``calls``, ``cached``, ``tokens`` and ``cost`` of this run."""
        if self.client is None:
            return dict(NOTHING_SPENT)
        total = self.client.counts
        return {
            "calls": total.calls,
            "cached": sum(self.cached().values()),
            "tokens": {"input": total.input, "output": total.output},
            "cost": total.cost,
        }


@dataclass(frozen=True, slots=True)
class AskModels:
    """How a person wants models to be asked: at most ``budget`` USD, at once or as a batch."""

    budget: float | None = None
    batch: bool = False
    batch_files: Path | None = None


ASK_MODELS = AskModels()
NOTHING_SPENT: Mapping[str, Any] = {"calls": 0, "cached": 0, "tokens": {"input": 0, "output": 0}, "cost": 0.0}


def read_ratios(file: WorkspaceFile) -> dict[str, float]:
    """Return what this workspace's requests took beside what is guessed, by model, and by model and task."""
    found: dict[str, float] = json.loads(file.meta("token_ratios") or "{}")
    return found


def is_paid(embedder: str) -> bool:
    """Return whether an embedder is asked over the network and may cost money."""
    return embedder.partition(":")[0] not in ("packaged", "local")


@contextmanager
def open_models(workspace: Workspace, file: WorkspaceFile, asking: AskModels = ASK_MODELS) -> Iterator[Models | None]:
    """Open the client to the settings' models for the length of a block; None when everything is answered offline."""
    settings = workspace.settings
    names = named_models(settings)
    if not names and not is_paid(settings.embedder):
        yield None
        return
    with _opened(workspace, file, names, asking) as models:
        try:
            yield models
        finally:
            _note_cached(file, models)


@contextmanager
def _opened(workspace: Workspace, file: WorkspaceFile, names: Sequence[str], asking: AskModels) -> Iterator[Models]:
    from anyio.from_thread import start_blocking_portal

    from autokb.llm.budget import Budget
    from autokb.llm.client import ModelClient
    from autokb.llm.prices import Prices
    from autokb.llm.providers import check_model, open_sender

    settings = workspace.settings
    prices = Prices(settings.prices, settings.base_url)
    if asking.batch_files is None:
        for name in names:
            check_model(name, settings.base_url)
    if not asking.batch:
        _refuse_if_submitted(file)
    if asking.budget is not None:
        _check_prices(prices, [*names, *filter(None, [read_embedder_name(settings.embedder).price_key])])
    ledger = _ledger(file)
    budget = None if asking.budget is None else Budget(asking.budget)
    batch = _batch(asking, settings, ledger, file, prices)
    client = ModelClient(
        ledger,
        lambda model: batch or open_sender(model, settings.base_url, settings.timeout),
        prices,
        budget,
        settings.concurrency,
        settings.retries,
    )
    with start_blocking_portal() as portal:
        models = Models(settings, workspace.mode, client, ledger, portal, prices, budget, batch)
        try:
            models.take_replies(names)
            yield models
        finally:
            try:
                models.flush()
            finally:
                portal.call(client.close)


def _refuse_if_submitted(file: WorkspaceFile) -> None:
    """Refuse to ask again, and pay again, for what a provider is working on."""
    from autokb.llm.batch.provider import submitted

    if waiting := submitted(_Handles(file)):
        raise BadInputError(
            f"{waiting} requests are with the provider as a batch and would be paid for twice; run the build with "
            "--batch to collect their replies first."
        )


def _batch(
    asking: AskModels, settings: Settings, ledger: LedgerTable, file: WorkspaceFile, prices: Any
) -> Any:
    """Return what keeps requests for a batch, or None when they are sent at once."""
    if asking.batch and asking.batch_files:
        raise BadInputError("--batch and --batch-files exclude each other; choose one.")
    if asking.batch_files is not None:
        from autokb.llm.batch.files import BatchFiles

        return BatchFiles(asking.batch_files, ledger, _Handles(file), prices.of)
    if asking.batch:
        from autokb.llm.batch.models import open_batch_model
        from autokb.llm.batch.provider import BatchProvider

        return BatchProvider(ledger, _Handles(file), prices.of, partial(open_batch_model, base_url=settings.base_url))
    return None


@dataclass(frozen=True, slots=True)
class _Handles:
    """What a batch keeps beside the ledger."""

    file: WorkspaceFile

    def get(self, name: str) -> str | None:
        """Return the text under a name or None."""
        return self.file.meta(f"batch {name}")

    def put(self, name: str, text: str) -> None:
        """Store a text under a name, on disk before it returns."""
        with self.file.transaction():
            self.file.note(f"batch {name}", text)


def _ledger(file: WorkspaceFile) -> LedgerTable:
    from autokb.stores.ledger_table import LedgerTable

    return LedgerTable(file)


def _check_prices(prices: Any, names: Sequence[str]) -> None:
    for name in names:
        if prices.of(name) is None:
            raise BadInputError(
                f"The price of {name} is not known, so a budget cannot be kept; write it into settings.yaml as "
                f"prices: {{{name.partition(':')[2]}: {{input: 1.0, output: 2.0}}}} (USD a million tokens)."
            )


def _note_cached(file: WorkspaceFile, models: Models) -> None:
    """Keep for ``costs`` what this run took from the ledger; what it paid is in the ledger itself."""
    models.note(file)
    rows = [(stage, task, 0, n, 0, 0, 0.0) for (stage, task), n in sorted(models.cached().items())]
    if rows:
        with file.transaction():
            file.spend(rows)
