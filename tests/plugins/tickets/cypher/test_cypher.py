"""What a plan asks of the graph in Cypher, as it is shown, is what the plan reads of the workspace file."""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import ticket_graphs
from autokb.core.property_graph import MOST_ROWS, CheckedCypher
from autokb.plugins.tickets.cypher.cypher_of_plan import cypher_of_plan
from autokb.plugins.tickets.cypher.ladybug import LadybugGraph
from autokb.plugins.tickets.cypher.projection import Projection

pytestmark = pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")
TEMPLATE = ticket_graphs.TEMPLATE


def test_the_cypher_of_a_plan_gives_what_the_plan_reads(tmp_path: Path) -> None:
    random = Random(8)
    tickets = ticket_graphs.make_tickets(random)
    edges = ticket_graphs.make_edges(random, tickets)
    place = {rule.name: n for n, rule in enumerate(TEMPLATE.sections)}
    with_rows = 0
    with (
        closing(ticket_graphs.publish(tmp_path / "knowledge.db", tickets, edges)) as file,
        closing(LadybugGraph(file, TEMPLATE, tmp_path)) as graph,
    ):
        names = Projection(file, TEMPLATE).names()
        for plan in ticket_graphs.make_plans(random, tickets, edges, 60):
            found = graph.cypher(CheckedCypher(cypher_of_plan(plan, TEMPLATE, names), MOST_ROWS * len(plan.sections)))
            assert found.columns == ("ticket", "section", "text")
            rows = sorted(found.rows, key=lambda row: (row[0], place[row[1]]))
            assert rows == ticket_graphs.rows_of(plan, file), plan
            with_rows += bool(rows)
    assert with_rows > 12
