"""The port to Cypher: what ``autokb.cypher`` answers, which is imported only when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autokb.core.results import Result
from autokb.core.ticket_plan import SubgraphPlan, SubgraphRow
from autokb.core.tickets import Ticket
from autokb.tasks.tickets.write_cypher.task import WriteCypher, WrittenCypher

Write = Callable[[WriteCypher], WrittenCypher | None]  # has a model write a query; None where no right reply came


@dataclass(frozen=True, slots=True)
class RanCypher(Result):
    """What was asked of the graph; ``refused`` says why it is the plan and not what a model wrote."""

    text: str
    refused: str | None = None


class CypherReader(Protocol):
    """Has the ticket graph asked in Cypher."""

    def read(
        self, question: str, best: Ticket, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Sequence[SubgraphRow] | None]:
        """Return what is asked of the graph, and which sections it gives; None where those of the plan stay.

        ``write`` is asked for a query about the best ticket where there is an engine to run it.
        """

    def close(self) -> None:
        """Let go of the engine."""
