"""The default graph store: a plan runs as one recursive query on the workspace file; nothing has to be rebuilt."""

from __future__ import annotations

from dataclasses import dataclass

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
class SqliteGraph:
    """The tickets of a workspace file."""

    file: WorkspaceFile
    template: TicketTemplate

    def link_types(self) -> tuple[str, ...]:
        """Return the types of links that there are, in order."""
        return read_link_types(self.file)

    def run(self, plan: SubgraphPlan) -> tuple[SubgraphRow, ...]:
        """Return the sub-graph that a plan asks for (BadInputError for a wrong plan)."""
        with self.file.snapshot(), self.file.reading() as db, damaged_rows("ticket"):
            check_plan(plan, self.template, self.link_types())
            db.create_function("folded", 1, _folded, deterministic=True)
            db.create_function("moment", 1, _moment, deterministic=True)
            text, parameters = sql_of_plan(plan, self.template)
            return tuple(SubgraphRow(*map(str, row)) for row in db.execute(text, parameters))


def sql_of_plan(plan: SubgraphPlan, template: TicketTemplate) -> tuple[str, list[str | int]]:
    """Return the query of a plan and its parameters; no value of the plan is part of the text."""
    parameters: list[str | int] = []
    tables = ["found0(id) AS (SELECT id FROM ticket)"]
    if plan.tickets:
        tables = [f"found0(id) AS (SELECT id FROM ticket WHERE id IN ({marks(plan.tickets)}))"]
        parameters += plan.tickets
    for number, step in enumerate(plan.steps):
        tables += _step(number, step, parameters)
    places = [(rule.name, n) for n, rule in enumerate(template.sections) if rule.name in plan.sections]
    tables.append(f"wanted(section, place) AS (VALUES {', '.join('(?, ?)' for _ in places)})")
    parameters += [value for one in places for value in one]
    conditions = "".join(f"\n  AND {_condition(one, parameters)}" for one in plan.filters)
    parameters.append(plan.most)
    return (
        "WITH RECURSIVE\n"
        + ",\n".join(tables)
        + f"\nSELECT s.ticket, s.section, s.text FROM found{len(plan.steps)} f"
        + "\n  JOIN ticket t ON t.id = f.id JOIN ticket_section s ON s.ticket = f.id"
        + "\n  JOIN wanted w ON w.section = s.section"
        + f"\nWHERE s.text <> ''{conditions}\nORDER BY s.ticket, w.place LIMIT ?",
        parameters,
    )


def _step(number: int, step: Hops, parameters: list[str | int]) -> list[str]:
    """Return the tables of a step: the ways that it goes from each ticket, and the tickets that lie at their ends."""
    ways = [f"SELECT id, id, 0 FROM found{number}"]
    for here, there in _ENDS.get(step.direction, _BOTH):
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
