"""A plan as Cypher, in words that both ladybug and Neo4j know."""

from __future__ import annotations

from collections.abc import Collection

from autokb.core.property_graph import MOST_ROWS, TICKET_LABEL, GraphNames, quote_name
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import LIST_FIELDS
from autokb.plugins.tickets.graph.plan import Filter, SubgraphPlan, fold

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_ARROWS = {"out": ("-", "->"), "in": ("<-", "-"), "both": ("-", "-")}


def cypher_of_plan(plan: SubgraphPlan, template: TicketTemplate, names: GraphNames) -> str:
    """Return a plan as one query with the columns ticket, section and text: a part for each section."""
    head, ticket = f"MATCH (t:{TICKET_LABEL}) WHERE t.id IN {quote_list(plan.tickets)}\n", "t"
    if plan.link_types:
        types = sorted(names.links[name] for name in plan.link_types if name in names.links)
        left, right = _ARROWS[plan.direction]
        way = f"(t){left}[:{'|'.join(map(quote_name, types))}]{right}(t1:{TICKET_LABEL})"
        head += f"MATCH {way}\nWHERE t1.id <> t.id\nWITH DISTINCT t1\n"
        ticket = "t1"
    where = " AND ".join(["s.text <> ''", *(_condition(ticket, one) for one in plan.filters)])
    return "\nUNION ALL\n".join(
        f"{head}MATCH ({ticket}){_path_to(rule.name, template, names)}\nWHERE {where}\n"
        f"RETURN {ticket}.id AS ticket, {quote_text(rule.name)} AS section, s.text AS text\n"
        f"ORDER BY ticket LIMIT {MOST_ROWS}"
        for rule in template.sections
        if rule.name in plan.sections
    )


def _path_to(section: str, template: TicketTemplate, names: GraphNames) -> str:
    """Return the relations and nodes between a ticket and a section, which is the variable s."""
    path = ""
    for rule in template.path(section):
        node = "s" if rule.name == section else ""
        path += f"-[:{quote_name(names.relations[rule.name])}]->({node}:{quote_name(names.labels[rule.name])})"
    return path


def _condition(ticket: str, one: Filter) -> str:
    value, wanted = f"{ticket}.{one.field}", quote_text(fold(one.value))
    if one.field in LIST_FIELDS:
        return f"any(x IN {value} WHERE toLower(x) = {wanted})"
    return f"toLower({value}) = {wanted}"


def quote_text(text: str) -> str:
    """Return a text as a literal."""
    return f"'{text.translate(_ESCAPES)}'"


def quote_list(texts: Collection[str]) -> str:
    """Return texts as a literal list."""
    return f"[{', '.join(map(quote_text, texts))}]"
