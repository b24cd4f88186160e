"""A question's parts become a plan, and what a plan reads of the published tickets."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import ticket_graphs
from autokb.core.errors import BadInputError
from autokb.core.property_graph import MOST_ROWS
from autokb.core.ticket_template import read_template
from autokb.core.tickets import SIMILAR_TO, Edge, Ticket
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.plan import Filter, SubgraphPlan, plan_for
from autokb.plugins.tickets.heuristics.parse_sections import tree_of
from autokb.plugins.tickets.heuristics.read_question import read_ticket_question
from autokb.stores.ticket_tables import PublishedTicket

LINKS = ("Blocks", "Cloners", "Depends", "Duplicate", "Parent-Subtask", "Relates", SIMILAR_TO)
VALUES = {"priority": ("High", "Low"), "component": ("Android", "iOS")}


def plan(question: str, language: str = "en") -> SubgraphPlan:
    template = shipped_template(language)
    return plan_for(read_ticket_question(question, template, VALUES), ("T-2", "T-1"), template, LINKS)


def test_the_sections_asked_for_are_read_of_the_tickets_found() -> None:
    assert plan("How do I reproduce the crash of the camera?") == SubgraphPlan(("T-2", "T-1"), ("steps_to_reproduce",))


def test_without_a_section_asked_for_it_is_what_tells_how_a_ticket_ended() -> None:
    made = plan("The camera crashes on rotation")
    assert made.sections == ("fix", "root_cause", "workaround", "resolution", "comments")


@pytest.mark.parametrize(
    ("question", "language", "types"),
    [
        ("What is the fix of the duplicates of the camera crash?", "en", ("Cloners", "Duplicate")),
        ("Which linked duplicates have a workaround?", "en", ("Cloners", "Duplicate")),
        ("What is the status of the tickets blocking the release?", "en", ("Blocks", "Depends")),
        ("Comments of the parent ticket of T-2?", "en", ("Parent-Subtask",)),
        ("What is the fix in related tickets?", "en", LINKS[:-1]),
        ("What is the fix of similar tickets?", "en", (SIMILAR_TO,)),
        ("Welche Lösung haben die Duplikate von T-2?", "de", ("Cloners", "Duplicate")),
        ("Welchen Status haben die verknüpften Tickets?", "de", LINKS[:-1]),
        ("Was blockiert T-2, und was ist die Ursache?", "de", ("Blocks", "Depends")),
    ],
)
def test_links_asked_for_are_followed(question: str, language: str, types: tuple[str, ...]) -> None:
    made = plan(question, language=language)
    assert (made.link_types, made.direction) == (types, "both")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("How was it fixed that the keyboard blocks the text field?", "en"),
        ("Why do links in the list view show duplicate rows?", "en"),
        ("What is the fix for the crash when a cloned view includes a parent?", "en"),
        ("Warum wird jede Zeile doppelt angezeigt, wenn die Tastatur blockiert?", "de"),
    ],
)
def test_words_of_the_problem_ask_for_no_links(question: str, language: str) -> None:
    made = plan(question, language=language)
    assert made.link_types == ()


def test_where_no_ticket_has_such_a_link_similar_ones_are_read() -> None:
    template = shipped_template("en")
    parts = read_ticket_question("What is the fix of its duplicates?", template, {})
    made = plan_for(parts, ("T-1",), template, ("Relates",))
    assert made.link_types == (SIMILAR_TO,)


def test_named_values_are_filters() -> None:
    made = plan("What is the fix of camera crashes with priority high and component Android?")
    assert set(made.filters) == {Filter("priority", "High"), Filter("components", "Android")}


def test_a_template_of_ones_own_can_have_kinds_of_links() -> None:
    data = {
        "sections": ["fix"],
        "links": [{"name": "causes", "types": ["Causes"], "cues": ["Caused By"], "direction": "in"}],
    }
    template = read_template(data)
    parts = read_ticket_question("What was it caused by?", template, {})
    assert plan_for(parts, ("A",), template, ("causes (x)",)) == SubgraphPlan(("A",), ("fix",), ("causes (x)",), "in")


@pytest.mark.parametrize(
    "links",
    [
        "linked",
        [{"cues": ["x"]}],
        [{"name": "a", "direction": "up"}],
        [{"name": "a", "cues": 1}],
        [{"name": "a", "x": 1}],
    ],
)
def test_wrong_kinds_of_links_are_named(links: object) -> None:
    with pytest.raises(BadInputError, match=r"domain\.yaml: tickets: link"):
        read_template({"sections": ["fix"], "links": links})


# -- what a plan reads


def ticket(ident: str, **texts: str) -> PublishedTicket:
    return PublishedTicket(Ticket(ident, ident), tree_of(ident, ticket_graphs.TEMPLATE, texts), f"{ident} {texts}")


@pytest.mark.parametrize("seed", range(3))
def test_plans_give_what_plain_python_finds(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    tickets = ticket_graphs.make_tickets(random)
    edges = ticket_graphs.make_edges(random, tickets)
    file = ticket_graphs.publish(tmp_path / "knowledge.db", tickets, edges)
    with_rows = 0
    for made in ticket_graphs.make_plans(random, tickets, edges, 60):
        rows = ticket_graphs.rows_of(made, file)
        assert rows == ticket_graphs.expected_rows(made, tickets, edges), made
        with_rows += bool(rows)
    assert with_rows > 12
    file.close()


def test_sections_come_in_the_order_of_the_template_and_are_bounded() -> None:
    read = SubgraphPlan((), ("fix", "match", "description", "steps_to_reproduce")).read
    one = ticket("A", fix="one", description="two", match="deep")
    rows = [(row.section, row.text) for row in read([one], ticket_graphs.TEMPLATE)]
    assert rows == [("description", "two"), ("fix", "one"), ("match", "deep")]  # behind those above it
    many = [ticket(f"T-{n}", fix="x") for n in reversed(range(100, MOST_ROWS + 101))]
    assert [row.ticket for row in read(many, ticket_graphs.TEMPLATE)] == [f"T-{n + 100}" for n in range(MOST_ROWS)]


def test_links_have_a_direction_and_types_and_lead_to_what_is_missing_too() -> None:
    edges = [
        Edge("A", "Duplicate", "B"),
        Edge("C", "Duplicate", "A"),
        Edge("A", "Duplicate", "A"),
        Edge("A", SIMILAR_TO, "D", "similarity"),
        Edge("A", "Contains", "gone", dangling=True),
        Edge("B", "Duplicate", "E"),
    ]
    for types, direction, begin, ends in (
        (("Duplicate",), "out", "A", ["B"]),
        (("Duplicate",), "in", "A", ["C"]),
        (("Duplicate",), "both", "A", ["B", "C"]),
        (("Duplicate", SIMILAR_TO), "both", "A", ["B", "C", "D"]),
        ((SIMILAR_TO,), "in", "A", []),
        (("Contains",), "both", "A", ["gone"]),
        (("Duplicate",), "out", "AB", ["B", "E"]),
        ((), "both", "A", []),
    ):
        made = SubgraphPlan(tuple(begin), ("fix",), types, direction)
        assert made.ends(edges) == ends, made


def test_a_filter_compares_whole_values_letter_by_letter() -> None:
    one = Ticket("A", "a", priority="Größe", components=("Android", "iOS-kit"))
    for held in (Filter("priority", "GRÖßE"), Filter("components", "ANDROID"), Filter("status", "")):
        assert held.holds(one), held
    for lost in (Filter("priority", "Grösse"), Filter("components", "iOS"), Filter("labels", "")):
        assert not lost.holds(one), lost
