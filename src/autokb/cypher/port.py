"""What an engine for Cypher must do; tests/cypher/test_graph_store.py has the contract that each of them passes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from autokb.core.ticket_plan import CheckedCypher
from autokb.core.ticket_template import TicketTemplate
from autokb.stores.workspace_file import WorkspaceFile


@dataclass(frozen=True, slots=True)
class CypherRows:
    """What a Cypher query gave."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class CypherEngine(Protocol):
    """An engine that holds a projection of the tickets of ``file``."""

    file: WorkspaceFile
    template: TicketTemplate

    def cypher(self, query: CheckedCypher) -> CypherRows:
        """Return what a query that passed the guard gives; it reads only, and in a limited time (AutokbError)."""

    def close(self) -> None:
        """Let go of what is held open."""
