"""What every graph store must do: the same plan gives the same sub-graph, whatever the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from random import Random
from uuid import uuid4

import pytest

import ticket_graphs
from autokb.core.errors import BadInputError
from autokb.core.ticket_plan import Filter, Hops, SubgraphPlan, SubgraphRow
from autokb.core.tickets import SIMILAR_TO, Edge, Ticket
from autokb.plugins.tickets.cypher.ladybug import LadybugGraph
from autokb.plugins.tickets.cypher.reader import run_cypher
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.stores.ticket_graph import TicketGraph
from autokb.stores.ticket_tables import PublishedTicket
from autokb.stores.workspace_file import WorkspaceFile
from real_postgres import needs_postgres

GRAPHS, PLANS = 3, 60  # generated graphs, and plans that run on each


@dataclass
class EnginePlans:
    """Plans as an engine answers them."""

    engine: LadybugGraph

    def run(self, plan: SubgraphPlan) -> tuple[SubgraphRow, ...]:
        return tuple(SubgraphRow(*row) for row in run_cypher(self.engine, plan).found.rows)

    def close(self) -> None:
        self.engine.close()


GraphStore = TicketGraph | EnginePlans


def open_tables(file: WorkspaceFile, folder: Path) -> GraphStore:
    return TicketGraph(file, ticket_graphs.TEMPLATE)


def open_ladybug(file: WorkspaceFile, folder: Path) -> GraphStore:
    return EnginePlans(LadybugGraph(file, ticket_graphs.TEMPLATE, folder))


Maker = Callable[[list[PublishedTicket], list[Edge]], GraphStore]
MAKERS = {"sqlite": open_tables, "postgres": open_tables, "ladybug": open_ladybug}
needs_ladybug = pytest.mark.skipif(find_spec("ladybug") is None, reason="ladybug is missing (extra: cypher)")


@pytest.fixture(
    params=[
        "sqlite",
        pytest.param("postgres", marks=[needs_postgres, pytest.mark.slow]),
        pytest.param("ladybug", marks=[needs_ladybug, pytest.mark.slow]),
    ]
)
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Maker]:
    opened: list[EnginePlans | WorkspaceFile] = []

    def make_store(tickets: list[PublishedTicket], edges: list[Edge]) -> GraphStore:
        if request.param == "postgres":
            file = WorkspaceFile(tmp_path, url=request.getfixturevalue("postgres").url(f"g{uuid4().hex}"))
            ticket_graphs.publish_into(file, tickets, edges)
        else:
            file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, edges)
        store = MAKERS[request.param](file, tmp_path)
        opened.extend([file] if isinstance(store, TicketGraph) else [file, store])
        return store

    yield make_store
    for one in reversed(opened):
        one.close()


def ticket(ident: str, **texts: str) -> PublishedTicket:
    return PublishedTicket(Ticket(ident, ident), tree_of(ident, ticket_graphs.TEMPLATE, texts), f"{ident} {texts}")


def found(store: GraphStore, *steps: Hops, begins: tuple[str, ...] = ("A",)) -> list[str]:
    return [row.ticket for row in store.run(SubgraphPlan(begins, ("fix",), steps))]


@pytest.mark.parametrize("seed", range(GRAPHS))
def test_plans_give_what_plain_python_finds(make: Maker, seed: int) -> None:
    random = Random(seed)
    tickets = ticket_graphs.make_tickets(random)
    edges = ticket_graphs.make_edges(random, tickets)
    store = make(tickets, edges)
    with_rows = 0
    for plan in ticket_graphs.make_plans(random, tickets, edges, PLANS):
        rows = store.run(plan)
        assert rows == ticket_graphs.expected_rows(plan, tickets, edges), plan
        with_rows += bool(rows)
    assert with_rows > PLANS / 5


def test_sections_come_in_the_order_of_tickets_and_of_the_template(make: Maker) -> None:
    store = make([ticket("B", fix="b"), ticket("A", fix="one", description="two", match="deep")], [])
    rows = store.run(SubgraphPlan(("B", "A"), ("fix", "match", "description", "steps_to_reproduce")))
    assert rows == (
        SubgraphRow("A", "description", "two"),
        SubgraphRow("A", "fix", "one"),
        SubgraphRow("A", "match", "deep"),  # behind those above it
        SubgraphRow("B", "fix", "b"),
    )


def test_a_step_has_a_direction_and_types(make: Maker) -> None:
    edges = [Edge("A", "Duplicate", "B"), Edge("C", "Duplicate", "A"), Edge("A", SIMILAR_TO, "D", "similarity")]
    store = make([ticket(name, fix=name) for name in "ABCD"], edges)
    assert found(store, Hops(("Duplicate",), "out")) == ["B"]
    assert found(store, Hops(("Duplicate",), "in")) == ["C"]
    assert found(store, Hops(("Duplicate",))) == ["B", "C"]
    assert found(store, Hops()) == ["B", "C", "D"]
    assert found(store, Hops((SIMILAR_TO,), "in")) == []


def test_a_ticket_is_as_far_as_its_shortest_way(make: Maker) -> None:
    edges = [
        Edge("A", "Contains", "B"),
        Edge("B", "Contains", "C"),
        Edge("A", "Contains", "C"),
        Edge("C", "Contains", "D"),
    ]
    store = make([ticket(name, fix=name) for name in "ABCD"], [*edges, Edge("A", "Contains", "A")])
    assert found(store, Hops(("Contains",), "out", 1, 3)) == ["B", "C", "D"]
    assert found(store, Hops(("Contains",), "out", 2, 3)) == ["D"]
    assert found(store, Hops(("Contains",), "both", 1, 1), Hops(("Contains",), "both", 1, 1)) == ["A", "B", "C", "D"]
    assert found(store, Hops(("Contains",), "out"), begins=("A", "B")) == ["B", "C"]


def test_no_way_leads_through_a_ticket_that_is_missing(make: Maker) -> None:
    edges = [Edge("A", "Duplicate", "gone", dangling=True), Edge("B", "Duplicate", "gone", dangling=True)]
    store = make([ticket(name, fix=name) for name in "AB"], edges)
    assert found(store, Hops(("Duplicate",), "both", 1, 3)) == []


@pytest.mark.parametrize(
    "plan",
    [
        SubgraphPlan(("A",), ("nonsense",)),
        SubgraphPlan(("A",), ()),
        SubgraphPlan((), ("fix",)),
        SubgraphPlan((), ("fix",), (Hops(),), (Filter("status", "is", "open"),)),
        SubgraphPlan(tuple(map(str, range(51))), ("fix",)),
        SubgraphPlan(("A",), ("fix",), (Hops((), "out", 0, 1),)),
        SubgraphPlan(("A",), ("fix",), (Hops((), "out", 2, 1),)),
        SubgraphPlan(("A",), ("fix",), (Hops((), "out", 1, 2), Hops((), "out", 1, 2))),
        SubgraphPlan(("A",), ("fix",), (Hops(("Nonsense",)),)),
        SubgraphPlan(("A",), ("fix",), (), (Filter("description", "has", "x"),)),
        SubgraphPlan(("A",), ("fix",), (), (Filter("body') --", "is", "x"),)),
        SubgraphPlan(("A",), ("fix",), (), (Filter("created", "before", "tomorrow"),)),
        SubgraphPlan(("A",), ("fix",), (), (Filter("status", "before", "2024-01-01"),)),
        SubgraphPlan(("A" * 501,), ("fix",)),
        SubgraphPlan(("A",), ("fix",), most=0),
        SubgraphPlan(("A",), ("fix",), most=201),
    ],
)
def test_a_wrong_plan_is_refused(make: Maker, plan: SubgraphPlan) -> None:
    store = make([ticket("A", fix="a")], [])
    with pytest.raises(BadInputError):
        store.run(plan)
