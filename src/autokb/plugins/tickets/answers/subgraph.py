"""The sub-graph that answers a question about past tickets: the plan runs, and it is said what stands in for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.ticket_answer import QuestionParts, UsedAnswer
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import SIMILAR_TO, TICKET, TicketSection
from autokb.core.vectors import Vectors
from autokb.plugins.tickets.answers.open_tickets import OpenTickets
from autokb.plugins.tickets.graph.answers import DUPLICATES, ENDINGS, MOST_TICKETS, is_long_section, name_of
from autokb.plugins.tickets.graph.plan import SubgraphPlan, plan_for
from autokb.plugins.tickets.heuristics.outcome_comments import tells_outcome
from autokb.stores.ticket_tables import PublishedTicket, read_edges, read_tickets

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

    def _read_linked(self, parts: QuestionParts, begin: Sequence[str]) -> Subgraph:
        """Return what the tickets linked with those have; one without the section asked for says something else."""
        template = self.opened.index.template
        title = template.field_of.get("title", template.sections[0].name)  # which every ticket has
        asked = parts.intents or tuple(filter(None, [template.field_of.get("description")]))
        plan = self._plan(replace(parts, intents=tuple(dict.fromkeys((*asked, title)))), begin)
        ends = plan.step.ends(plan.tickets, read_edges(self.opened.file, plan.tickets)) if plan.step else []
        linked = read_tickets(self.opened.file, ends)
        rows = plan.read(linked.values(), template)
        ids = list(dict.fromkeys(row.ticket for row in rows))
        tickets = {i: linked[i] for i in ids[:MOST_TICKETS]}
        shown = [row for row in rows if row.ticket in tickets and row.section in asked]
        lacking = [i for i in tickets if i not in {row.ticket for row in shown}]
        shown += [_other_section(tickets[i], template, title) for i in lacking]
        said = [self._say_links(parts, plan, [i for i in ends if i not in begin], ids)]
        if parts.intents:
            missing = name_of(parts.intents[0]).lower()
            said += [f"{i} has no section {missing}; this is what else it says." for i in lacking]
        if more := ids[MOST_TICKETS:]:
            said.append(f"Also linked: {', '.join(more)}.")
        names = dict.fromkeys((*asked, *(row.section for row in shown)))
        return Subgraph(tickets, shown, tuple(names), plan, tuple(filter(None, said)))

    def _say_links(self, parts: QuestionParts, plan: SubgraphPlan, ends: Sequence[str], found: Sequence[str]) -> str:
        """Say which links are not those that were asked for, are not here or are none; nothing where all is well."""
        kinds, rules = ", ".join(parts.links), self.opened.index.template.links
        is_similar = plan.step is not None and plan.step.types == (SIMILAR_TO,)
        if found and is_similar and not any(rule.has(SIMILAR_TO) for rule in rules if rule.name in parts.links):
            return f"No ticket has links of the kind {kinds}; these are similar tickets."
        if away := [i for i in ends if i not in self.opened.index.rows]:
            return f"Linked, but not among these tickets: {', '.join(away)}."
        if ends and not found:
            return f"No ticket that {plan.tickets[0]} is linked with has {_values_of(parts)}."
        return "" if found else f"{plan.tickets[0]} has no links of the kind {kinds}."

    # Complex: whose sections are shown depends on how the tickets were found: by name, filter or rank.
    def _read_found(self, parts: QuestionParts, found: FoundTickets) -> Subgraph:
        """Return what the tickets found have; of those that the question does not name the best must have it."""
        plan, rows = self._run(parts, found, found.ids)
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
        if stand_in is None:
            return Subgraph({}, (), parts.intents, plan, (reason,))
        return Subgraph({stand_in: found.tickets[stand_in]}, rows, parts.intents, plan, (reason,))

    def _other_endings(self, parts: QuestionParts, found: FoundTickets) -> Subgraph | None:
        """Return what the best ticket has in place of the ending that was asked for: a workaround, say, for a fix."""
        best, template = found.ids[0], self.opened.index.template
        if parts.filters or not parts.intents or parts.intents[0] not in SOLVING:
            return None
        if tells_outcome(found.best.ticket, parts.intents, self.opened.workspace.spec.language):
            return None
        others = tuple(name for name in SOLVING if name in template and name != parts.intents[0])
        plan, rows = self._run(replace(parts, intents=others), found, [best])
        if not rows:
            return None
        told = " and ".join(name_of(name).lower() for name in dict.fromkeys(row.section for row in rows))
        reason = f"{best} has no section {name_of(parts.intents[0]).lower()}; this is its {told}."
        return Subgraph({best: found.tickets[best]}, rows, others, plan, (reason,))

    # Complex: one condition for each stand-in, and each has the sentence that says why.
    def _stand_in(self, parts: QuestionParts, found: FoundTickets, ranked: Sequence[str]) -> tuple[str | None, str]:
        """Return the ticket that answers where the best has no such section (None: comments or texts do), and why.

        A duplicate of it may, and for how it ended the next one; a log, steps or an assignee of
        any other are those of another report.
        """
        best = found.ids[0]
        wanted = name_of(parts.intents[0]).lower() if parts.intents else "outcome"
        language = self.opened.workspace.spec.language
        if parts.filters and not found.named:
            reason = f"No ticket near the question has a section {wanted}, {_values_of(parts)}"
            return None, f"{reason}; answered from the texts found."
        if not parts.intents:
            return None, f"{best} has no section of its own for how it ended."
        missing = f"{best} has no section {wanted}"
        if tells_outcome(found.best.ticket, parts.intents, language):
            return None, f"{missing}; these are its comments that may tell."
        scores = found.scores
        twins = self._duplicates_of(best)
        same = [i for i in ranked if i in twins]
        near = [i for i in ranked if scores[i] >= scores[best] - NEAR_BEST]
        if same:
            return same[0], f"{missing}; {same[0]}, a duplicate, has."
        if near and parts.intents[0] in ENDINGS:
            return near[0], f"{missing}; {near[0]} is the next that has."
        return None, f"{missing}; this is what else it says."

    def with_rows(self, subgraph: Subgraph, rows: Sequence[TicketSection]) -> Subgraph:
        """Return the sections that a model's query gave in the place of the plan's."""
        if not rows:
            return replace(subgraph, fallback=(*subgraph.fallback, NO_SECTION))
        shown = list(dict.fromkeys(row.ticket for row in rows))[:MOST_TICKETS]
        asked = subgraph.asked or tuple(dict.fromkeys(row.section for row in rows))
        tickets = read_tickets(self.opened.file, shown)
        return Subgraph({i: tickets[i] for i in shown if i in tickets}, rows, asked, subgraph.plan)

    def _duplicates_of(self, ticket: str) -> set[str]:
        """Return the tickets that the source calls duplicates, among them the ticket itself."""
        edges = read_edges(self.opened.file, [ticket])
        return {end for e in edges if DUPLICATES in e.type.casefold() for end in (e.source, e.target)}

    def _plan(self, parts: QuestionParts, tickets: Sequence[str]) -> SubgraphPlan:
        return plan_for(parts, tickets, self.opened.index.template, self.opened.link_types)

    def _run(
        self, parts: QuestionParts, found: FoundTickets, tickets: Sequence[str]
    ) -> tuple[SubgraphPlan, Sequence[TicketSection]]:
        """Return the plan for some of the tickets found, and what they have of it."""
        plan = self._plan(parts, tickets)
        chosen = (one for i, one in found.tickets.items() if i in plan.tickets)
        return plan, plan.read(chosen, self.opened.index.template)


def _other_section(one: PublishedTicket, template: TicketTemplate, title: str) -> TicketSection:
    """Return the first section of a ticket that says more than its title, else that."""
    told = (s for s in one.sections if s.text and s.section != title and is_long_section(template, s.section))
    return next(told, TicketSection(one.ticket.id, title, TICKET, one.ticket.title))


def _values_of(parts: QuestionParts) -> str:
    return ", ".join(f"{name_of(name).lower()} {value}" for name, value in parts.filters.items())
