"""How much each signal counts when tickets are ranked, in units of cosine."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class TicketWeights:
    """What is added to the cosine of a ticket's best pieces.

    ``words`` x BM25 as a share of the best ticket's, ``votes`` x the mean over the question's sections of the best
    cosine of the ticket's own, ``component`` where one is in common, minus ``time`` x the logarithm of the weeks
    between (a month: 1.7, a year: 4.0), ``resolved`` where the ticket is, and ``links`` x what its best neighbour
    is above it.
    """

    words: float = 0.25
    votes: float = 0.0
    component: float = 0.1
    time: float = 0.03
    resolved: float = 0.0
    links: float = 0.0

    def as_json(self) -> dict[str, float]:
        """Return plain numbers by name."""
        return asdict(self)
