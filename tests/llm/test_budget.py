"""The arithmetic of a budget."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autokb.llm.budget import Budget


def test_spent_and_reserved_together_stay_within_the_limit() -> None:
    budget = Budget(1.0)
    first, second = budget.reserve(0.6), budget.reserve(0.4)
    assert first is not None
    assert second is not None
    assert budget.reserve(0.000001) is None
    assert (budget.spent, budget.in_flight) == (0.0, True)
    budget.settle(first, 0.1)
    assert budget.reserve(0.5) is not None
    budget.settle(second, 0.4)
    assert budget.spent == 0.5
    assert budget.reserve(0.000001) is None


def test_what_can_never_fit_is_known_before_the_others_are_done() -> None:
    budget = Budget(1.0)
    assert budget.reserve(0.9) is not None
    assert budget.reserve(0.5) is None
    assert budget.can_ever_fit(0.5)
    assert not budget.can_ever_fit(1.1)


def test_tenths_of_a_cent_add_up_exactly() -> None:
    budget = Budget(0.3)
    tickets = [budget.reserve(0.1) for _ in range(3)]
    assert None not in tickets
    assert budget.reserve(1e-9) is None


def test_a_budget_of_0_lets_only_what_is_free_pass() -> None:
    assert Budget(0.0).reserve(0.0) is not None
    assert Budget(0.0).reserve(1e-6) is None


@given(st.floats(0, 1), st.lists(st.tuples(st.floats(0, 0.2), st.floats(0, 1), st.booleans()), max_size=60))
def test_no_order_of_requests_passes_the_limit(limit: float, steps: list[tuple[float, float, bool]]) -> None:
    budget = Budget(limit)
    waiting: list[tuple[int, float]] = []
    for amount, share, holds_for_all in steps:
        if (ticket := budget.reserve(amount)) is not None:
            waiting.append((ticket, amount * share))
        if holds_for_all and waiting:
            budget.settle(*waiting.pop(0))
        assert budget._spent + sum(budget._reserved.values()) <= limit * 10**12
