"""The port to Cypher: what ``autokb.plugins.tickets.cypher`` answers, which is imported only when it is asked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from autokb.core.ticket_answer import RanCypher
from autokb.core.tickets import Ticket, TicketSection
from autokb.plugins.tickets.graph.plan import SubgraphPlan
from autokb.plugins.tickets.tasks.write_cypher.task import WriteCypher, WrittenCypher

Write = Callable[[WriteCypher], WrittenCypher | None]  # has a model write a query; None where no right reply came


class CypherReader(Protocol):
    """Has the ticket graph asked in Cypher."""

    def read(
        self, question: str, best: Ticket, plan: SubgraphPlan, write: Write | None
    ) -> tuple[RanCypher, Sequence[TicketSection] | None]:
        """Return what is asked of the graph, and which sections it gives; None where those of the plan stay.

        ``write`` is asked for a query about the best ticket where there is an engine to run it.
        """
