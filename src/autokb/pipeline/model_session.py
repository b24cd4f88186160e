"""The open way to models for one run: the client in its event loop, with the workspace's ledger, prices and budget."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.settings import Settings
from autokb.core.spending import Spending, Tokens
from autokb.llm.batch.awaited import BatchReport
from autokb.pipeline.embedding import open_endpoint_embedder, read_embedder_name
from autokb.pipeline.model_choice import named_models
from autokb.stores.database import damaged_rows
from autokb.stores.ledger_table import LedgerTable
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

if TYPE_CHECKING:
    from concurrent.futures import Future

    from anyio.from_thread import BlockingPortal

    from autokb.llm.batch.awaited import Batch, TakenReplies
    from autokb.llm.batch.provider import BatchProvider
    from autokb.llm.budget import Budget
    from autokb.llm.caps import Caps, Limits
    from autokb.llm.client import ModelClient
    from autokb.llm.embedders.endpoint import EndpointEmbedder
    from autokb.llm.prices import Prices

T = TypeVar("T")
HIGHEST_BUDGET = 1_000_000_000  # USD; more is a slip of the keyboard
RATIOS = "token_ratios"  # meta: what this workspace's requests took beside what was guessed
PACE = "seconds_a_call"  # meta: seconds of waiting a request


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """How a person wants models to be asked: for at most ``budget`` USD, at once or as a batch.

    Where ``budget_has_replies`` is set, the replies that a batch brings are paid from the budget too. ``is_live``: a
    person waits for the replies, and nothing of them is in a batch that is with the provider; models are connected to
    when the session opens.
    """

    budget: float | None = None
    batch: bool = False
    batch_files: Path | None = None
    budget_has_replies: bool = False
    is_live: bool = False


@dataclass
class ModelSession:
    """The client and its loop; ``models`` are those that the settings name.

    ``awaited`` counts replies to come by stage and task, ``outlook`` says how many rounds follow. Requests without a
    reply at the ``deadline``, a moment of ``time.monotonic``, are given up.
    """

    settings: Settings
    mode: str
    models: Sequence[str]
    file: WorkspaceFile
    ledger: LedgerTable
    client: ModelClient
    prices: Prices
    portal: BlockingPortal
    embedder: EndpointEmbedder | None = None
    batch: Batch | None = None
    taken: TakenReplies | None = None
    awaited: Counter[tuple[str, str]] = field(default_factory=Counter)
    outlook: str = ""
    seconds: float = 0.0
    deadline: float | None = None
    _guesses: dict[str, list[float]] = field(default_factory=dict)
    _reused: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def limits(self, model: str) -> Limits:
        """Return how many tokens a model reads and writes."""
        return limits_of(self.settings, model)

    def seconds_left(self) -> float | None:
        """Return how long a request may still take, None for as long as the settings allow."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def start(self, jobs: Sequence[Callable[[], Awaitable[T]]]) -> Future[list[T | Exception]]:
        """Run jobs on the client's loop, side by side; cancelling the future cancels what is in flight."""
        return self.portal.start_task_soon(self.client.run_many, jobs)

    def run(self, jobs: Sequence[Callable[[], Awaitable[T]]]) -> list[T | Exception]:
        """Run jobs and wait; Ctrl-C cancels what is in flight, what arrived is kept."""
        future = self.start(jobs)
        with self.waiting():
            try:
                return future.result()
            except KeyboardInterrupt:
                future.cancel()
                raise

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Count the seconds of a block as waited for models."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds += time.perf_counter() - started

    def count_reused(self, stage: str, task: str, keys: Sequence[str]) -> None:
        """Count the requests behind answers that an earlier run kept under these keys."""
        requests = {r for origin in self.file.origins(sorted(set(keys))).values() for r in origin.split()}
        self._reused.setdefault((stage, task), set()).update(requests)

    def guessed(self, name: str, guess: float, actual: float) -> None:
        """Remember what a request took beside what was guessed, for the next plan."""
        pair = self._guesses.setdefault(name, [0.0, 0.0])
        pair[0] += guess
        pair[1] += actual

    def spending(self) -> Spending:
        """Return what this run asked and spent."""
        total = self.client.counts
        tokens = Tokens(total.input, total.output, total.reasoning)
        return Spending(total.calls, sum(self._cached().values()), tokens, total.cost)

    def batch_report(self) -> BatchReport | None:
        """Return what was found of a batch's replies, by custom_id; None where none was asked for."""
        return None if self.taken is None else self.taken.report()

    def _cached(self) -> dict[tuple[str, str], int]:
        """Return by stage and task how many replies were taken from the ledger."""
        found = {place: len(requests) for place, requests in self._reused.items()}
        for place, counts in self.client.by_task.items():
            found[place] = found.get(place, 0) + counts.cached
        return {place: n for place, n in found.items() if n}

    def take_replies(self, budget: Budget | None = None) -> None:
        """Put the replies of a batch that have come into the ledger; they count as calls of this run.

        They are paid from the budget, where one is given.
        """
        if self.batch is None:
            return
        self.portal.call(self.batch.check, self.models)
        self.taken = taken = self.portal.call(self.batch.take_replies)
        counts = self.client.counts
        counts.calls += taken.taken
        counts.input += taken.input_tokens
        counts.output += taken.output_tokens
        counts.reasoning += taken.reasoning_tokens
        counts.cost = None if counts.cost is None or taken.cost is None else counts.cost + taken.cost
        if budget is not None:
            budget.spend(taken.cost or 0.0)

    def close(self) -> None:
        """Write or submit what a batch is to ask, close the connections, and note what the next plan can learn from."""
        try:
            if self.batch is not None:
                self.portal.call(self.batch.flush, self.outlook)
        finally:
            self.portal.call(self.client.close)
            self._store_estimates()

    def _store_estimates(self) -> None:
        """Store the ratios of actual to estimated tokens, the seconds a request, and the counts of cached replies."""
        calls = self.client.counts.calls
        ratios = {n: round(actual / guess, 4) for n, (guess, actual) in self._guesses.items() if guess and actual}
        rows = [(stage, task, 0, n, 0, 0, 0.0) for (stage, task), n in sorted(self._cached().items())]
        if self.file.read_only or not (calls or ratios or rows):
            return
        with self.file.transaction():
            self.file.note(RATIOS, canonical_json({**read_ratios(self.file), **ratios}))
            if calls:
                self.file.note(PACE, str(round(self.seconds / calls, 4)))
            self.file.spend(rows)


