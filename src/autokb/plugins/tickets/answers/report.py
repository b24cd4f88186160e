"""How long tickets took to be resolved, in groups of a field or before and after a date (table 3 of the paper)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from autokb.core.errors import BadInputError
from autokb.core.results import Result
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import DATE_FIELDS, LIST_FIELDS, TEXT_FIELDS, Ticket
from autokb.domains.ticket_templates import ticket_template
from autokb.plugins.tickets.graph.index import day_of
from autokb.stats.samples import FIGURES, sample_figures
from autokb.stores.ticket_tables import read_tickets
from autokb.stores.workspace import Workspace

NO_VALUE = "(none)"
_DATE = re.compile(r"\s*(\w+)\s*(<|>=|before|from)\s*(\d{4}-\d\d-\d\d)\s*")


@dataclass(frozen=True, slots=True)
class ResolutionTimes(Result):
    """Hours from a ticket's creation to its resolution; ``n`` are resolved tickets, ``unresolved`` the others.

    Figures are None where no ticket is resolved; the ends of an interval are where a single one is.
    """

    n: int
    unresolved: int
    mean: float | None
    p50: float | None
    p90: float | None
    intervals: Mapping[str, tuple[float | None, float | None]]


@dataclass(frozen=True, slots=True)
class TicketReport(Result):
    """The groups by their names, the largest first; those of a date in its order."""

    by: str
    groups: Mapping[str, ResolutionTimes]


def report_tickets(workspace: Workspace, by: str) -> TicketReport:
    """Return how long the tickets of each group took; ``by`` is a field, or ``created<2015-01-01`` for two groups."""
    with workspace.file() as file:
        tickets = [one.ticket for one in read_tickets(file).values()]
    if not tickets:
        raise BadInputError("No ticket is published yet; add some with --as tickets, then: autokb tickets build.")
    groups_of = _grouping(by, tickets, ticket_template(workspace.spec))
    groups: dict[str, list[Ticket]] = {}
    for ticket in tickets:
        for name in groups_of(ticket):
            groups.setdefault(name, []).append(ticket)
    order = sorted(groups) if _DATE.fullmatch(by) else sorted(groups, key=lambda name: (-len(groups[name]), name))
    return TicketReport(by, {name: resolution_times(groups[name]) for name in order})


def _grouping(by: str, tickets: Iterable[Ticket], template: TicketTemplate) -> Callable[[Ticket], tuple[str, ...]]:
    if date := _DATE.fullmatch(by):
        field, _, bound = date.groups()
        if field not in DATE_FIELDS:
            raise BadInputError(f"--by {by}: tickets have the dates {', '.join(sorted(DATE_FIELDS))}, no {field!r}.")
        limit = day_of(bound)
        names = (f"{field} before {bound}", f"{field} from {bound}")

        def by_date(ticket: Ticket) -> tuple[str, ...]:
            day = day_of(ticket.text_of(field))
            return (names[int(day >= limit)],) if day == day else (f"{field} unknown",)

        return by_date
    name = by.strip()
    if name in template and template[name].fields:
        name = template[name].fields[0]
    if name in LIST_FIELDS:
        return lambda ticket: tuple(getattr(ticket, name)) or (NO_VALUE,)
    if name not in TEXT_FIELDS - {"title", "description", "url", "id"} and not any(name in t.other for t in tickets):
        known = sorted((TEXT_FIELDS | LIST_FIELDS) - {"title", "description", "url", "id"} - set(DATE_FIELDS))
        raise BadInputError(
            f"--by {by}: tickets have no such field; name one of {', '.join(known)}, or a date: created<2015-01-01."
        )
    return lambda ticket: (ticket.text_of(name).strip() or NO_VALUE,)


def resolution_times(tickets: Iterable[Ticket]) -> ResolutionTimes:
    """Return how long tickets took; one without both dates counts as unresolved."""
    tickets = list(tickets)
    hours = [24 * (day_of(t.resolved) - day_of(t.created)) for t in tickets]
    hours = [value for value in hours if value >= 0]  # without one of the dates it is not a number
    figures = sample_figures(hours)
    return ResolutionTimes(
        n=len(hours),
        unresolved=len(tickets) - len(hours),
        mean=_rounded(figures["mean"].value),
        p50=_rounded(figures["p50"].value),
        p90=_rounded(figures["p90"].value),
        intervals={name: (_rounded(figures[name].low), _rounded(figures[name].high)) for name in FIGURES},
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)
