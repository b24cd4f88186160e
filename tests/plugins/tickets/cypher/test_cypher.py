"""What a model wrote runs where it passes; else the plan does."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

import ticket_graphs
from autokb.core.errors import BadInputError
from autokb.core.ticket_plan import SubgraphPlan
from autokb.plugins.tickets.cypher.ladybug import LadybugGraph
from autokb.plugins.tickets.cypher.reader import run_cypher
from autokb.stores.ticket_graph import TicketGraph

pytestmark = pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")


@pytest.fixture
def graph(tmp_path: Path) -> Iterator[LadybugGraph]:
    random = Random(8)
    tickets = ticket_graphs.make_tickets(random)
    file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, ticket_graphs.make_edges(random, tickets))
    opened = LadybugGraph(file, ticket_graphs.TEMPLATE, tmp_path)
    yield opened
    opened.close()
    file.close()


@pytest.fixture
def plan(graph: LadybugGraph) -> SubgraphPlan:
    with graph.file.reading() as db:
        ids = tuple(ident for (ident,) in db.execute("SELECT id FROM ticket ORDER BY id LIMIT 8"))
    return SubgraphPlan(ids, ("summary", "fix", "match"))


def test_the_plan_gives_what_the_workspace_file_gives(graph: LadybugGraph, plan: SubgraphPlan) -> None:
    ran = run_cypher(graph, plan)
    own = TicketGraph(graph.file, graph.template).run(plan)
    assert len(own) > 5 and ran.refused is None
    assert ran.found.rows == tuple((row.ticket, row.section, row.text) for row in own)
    assert ran.text.startswith("MATCH (t:Ticket) WHERE t.id IN ")


def test_what_was_written_runs_where_it_passes(graph: LadybugGraph, plan: SubgraphPlan) -> None:
    ran = run_cypher(graph, plan, "MATCH (t:Ticket) RETURN count(*) AS n")
    assert (ran.found.columns, ran.found.rows, ran.refused) == (("n",), ((24,),), None)
    assert ran.text == "MATCH (t:Ticket) RETURN count(*) AS n LIMIT 200"


@pytest.mark.parametrize(
    ("written", "why"),
    [
        ("MATCH (t:Ticket) DETACH DELETE t", "DETACH is not allowed"),
        ("MATCH (t:Ticket) RETURN sum(t.title)", "could not be run"),  # passes, and the engine finds it wrong
    ],
)
def test_else_the_plan_runs_and_says_why(graph: LadybugGraph, plan: SubgraphPlan, written: str, why: str) -> None:
    ran = run_cypher(graph, plan, written)
    assert ran.refused is not None and why in ran.refused
    assert ran.found == run_cypher(graph, plan).found


def test_a_wrong_plan_is_refused(graph: LadybugGraph) -> None:
    with pytest.raises(BadInputError):
        run_cypher(graph, SubgraphPlan((), ("fix",)))
