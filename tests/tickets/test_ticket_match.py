from __future__ import annotations

import numpy as np

from autokb.core.ticket_weights import TicketWeights
from autokb.tickets.match import MatchChance, best_and_lead, fit_match
from autokb.tickets.search import Signals


def signals(*text: float) -> Signals:
    zeros = np.zeros(len(text))
    return Signals(np.arange(len(text)), np.array(text), zeros, zeros, zeros, zeros, zeros)


def test_a_near_ticket_far_ahead_of_the_next_is_likelier_the_same_problem() -> None:
    asked = []
    for n in range(60):
        is_right = n % 2 == 0
        found = signals(0.9 if is_right else 0.5, 0.4, 0.3, 1.0)  # the last is the ticket that asks
        asked.append((found, np.array([False, False, False, True]), np.array([is_right, False, False, False])))
    chance = fit_match(asked, TicketWeights())
    likely, doubtful = (chance.of(s, s.text) for s in (signals(0.9, 0.4), signals(0.5, 0.4)))
    assert likely > 0.9
    assert doubtful < 0.1
    assert chance.of(signals(0.9, 0.89), np.array([0.9, 0.89])) < likely


def test_the_ticket_that_asks_does_not_count_as_found() -> None:
    found = signals(0.6, 1.0)
    assert best_and_lead(found, np.where([False, True], -np.inf, found.text)) == (0.6, 0.0)


def test_where_no_ticket_is_found_nothing_is_likely() -> None:
    assert MatchChance(1.0, 1.0, 9.0).of(signals(), np.zeros(0)) == 0.0
    assert MatchChance(1.0, 1.0, 9.0).of(signals(0.5), np.array([-np.inf])) == 0.0
