"""A plan as Cypher, in words that both ladybug and Neo4j know."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from autokb.core.ticket_plan import (
    TICKET_LABEL,
    CheckedCypher,
    Filter,
    GraphNames,
    Hops,
    SubgraphPlan,
    SubgraphRow,
    date_bound,
    fold,
    quote_name,
)
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import LIST_FIELDS

_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


def cypher_of_plan(plan: SubgraphPlan, template: TicketTemplate, names: GraphNames) -> CheckedCypher:
    """Return a plan that was checked as one query with the columns ticket, section and text.

    It has a part for each section, and each part as many rows as the plan; ``rows_of_plan`` makes the plan's of them.
    """
    head, last = _head(plan, names)
    conditions = [_condition(last, one) for one in plan.filters]
    parts = []
    for rule in template.sections:
        if rule.name not in plan.sections:
            continue
        path = f"({last}{'' if head else f':{TICKET_LABEL}'})"
        for above in (way := template.path(rule.name)):
            node = "s" if above is way[-1] else ""
            path += f"-[:{quote_name(names.relations[above.name])}]->({node}:{quote_name(names.labels[above.name])})"
        where = " AND ".join(["s.text <> ''", *conditions])
        parts.append(
            f"{head}MATCH {path}\nWHERE {where}\n"
            f"RETURN {last}.id AS ticket, {quote_text(rule.name)} AS section, s.text AS text\n"
            f"ORDER BY ticket LIMIT {plan.most}"
        )
    return CheckedCypher("\nUNION ALL\n".join(parts), plan.most * len(parts))


def rows_of_plan(
    plan: SubgraphPlan, template: TicketTemplate, rows: Iterable[Iterable[object]]
) -> tuple[SubgraphRow, ...]:
    """Return what the query of a plan gave in the plan's order, and no more than it asks for."""
    place = {rule.name: n for n, rule in enumerate(template.sections)}
    found = [SubgraphRow(*map(str, row)) for row in rows]
    found.sort(key=lambda row: (row.ticket, place[row.section]))
    return tuple(found[: plan.most])


def quote_text(text: str) -> str:
    """Return a text as a literal."""
    return f"'{text.translate(_ESCAPES)}'"


def quote_list(texts: Collection[str]) -> str:
    """Return texts as a literal list."""
    return f"[{', '.join(map(quote_text, texts))}]"


def _head(plan: SubgraphPlan, names: GraphNames) -> tuple[str, str]:
    """Return what leads to the tickets whose sections are read, and the variable that they are then."""
    if not plan.tickets:
        return "", "t"
    head = f"MATCH (t:{TICKET_LABEL}) WHERE t.id IN {quote_list(plan.tickets)}\n"
    here = "t"
    for number, step in enumerate(plan.steps, 1):
        there = f"t{number}"
        condition = f"{there}.id <> {here}.id"
        if step.least > 1:
            nearer = _way(here, step, 1, step.least - 1, f"({there})", names)
            condition += f" AND NOT EXISTS {{ MATCH {nearer} }}"
        way = _way(here, step, step.least, step.most, f"({there}:{TICKET_LABEL})", names)
        head += f"MATCH {way}\nWHERE {condition}\nWITH DISTINCT {there}\n"
        here = there
    return head, here


def _way(here: str, step: Hops, least: int, most: int, there: str, names: GraphNames) -> str:
    types = sorted(names.links[name] for name in (step.types or names.links) if name in names.links)
    length = "" if (least, most) == (1, 1) else f"*{least}..{most}"
    left, right = {"out": ("-", "->"), "in": ("<-", "-")}.get(step.direction, ("-", "-"))
    return f"({here}){left}[:{'|'.join(map(quote_name, types))}{length}]{right}{there}"


def _condition(ticket: str, one: Filter) -> str:
    value = f"{ticket}.{one.field}"
    if one.comparison == "before":
        return f"{value} <> '' AND {value} < {quote_text(date_bound(one))}"
    if one.comparison == "after":
        return f"{value} >= {quote_text(date_bound(one))}"
    if not one.value and one.comparison == "has":  # for ladybug no text contains the empty one
        return f"size({value}) > 0" if one.field in LIST_FIELDS else "true"
    wanted = quote_text(fold(one.value))
    sign = "=" if one.comparison == "is" else "CONTAINS"
    if one.field in LIST_FIELDS:
        return f"any(x IN {value} WHERE toLower(x) {sign} {wanted})"
    return f"toLower({value}) {sign} {wanted}"