def limits_of(settings: Settings, model: str) -> Limits:
    """Return how many tokens a model reads and writes, as the settings say or is known."""
    from autokb.llm.caps import limits

    return limits(model, settings.window, settings.max_output)


def caps_of(settings: Settings, ledger: LedgerTable) -> Caps:
    """Return what gives each request its cap, as the settings and earlier replies say."""
    from autokb.llm.caps import Caps

    return Caps(ledger, partial(limits_of, settings))


def read_ratios(file: WorkspaceFile) -> dict[str, float]:
    """Return what this workspace's requests took beside what is guessed, by model, and by model and task."""
    with damaged_rows("meta"):
        found: dict[str, float] = json.loads(file.meta(RATIOS) or "{}")
        return {name: float(ratio) for name, ratio in found.items()}


@contextmanager
def open_session(workspace: Workspace, file: WorkspaceFile, options: ModelOptions) -> Iterator[ModelSession | None]:
    """Open the way to the settings' models for the length of a block; None when everything is answered offline."""
    settings = workspace.settings
    names = named_models(settings)
    embedder = read_embedder_name(settings.embedder)
    if not names and not embedder.is_paid:
        yield None
        return

    from anyio.from_thread import start_blocking_portal

    from autokb.llm.budget import Budget
    from autokb.llm.client import ModelClient
    from autokb.llm.prices import Prices
    from autokb.llm.providers import open_sender

    prices = Prices(settings.prices, settings.base_url)
    _check_way(workspace, file, options, prices, [*names, *filter(None, [embedder.price_key])])
    ledger = LedgerTable(file)
    batch = _open_batch(options, settings, ledger, file, prices)
    endpoint = open_endpoint_embedder(settings) if embedder.is_paid else None
    budget = None if options.budget is None else Budget(options.budget)
    client = ModelClient(
        ledger,
        lambda model: batch or open_sender(model, settings.base_url, settings.timeout, settings.max_reply_bytes),
        prices,
        budget,
        settings.concurrency,
        settings.retries,
        embedding_sender=endpoint,
        sends_at_once=batch is None,
        caps=caps_of(settings, ledger),
    )
    with start_blocking_portal() as portal:
        session = ModelSession(
            settings=settings,
            mode=workspace.mode,
            models=names,
            file=file,
            ledger=ledger,
            client=client,
            prices=prices,
            portal=portal,
            embedder=endpoint,
            batch=batch,
        )
        with closing(session):
            session.take_replies(budget if options.budget_has_replies else None)
            if options.is_live:  # whoever waits for a reply waits for nothing else
                portal.call(client.connect, names)
            yield session


