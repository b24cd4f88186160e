"""What a graph store must do; tests/stores/graph has the contract that each of them passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from autokb.core.ticket_plan import CheckedCypher, SubgraphPlan, SubgraphRow


class GraphStore(Protocol):
    """The published tickets as a graph."""

    def link_types(self) -> tuple[str, ...]:
        """Return the types of links that there are, in order."""

    def run(self, plan: SubgraphPlan) -> tuple[SubgraphRow, ...]:
        """Return the sub-graph that a plan asks for, the same in every store (BadInputError for a wrong plan)."""

    def close(self) -> None:
        """Let go of what the store holds open."""


@dataclass(frozen=True, slots=True)
class CypherRows:
    """What a Cypher query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class CypherStore(GraphStore, Protocol):
    """A graph store whose engine speaks Cypher."""

    def cypher(self, query: CheckedCypher) -> CypherRows:
        """Return what a query that passed the guard gives; it reads only, and in a limited time (AutokbError)."""
