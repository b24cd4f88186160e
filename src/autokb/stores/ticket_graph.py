"""The default graph store: a plan runs as one recursive query on the workspace's own tables; nothing is rebuilt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.ticket_plan import Filter, Hops, SubgraphPlan, SubgraphRow, check_plan, date_bound, fold, moment_of
from autokb.core.ticket_template import TicketTemplate
from autokb.core.tickets import LIST_FIELDS
from autokb.stores.database import damaged_rows
from autokb.stores.sql import json_text, marks
from autokb.stores.ticket_tables import read_link_types
from autokb.stores.workspace_file import WorkspaceFile

# Which end of a link is where a step begins, and which is where it leads.
_ENDS = {"out": (("source", "target"),), "in": (("target", "source"),)}
_BOTH = (("source", "target"), ("target", "source"))


@dataclass(frozen=True)
class TicketGraph:
    """The tickets of a workspace, in its own tables."""

    file: WorkspaceFile
    template: TicketTemplate

    def link_types(self) -> tuple[str, ...]:
        """Return the types of links that there are, in order."""
        return read_link_types(self.file)

    def run(self, plan: SubgraphPlan) -> tuple[SubgraphRow, ...]:
        """Return the sub-graph that a plan asks for (BadInputError for a wrong plan)."""
        with self.file.snapshot(), self.file.reading() as db, damaged_rows("ticket"):
            check_plan(plan, self.template, self.link_types())
            if self.file.is_on_server:
                plan = self._filtered(db, plan)
            else:
                db.create_function("folded", 1, _folded, deterministic=True)
                db.create_function("moment", 1, _moment, deterministic=True)
            if plan.most == 0:
                return ()
            text, parameters = sql_of_plan(plan, self.template, on_server=self.file.is_on_server)
            return tuple(SubgraphRow(*map(str, row)) for row in db.execute(text, parameters))

    def _filtered(self, db: Any, plan: SubgraphPlan) -> SubgraphPlan:
        """Return the plan for the tickets that its filters leave: a server has no function that folds a text as we do.

        The rows that are left to it have at most the length that was asked for; none at all where no ticket is left.
        """
        if not plan.filters:
            return plan
        text, parameters = _found(plan, on_server=True)
        rows = db.execute(
            f"{text}\nSELECT t.id, t.body FROM found{len(plan.steps)} f JOIN ticket t ON t.id = f.id", parameters
        )
        left = [i for i, body in rows if all(_holds(one, str(i), json.loads(body)) for one in plan.filters)]
        if not left:
            return replace(plan, most=0)
        return replace(plan, tickets=tuple(sorted(left)), steps=(), filters=())


def _holds(one: Filter, ticket: str, body: Mapping[str, Any]) -> bool:
    """Return what ``_condition`` says in SQL."""
    value = ticket if one.field == "id" else body.get(one.field)
    if one.comparison in ("before", "after"):
        moment, bound = _moment(value), date_bound(one)
        return bool(moment) and moment < bound if one.comparison == "before" else moment >= bound
    wanted = fold(one.value)
    values = [_folded(part) for part in (value or ())] if one.field in LIST_FIELDS else [_folded(value)]
    return wanted in values if one.comparison == "is" else any(wanted in part for part in values)


def _found(plan: SubgraphPlan, *, on_server: bool) -> tuple[str, list[str | int]]:
    """Return the tables of a plan's steps, the last of which has the tickets at their end, and their parameters."""
    parameters: list[str | int] = []
    tables = ["found0(id) AS (SELECT id FROM ticket)"]
    if plan.tickets:
        tables = [f"found0(id) AS (SELECT id FROM ticket WHERE id IN ({marks(plan.tickets)}))"]
        parameters += plan.tickets
    for number, step in enumerate(plan.steps):
        tables += _step(number, step, parameters, on_server=on_server)
    return "WITH RECURSIVE\n" + ",\n".join(tables), parameters