def _refuse_if_submitted(file: WorkspaceFile) -> None:
    """Refuse to ask again, and pay again, for what a provider is working on."""
    from autokb.llm.batch.provider import submitted

    if waiting := submitted(BatchNotes(file)):
        raise BadInputError(
            f"{waiting} requests are with the provider as a batch and would be paid for twice; run the build with "
            "--batch to collect their replies first."
        )


def _open_batch(
    options: ModelOptions, settings: Settings, ledger: LedgerTable, file: WorkspaceFile, prices: Prices
) -> Batch | None:
    """Return what keeps requests for a batch, or None when they are sent at once."""
    if options.batch and options.batch_files:
        raise BadInputError("--batch and --batch-files exclude each other; choose one.")
    if options.batch_files is not None:
        from autokb.llm.batch.files import BatchFiles

        return BatchFiles(options.batch_files, ledger, BatchNotes(file), prices.of, settings.max_reply_bytes)
    return _open_provider(settings, ledger, file, prices) if options.batch else None


def _open_provider(settings: Settings, ledger: LedgerTable, file: WorkspaceFile, prices: Prices) -> BatchProvider:
    from autokb.llm.batch.models import open_batch_model
    from autokb.llm.batch.provider import BatchProvider
    from autokb.net.reply_bound import ReplyBound

    bound = ReplyBound(settings.max_reply_bytes)
    open_model = partial(open_batch_model, base_url=settings.base_url, bound=bound)
    return BatchProvider(ledger, BatchNotes(file), prices.of, open_model, bound)


def has_batch_ended(workspace: Workspace) -> bool:
    """Ask the provider whether a batch of this workspace has ended; none being submitted counts as ended."""
    import anyio

    from autokb.llm.prices import Prices

    settings = workspace.settings

    async def ask(provider: BatchProvider) -> bool:
        try:
            return await provider.has_ended()
        finally:
            await provider.close()

    with workspace.file() as file:
        prices = Prices(settings.prices, settings.base_url)
        return anyio.run(ask, _open_provider(settings, LedgerTable(file), file, prices))


@dataclass(frozen=True, slots=True)
class BatchNotes:
    """What a batch keeps beside the ledger (the port ``Handles``)."""

    file: WorkspaceFile

    def get(self, name: str) -> str | None:
        """Return the text under a name or None."""
        return self.file.meta(f"batch {name}")

    def put(self, name: str, text: str) -> None:
        """Store a text under a name, on disk before it returns."""
        with self.file.transaction():
            self.file.note(f"batch {name}", text)


def _check_way(
    workspace: Workspace, file: WorkspaceFile, options: ModelOptions, prices: Prices, priced: Sequence[str]
) -> None:
    """Refuse models that nobody provides, replies that are awaited and a budget that cannot be kept (BadInputError)."""
    from autokb.llm.providers import check_model

    names = named_models(workspace.settings)
    for name in names if options.batch_files is None else ():
        check_model(name, workspace.settings.base_url)
    if names and not (options.batch or options.is_live):
        _refuse_if_submitted(file)
    if options.budget is not None:
        _check_budget(options.budget, prices, priced)


def _check_budget(budget: float, prices: Prices, names: Sequence[str]) -> None:
    """Refuse a budget that is no amount, or that cannot be kept since a price is unknown (BadInputError)."""
    if not 0 <= budget <= HIGHEST_BUDGET:
        raise BadInputError(f"--budget must be an amount from 0 to {HIGHEST_BUDGET} USD, not {budget:g}.")
    for name in names:
        if prices.of(name) is None:
            raise BadInputError(
                f"The price of {name} is not known, so a budget cannot be kept; write it into settings.yaml as "
                f"prices: {{{name.partition(':')[2]}: {{input: 1.0, output: 2.0}}}} (USD a million tokens)."
            )
