"""What a build would ask: the same requests as a real one, counted instead of sent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from autokb.core.executor import LOCAL
from autokb.core.ids import digest
from autokb.core.model_requests import CHARACTERS_A_TOKEN, CutOffError, effort_in_key
from autokb.core.reply import Reply
from autokb.core.settings import Settings
from autokb.core.spending import Figures, Tokens
from autokb.core.vectors import Vectors
from autokb.pipeline.embedding import FreeEncoder, embed_once
from autokb.pipeline.model_session import caps_of, limits_of
from autokb.pipeline.request_batching import TOKENS_AROUND_ENTRIES, Batching, Group, halves, item_keys
from autokb.pipeline.runner import Answered, Job, worked_out
from autokb.pipeline.unread_items import UnreadItems
from autokb.stores.ledger_table import LedgerTable
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.asking import request_for
from autokb.tasks.task import In, Task

if TYPE_CHECKING:
    from autokb.llm.prices import Prices

TEXTS_A_REQUEST = 96  # of an embedder
COUNTED_DIMENSIONS = 8  # of the stand-ins for vectors, where nobody knows yet how long they are
NO_FIGURES = Figures(0, Tokens(0, 0), 0.0)


@dataclass
class Estimate:
    """The figures of one mode by stage; ``ratios`` are this workspace's own tokens beside our guess.

    A cost is None where a price is unknown; ``batch_cost`` is what the same requests cost as a batch.
    """

    prices: Prices
    ratios: Mapping[str, float] = field(default_factory=dict)
    stages: dict[str, Figures] = field(default_factory=dict)
    batch_cost: float | None = 0.0

    def count_groups(
        self,
        stage: str,
        task: Task[Any, Any],
        items: Sequence[Any],
        groups: Sequence[Group],
        model: str,
        answers: Mapping[int, Any],
        hidden: float = 0.0,
    ) -> None:
        """Count one request a group of positions, each with so many tokens of hidden reasoning.

        ``answers`` are the expected ones by position; what the model's earlier replies to the task took counts more.
        """
        read = written = 0.0
        learned = self.ratios.get(f"{model} {task.name}")
        for group in groups:
            together = [items[n] for n in group]
            characters = sum(map(len, task.turns(together)))
            read += characters / CHARACTERS_A_TOKEN * self.ratios.get(model, 1.0)
            if learned is None:
                written += TOKENS_AROUND_ENTRIES + task.tokens_written(together, [answers.get(n) for n in group])
            else:
                written += learned * (TOKENS_AROUND_ENTRIES + sum(task.tokens(item)[1] for item in together))
        reasoning = hidden * len(groups)
        price = self.prices.of(model)
        cost = None if price is None else price.cost(round(read), round(written + reasoning))
        figures = Figures(len(groups), Tokens(read, written + reasoning, reasoning), cost)
        self._add(stage, figures, None if price is None else price.batch)

    def count_texts(self, stage: str, texts: Sequence[str], embedder: str) -> None:
        """Count the tokens that a paid embedder reads; how many requests that takes is its own affair."""
        price = self.prices.of(embedder)
        read = sum(map(len, texts)) / CHARACTERS_A_TOKEN * self.ratios.get(embedder, 1.0)
        cost = None if price is None else price.cost(round(read), 0)
        self._add(stage, Figures(-(-len(texts) // TEXTS_A_REQUEST), Tokens(read, 0), cost), 1.0)

    def _add(self, stage: str, figures: Figures, batch_share: float | None) -> None:
        self.stages[stage] = self.stages.get(stage, NO_FIGURES) + figures
        if self.batch_cost is None or figures.cost is None or batch_share is None:
            self.batch_cost = None
        else:
            self.batch_cost += figures.cost * batch_share

    def total(self) -> Figures:
        """Return the sum over all stages."""
        return sum(self.stages.values(), NO_FIGURES)


@dataclass(eq=False)
class CountingRunner:
    """Counts what a model would be asked and answers in its stead, so that a rehearsed build can go on."""

    settings: Settings
    mode: str
    ledger: LedgerTable
    estimate: Estimate
    model: str
    expect: Callable[[Task[Any, Any], Any], Reply]

    def __post_init__(self) -> None:
        self._limits = limits_of(self.settings, self.model)
        self._effort = self.settings.effort_of(self.model)
        self.name = " ".join((self.model, *effort_in_key(self._effort)))
        self._caps = caps_of(self.settings, self.ledger)

    def keys(self, task: Task[In, Any], items: Sequence[In]) -> list[str]:
        """Return the keys of the model's answers: what it answered before is not counted."""
        return item_keys(task, self.model, items, self._effort)

    def answer(self, job: Job[Any]) -> Iterator[Sequence[Answered]]:
        """Form the requests, count them, and stand in for their replies."""
        batching = Batching(job.task, job.items, self._limits, self.mode == "paper")
        given_up, asked = UnreadItems(self.ledger.file, job, self.model, self._limits.output).split_exhausted()
        groups = batching.groups(job.keys, asked, self.ledger.open_groups(job.task.name))
        if self._caps.any_was_cut:
            groups = [part for group in groups for part in self._still_asked(job, group, given_up)]
        failed = {one.position for one in given_up}
        expected: dict[int, Reply] = {}

        def answer(position: int) -> str:
            expected[position] = self.expect(job.task, job.items[position])
            return expected[position].model_dump_json()

        expected_of = [n for n in job.missing if n not in failed]
        answered = list(worked_out(expected_of, LOCAL.map(answer, expected_of)))
        hidden = self._caps.usual_reasoning(self.model, job.task.name, self._effort) if groups else 0.0
        self.estimate.count_groups(
            stage=job.stage,
            task=job.task,
            items=job.items,
            groups=groups,
            model=self.model,
            answers=expected,
            hidden=hidden,
        )
        yield [*given_up, *answered]

    def _still_asked(self, job: Job[Any], group: Group, given_up: list[Answered]) -> list[Group]:
        """Return what a build still asks of a group: a request that no cap was enough for is not asked again."""
        items = tuple(job.items[n] for n in group)
        request = request_for(job.task, items, self.model, self._limits.output, self._effort)
        try:
            self._caps.with_cap(request, job.task.name)
        except CutOffError as error:
            parts = halves(group, error)
            given_up += [] if parts else [Answered(n, None, str(error)) for n in group]
            return [asked for part in parts for asked in self._still_asked(job, part, given_up)]
        return [group]


