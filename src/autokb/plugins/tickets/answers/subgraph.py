"""The sub-graph that answers a question about past tickets: the plan runs, and it is said what stands in for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.ticket_answer import QuestionParts, UsedAnswer
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import SIMILAR_TO, TICKET, Edge, TicketSection
from autokb.core.vectors import Vectors
from autokb.plugins.tickets.answers.open_tickets import OpenTickets
from autokb.plugins.tickets.graph.answers import DUPLICATES, MOST_TICKETS, is_long_section, name_of
from autokb.plugins.tickets.graph.plan import ENDINGS, SubgraphPlan, plan_for
from autokb.plugins.tickets.heuristics.outcome_comments import tells_outcome
from autokb.stores.ticket_tables import PublishedTicket, read_edges

SOLVING = ("fix", "workaround", "root_cause")  # sections that stand in for each other in one ticket
NO_SECTION = "The query gave no section of a ticket; the sections are those of the plan."
NEAR_BEST = 0.1  # cosine: a ticket so little below the best may answer what the best has no section for


@dataclass(frozen=True)
class FoundTickets:
    """The tickets for a question, whose vector is ``vector``, best first; ``named`` where the question names them.

    ``confidence`` is how sure it is that the question is about the tickets, ``match`` that the first is the right one.
    """

    tickets: Mapping[str, PublishedTicket]
    scores: Mapping[str, float]
    vector: Vectors
    named: bool = False
    confidence: float = 1.0
    match: float | None = None
    accepted: tuple[UsedAnswer, ...] = ()

    @property
    def ids(self) -> tuple[str, ...]:
        """Their ids, best first."""
        return tuple(self.tickets)

    @property
    def best(self) -> PublishedTicket:
        """The first one."""
        return next(iter(self.tickets.values()))


@dataclass(frozen=True, slots=True)
class Subgraph:
    """The tickets to show with the sections read of them, and which were asked for.

    ``fallback`` says in sentences why ``plan``, which ran, is not what was asked for first.
    """

    tickets: Mapping[str, PublishedTicket]
    rows: Sequence[TicketSection]
    asked: tuple[str, ...]
    plan: SubgraphPlan
    fallback: tuple[str, ...] = ()


@dataclass(frozen=True)
class SubgraphReader:
    """Reads sub-graphs from the workspace's own file, for questions to the tickets in memory."""

    opened: OpenTickets

    def read(self, parts: QuestionParts, found: FoundTickets) -> Subgraph:
        """Return what the linked tickets have, where links are asked for, else the tickets found."""
        if not parts.links:
            return self._read_found(parts, found)
        linked = self._read_linked(parts, found.ids if found.named else found.ids[:1])
        if linked.tickets:
            return linked
        own = self._read_found(replace(parts, links=()), found)
        return replace(own, fallback=(*linked.fallback, "This is from the ticket itself.", *own.fallback))

    def with_rows(self, subgraph: Subgraph, rows: Sequence[TicketSection]) -> Subgraph:
        """Return the sections that a model's query gave in the place of the plan's."""
        if not rows:
            return replace(subgraph, fallback=(*subgraph.fallback, NO_SECTION))
        shown = list(dict.fromkeys(row.ticket for row in rows))[:MOST_TICKETS]
        asked = subgraph.asked or tuple(dict.fromkeys(row.section for row in rows))
        return Subgraph(self.opened.read(shown), rows, asked, subgraph.plan)

    def _plan(self, parts: QuestionParts, tickets: Sequence[str]) -> SubgraphPlan:
        return plan_for(parts, tickets, self.opened.index.template, self.opened.link_types)

    def _edges(self, tickets: Sequence[str]) -> list[Edge]:
        return read_edges(self.opened.file, tickets)

    # -- linked tickets ----------------------------------------------------------------------------

    # Complex: what each linked ticket has, what stands in for it and what is not here are read of one plan.
    def _read_linked(self, parts: QuestionParts, begin: Sequence[str]) -> Subgraph:
        """Return what the tickets linked with those have; one without the section asked for says something else."""
        template = self.opened.index.template
        title = template.field_of.get("title", template.sections[0].name)  # which every ticket has
        asked = parts.intents or tuple(filter(None, [template.field_of.get("description")]))
        plan = self._plan(replace(parts, intents=tuple(dict.fromkeys((*asked, title)))), begin)
        ends = plan.ends(self._edges(begin))
        linked = self.opened.read(ends)
        rows = plan.read(linked.values(), template)
        ids = list(dict.fromkeys(row.ticket for row in rows))
        said = [self._say_links(parts, plan, ends, ids)]
        shown: list[TicketSection] = []
        for ticket in ids[:MOST_TICKETS]:
            own = [row for row in rows if row.ticket == ticket and row.section in asked]
            if not own and parts.intents:
                said.append(f"{ticket} has no section {_wanted(parts)}; this is what else it says.")
            shown += own or [_other_section(linked[ticket], template, title)]
        if more := ids[MOST_TICKETS:]:
            said.append(f"Also linked: {', '.join(more)}.")
        names = dict.fromkeys((*asked, *(row.section for row in shown)))
        tickets = {i: linked[i] for i in ids[:MOST_TICKETS]}
        return Subgraph(tickets, shown, tuple(names), plan, tuple(filter(None, said)))

    def _say_links(self, parts: QuestionParts, plan: SubgraphPlan, ends: Sequence[str], found: Sequence[str]) -> str:
        """Say which links are not those that were asked for, are not here or are none; nothing where all is well."""
        kinds, begin = ", ".join(parts.links), plan.tickets[0]
        if found and plan.link_types == (SIMILAR_TO,) and not self._asks_for_similar(parts):
            return f"No ticket has links of the kind {kinds}; these are similar tickets."
        if away := [i for i in ends if i not in self.opened.index.rows]:
            return f"Linked, but not among these tickets: {', '.join(away)}."
        if found:
            return ""
        others = set(ends).difference(plan.tickets)
        if others:
            return f"No ticket that {begin} is linked with has {_values_of(parts)}."
        return f"{begin} has no links of the kind {kinds}."

    def _asks_for_similar(self, parts: QuestionParts) -> bool:
        return any(rule.has(SIMILAR_TO) for rule in self.opened.index.template.links if rule.name in parts.links)

    # -- the tickets found -------------------------------------------------------------------------

    # Complex: whose sections are shown depends on how the tickets were found: by name, filter or rank.
    def _read_found(self, parts: QuestionParts, found: FoundTickets) -> Subgraph:
        """Return what the tickets found have; of those that the question does not name the best must have it."""
        plan = self._plan(parts, found.ids)
        rows = self._rows(plan, found)
        # What is asked for first must be there; a word of the problem may have been taken for the others.
        having = {row.ticket for row in rows if not parts.intents or row.section == parts.intents[0]}
        ranked = [i for i in found.ids if i in having]
        if found.named:
            shown = ranked
        elif parts.filters:
            shown = ranked[:MOST_TICKETS]
        else:
            shown = [i for i in ranked[:1] if i == found.ids[0]]
        if shown:
            return Subgraph({i: found.tickets[i] for i in shown}, rows, parts.intents, plan)
        if (told := self._other_endings(parts, found)) is not None:
            return told
        stand_in, reason = self._stand_in(parts, found, ranked)
        return Subgraph({i: found.tickets[i] for i in stand_in}, rows, parts.intents, plan, (reason,))

    def _rows(self, plan: SubgraphPlan, found: FoundTickets) -> list[TicketSection]:
        tickets = [one for i, one in found.tickets.items() if i in plan.tickets]
        return plan.read(tickets, self.opened.index.template)

    def _other_endings(self, parts: QuestionParts, found: FoundTickets) -> Subgraph | None:
        """Return what the best ticket has in place of the ending that was asked for: a workaround, say, for a fix."""
        asked, template = next(iter(parts.intents), ""), self.opened.index.template
        if parts.filters or asked not in SOLVING or self._comments_tell(parts, found):
            return None
        best, others = found.ids[0], tuple(name for name in SOLVING if name in template and name != asked)
        plan = self._plan(replace(parts, intents=others), [best])
        if not (rows := self._rows(plan, found)):
            return None
        told = " and ".join(name_of(name).lower() for name in dict.fromkeys(row.section for row in rows))
        reason = f"{best} has no section {_wanted(parts)}; this is its {told}."
        return Subgraph({best: found.best}, rows, others, plan, (reason,))

    def _duplicates(self, ticket: str, ranked: Sequence[str]) -> list[str]:
        """Return those of the ranked tickets that the source calls duplicates of a ticket."""
        edges = [edge for edge in self._edges([ticket]) if DUPLICATES in edge.type.casefold()]
        return [i for i in ranked if any(i in (edge.source, edge.target) for edge in edges)]

    def _comments_tell(self, parts: QuestionParts, found: FoundTickets) -> bool:
        return tells_outcome(found.best.ticket, parts.intents, self.opened.workspace.spec.language)

    def _stand_in(self, parts: QuestionParts, found: FoundTickets, ranked: Sequence[str]) -> tuple[list[str], str]:
        """Return the ticket that answers where the best has no such section (none: comments or texts do), and why.

        A duplicate of it may, and for how it ended the next one; a log, steps or an assignee of
        any other are those of another report.
        """
        best, wanted = found.ids[0], _wanted(parts)
        if parts.filters and not found.named:
            reason = f"No ticket near the question has a section {wanted}, {_values_of(parts)}"
            return [], f"{reason}; answered from the texts found."
        if not parts.intents:
            return [], f"{best} has no section of its own for how it ended."
        missing = f"{best} has no section {wanted}"
        if self._comments_tell(parts, found):
            return [], f"{missing}; these are its comments that may tell."
        if same := self._duplicates(best, ranked):
            return same[:1], f"{missing}; {same[0]}, a duplicate, has."
        near = [i for i in ranked if found.scores[i] >= found.scores[best] - NEAR_BEST]
        if near and parts.intents[0] in ENDINGS:
            return near[:1], f"{missing}; {near[0]} is the next that has."
        return [], f"{missing}; this is what else it says."


def _other_section(one: PublishedTicket, template: TicketTemplate, title: str) -> TicketSection:
    """Return the first section of a ticket that says more than its title, else that."""
    told = (s for s in one.sections if s.text and s.section != title and is_long_section(template, s.section))
    return next(told, TicketSection(one.ticket.id, title, TICKET, one.ticket.title))


def _wanted(parts: QuestionParts) -> str:
    return name_of(parts.intents[0]).lower() if parts.intents else "outcome"


def _values_of(parts: QuestionParts) -> str:
    return ", ".join(f"{name_of(name).lower()} {value}" for name, value in parts.filters.items())