def sql_of_plan(
    plan: SubgraphPlan, template: TicketTemplate, *, on_server: bool = False
) -> tuple[str, list[str | int]]:
    """Return the query of a plan and its parameters; no value of the plan is part of the text."""
    tables, parameters = _found(plan, on_server=on_server)
    places = [(rule.name, n) for n, rule in enumerate(template.sections) if rule.name in plan.sections]
    named = "(CAST(? AS TEXT), CAST(? AS INTEGER))"
    wanted = f"wanted(section, place) AS (VALUES {', '.join(named for _ in places)})"
    parameters += [value for one in places for value in one]
    conditions = "".join(f"\n  AND {_condition(one, parameters)}" for one in plan.filters)
    parameters.append(plan.most)
    return (
        f"{tables},\n{wanted}"
        + f"\nSELECT s.ticket, s.section, s.text FROM found{len(plan.steps)} f"
        + "\n  JOIN ticket t ON t.id = f.id JOIN ticket_section s ON s.ticket = f.id"
        + "\n  JOIN wanted w ON w.section = s.section"
        + f"\nWHERE s.text <> ''{conditions}\nORDER BY s.ticket, w.place LIMIT ?",
        parameters,
    )


def _step(number: int, step: Hops, parameters: list[str | int], *, on_server: bool) -> list[str]:
    """Return the tables of a step: the ways that it goes from each ticket, and the tickets that lie at their ends."""
    ways = [f"SELECT id, id, 0 FROM found{number}"]
    ends: tuple[tuple[str, str], ...] = _ENDS.get(step.direction, _BOTH)
    if on_server:  # which takes one recursive part alone
        types = f" AND type IN ({marks(step.types)})" if step.types else ""
        links = " UNION ALL ".join(
            f"SELECT {there} FROM ticket_edge WHERE {here} = w.id{types}" for here, there in ends
        )
        ways.append(
            f"SELECT w.origin, e.there, w.length + 1 FROM way{number} w CROSS JOIN LATERAL ({links}) AS e(there)"
            " JOIN ticket t ON t.id = e.there WHERE w.length < ?"
        )
        parameters += [*(step.types * len(ends)), step.most]
        ends = ()
    for here, there in ends:
        types = f" AND e.type IN ({marks(step.types)})" if step.types else ""
        ways.append(
            f"SELECT w.origin, e.{there}, w.length + 1 FROM way{number} w JOIN ticket_edge e ON e.{here} = w.id"
            f" JOIN ticket t ON t.id = e.{there} WHERE w.length < ?{types}"
        )
        parameters += [step.most, *step.types]
    parameters.append(step.least)
    return [
        f"way{number}(origin, id, length) AS ({' UNION '.join(ways)})",
        f"far{number}(id, distance) AS (SELECT id, min(length) FROM way{number} GROUP BY origin, id)",
        f"found{number + 1}(id) AS (SELECT DISTINCT id FROM far{number} WHERE distance >= ?)",
    ]


def _condition(one: Filter, parameters: list[str | int]) -> str:
    path = f"$.{one.field}"  # the field is one of a closed list
    if one.comparison in ("before", "after"):
        date = f"moment({json_text(one.field, column='t.body')})"
        parameters.append(date_bound(one))
        return f"({date} <> '' AND {date} < ?)" if one.comparison == "before" else f"{date} >= ?"
    parameters.append(fold(one.value))
    if one.field in LIST_FIELDS:
        return f"EXISTS (SELECT 1 FROM json_each(t.body, '{path}') WHERE {_compared('value', one)})"
    value = "t.id" if one.field == "id" else json_text(one.field, column="t.body")
    return _compared(value, one)


def _compared(value: str, one: Filter) -> str:
    return f"folded({value}) = ?" if one.comparison == "is" else f"instr(folded({value}), ?) > 0"


def _folded(value: object) -> str:
    return "" if value is None else fold(str(value))


def _moment(value: object) -> str:
    return "" if value is None else moment_of(str(value))