@dataclass(frozen=True)
class CountingEncoder:
    """Counts what a paid embedder would read.

    In the place of vectors that nobody paid for yet are those of ``stand_in``, an embedder on this machine, all of one
    length; without one such texts point anywhere, the same way each time, beside those that were paid for.
    """

    paid_name: str
    price_key: str
    file: WorkspaceFile
    estimate: Estimate
    stand_in: FreeEncoder | None = None

    @property
    def name(self) -> str:
        """The paid embedder's, or that of what stands in for it."""
        return self.paid_name if self.stand_in is None else f"{self.stand_in.name} for {self.paid_name}"

    @property
    def dimensions(self) -> int:
        """That of the vectors that are kept, else a stand-in's."""
        if self.stand_in is not None:
            return self.stand_in.dimensions
        return self.file.dimensions(self.name) or COUNTED_DIMENSIONS

    def learn_dimensions(self, _stage: str, _texts: Sequence[str]) -> int:
        """Do nothing: a stand-in has any length."""
        return 0

    def encode(self, stage: str, texts: Sequence[str]) -> Iterator[tuple[Sequence[str], Vectors]]:
        """Count what was not paid for, and give each text its stand-in; what a stand-in read is kept."""
        _, unpaid = self.file.vectors(self.paid_name, texts, self.file.dimensions(self.paid_name))
        self.estimate.count_texts(stage, [texts[n] for n in unpaid], self.price_key)
        if self.stand_in is not None:
            vectors, _ = embed_once(self.file, self.stand_in, stage, texts, lambda _done, _all: None)
            self.file.keep_vectors(self.name, texts, vectors)
            yield texts, vectors
            return
        for text in texts:
            vector = np.random.default_rng(int(digest(text)[:8], 16)).standard_normal((1, self.dimensions))
            yield [text], (vector / np.linalg.norm(vector)).astype(np.float32)

    def token_reader(self, _language: str) -> None:
        """Return nothing: it gives vectors of whole texts alone."""

    def embed_questions(self, texts: Sequence[str]) -> Vectors:
        """Refuse: nothing is asked while a build is only counted."""
        raise AssertionError(f"{len(texts)} questions were asked while a build was counted")
