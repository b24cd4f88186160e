"""Past tickets: their graph, answers from it, and lists of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from autokb.app.namespaces.namespace import Namespace
from autokb.core.errors import UnknownIdError
from autokb.core.progress import Progress
from autokb.notebook.progress import show_progress

if TYPE_CHECKING:
    from autokb.app import SupportKB
    from autokb.core.roles import Role
    from autokb.core.ticket_answer import TicketAnswer
    from autokb.plugins.tickets.accept import Accepted
    from autokb.plugins.tickets.answers.knowledge import Fed
    from autokb.plugins.tickets.answers.open_tickets import ShownTicket, ShownTickets, SimilarTickets
    from autokb.plugins.tickets.answers.report import TicketReport
    from autokb.plugins.tickets.browser import TicketView
    from autokb.plugins.tickets.build import TicketBuildReport
    from autokb.plugins.tickets.draft_template import TemplateDraft
    from autokb.plugins.tickets.suggestions import PastTickets
    from autokb.views.kinds import Found, Page


class TicketsNamespace(Namespace):
    """Past tickets: their graph, answers from it, and lists of them."""

    def __init__(self, kb: SupportKB) -> None:
        super().__init__(kb._memory)

    def _past(self) -> PastTickets:
        """Return the published tickets, in memory until a later build publishes others (NothingPublishedError)."""
        from autokb.plugins.tickets.suggestions import PastTickets

        held: Any = self._memory.beside("ticket")
        return held or PastTickets(self._memory.workspace)

    def build(
        self, *, rethink: bool = False, budget: float | None = None, progress: Progress = show_progress
    ) -> TicketBuildReport:
        """Build and publish the ticket graph; only tickets that changed are worked out.

        ``rethink`` chooses anew how alike titles must be and what each signal counts.
        """
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.tickets.build import build_tickets

        return build_tickets(self._memory.workspace, rethink=rethink, options=ModelOptions(budget), progress=progress)

    def show(self, ticket: str, *, role: Role = "admin") -> ShownTicket:
        """Return one ticket as a tree of sections with its links; a ``role`` below agent gets private data masked."""
        from autokb.plugins.tickets.browser import ticket_for

        return ticket_for(self._memory.workspace, ticket, role)

    def overview(self) -> ShownTickets:
        """Return how many tickets there are, their sections and links, and what each signal counts."""
        from autokb.plugins.tickets.answers.open_tickets import show_tickets

        return show_tickets(self._memory.workspace)

    def list(self, limit: int = 100, after: str = "", *, role: Role = "admin") -> Page[TicketView]:
        """Return published tickets by their ids; ``show`` has the whole of one, masked alike for a role."""
        from autokb.plugins.tickets.browser import list_tickets

        return list_tickets(self._memory.workspace, limit, after, role)

    def search(self, query: str = "", first: int = 0, most: int = 50) -> Found[TicketView]:
        """Return tickets, the newest first, or those that have every word of a query, private data masked."""
        found: Found[TicketView] = self._memory.views.list_of("ticket").listed(query, first, most)
        return found

    def browse(self, ticket: str, neighbours: int = 12) -> TicketView:
        """Return a ticket with at most so many neighbours as a graph, private data masked (UnknownIdError)."""
        from autokb.plugins.tickets.browser import browse_ticket

        return browse_ticket(self._memory.workspace, ticket, neighbours)

    def browse_similar(self, ticket: str, k: int = 5) -> SimilarTickets:
        """Return the tickets most like the one of this id, private data masked (UnknownIdError)."""
        from autokb.plugins.tickets.browser import mask_similar

        if not self._memory.views.list_of("ticket").tickets.get(ticket):
            raise UnknownIdError(f"There is no published ticket {ticket!r}; the list of tickets has those there are.")
        return mask_similar(self._memory.workspace, self.similar(ticket, k))

    def similar(self, text: str, k: int = 5) -> SimilarTickets:
        """Return the tickets most like a text, or like the ticket of this id."""
        return self._past().opened.similar(text, k)

    def ask(self, text: str, k: int = 5, *, cypher: bool = False, budget: float | None = None) -> TicketAnswer:
        """Answer a question from past tickets, with evidence; ``k`` bounds the tickets.

        ``cypher`` shows what is asked of the graph: what a model wrote, where one is set and an engine is installed.
        """
        return self._past().asking.ask(text, k, cypher=cypher, budget=budget)

    def accept(self, question: str, ticket: str, *, author: str = "", undo: bool = False) -> Accepted:
        """Store that a ticket answers a question, which counts from the next question on; ``undo`` takes it back."""
        from autokb.plugins.tickets.accept import accept_ticket

        return accept_ticket(self._memory.workspace, question, ticket, author=author, undo=undo)

    def report(self, by: str) -> TicketReport:
        """Return how long groups of tickets took to be resolved; ``by`` is a field, or ``created<2015-01-01``."""
        from autokb.plugins.tickets.answers.report import report_tickets

        return report_tickets(self._memory.workspace, by)

    def draft_template(self, *, budget: float | None = None, progress: Progress = show_progress) -> TemplateDraft:
        """Propose sections of tickets from what was added, in a file beside ``domain.yaml``."""
        from autokb.pipeline.model_session import ModelOptions
        from autokb.plugins.tickets.draft_template import draft_ticket_template

        return draft_ticket_template(self._memory.workspace, options=ModelOptions(budget), progress=progress)

    def ingest(self) -> Fed:
        """Stage resolved tickets as documents, and what they reported as raw issues, for the next build."""
        from autokb.plugins.tickets.answers.knowledge import feed_tickets

        return feed_tickets(self._memory.workspace)
