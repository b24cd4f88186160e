"""What a build will ask: the same requests as a real one, counted instead of sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autokb.tasks.prompts import render
from autokb.tasks.task import Task

CHARACTERS_A_TOKEN = 4.0  # of English prose; a workspace that has asked before knows its own
TEXTS_A_REQUEST = 96  # of an embedder
AROUND = 8  # tokens of a reply beside its entries: {"answers": []}


@dataclass
class Figures:
    """Requests and tokens, estimated; ``cost`` is None where a price is unknown."""

    calls: int = 0
    input: float = 0.0
    output: float = 0.0
    cost: float | None = 0.0

    def add(self, other: Figures) -> None:
        """Take in other figures."""
        self.calls += other.calls
        self.input += other.input
        self.output += other.output
        self.cost = None if self.cost is None or other.cost is None else self.cost + other.cost

    def as_json(self) -> dict[str, Any]:
        """Return calls, tokens and cost."""
        tokens = {"input": round(self.input), "output": round(self.output)}
        return {"calls": self.calls, "tokens": tokens, "cost": None if self.cost is None else round(self.cost, 6)}


@dataclass
class Estimate:
    """The figures of one mode by stage; ``ratios`` are this workspace's own tokens beside our guess."""

    prices: Any
    ratios: Mapping[str, float] = field(default_factory=dict)
    stages: dict[str, Figures] = field(default_factory=dict)
    _batch: float | None = 0.0

    def count_groups(
        self, stage: str, task: Task[Any, Any], items: Sequence[Any], groups: Sequence[tuple[int, ...]], model: str
    ) -> None:
        """Count one request a group of positions."""
        assert task.asking is not None
        figures = Figures()
        for group in groups:
            own = [items[n] for n in group]
            read = sum(map(len, render(task.asking.package, task.asking.values(own)))) / CHARACTERS_A_TOKEN
            written = AROUND + sum(task.asking.tokens(item)[1] for item in own)
            figures.calls += 1
            figures.input += read * self.ratios.get(model, 1.0)
            figures.output += written * self.ratios.get(f"{model} {task.name}", 1.0)
        price = self.prices.of(model)
        figures.cost = None if price is None else price.cost(round(figures.input), round(figures.output))
        self._add(stage, figures, None if price is None else price.batch)

    def count_texts(self, stage: str, texts: Sequence[str], embedder: str) -> None:
        """Count the tokens that a paid embedder reads; how many requests that takes is its own affair."""
        price = self.prices.of(embedder)
        read = sum(map(len, texts)) / CHARACTERS_A_TOKEN * self.ratios.get(embedder, 1.0)
        calls = -(-len(texts) // TEXTS_A_REQUEST)
        cost = None if price is None else price.cost(round(read), 0)
        self._add(stage, Figures(calls, read, 0.0, cost), 1.0)

    def _add(self, stage: str, figures: Figures, batch: float | None) -> None:
        self.stages.setdefault(stage, Figures()).add(figures)
        known = self._batch is not None and figures.cost is not None and batch is not None
        self._batch = self._batch + figures.cost * batch if known else None  # type: ignore[operator]

    def batch_cost(self) -> float | None:
        """Return what the same requests cost as a batch; None where a price is unknown."""
        return None if self._batch is None else round(self._batch, 6)

    def total(self) -> Figures:
        """Return the sum over all stages."""
        found = Figures()
        for figures in self.stages.values():
            found.add(figures)
        return found
