"""Requests to models, tokens and money: counted, estimated and added up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from autokb.core.results import Result


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
