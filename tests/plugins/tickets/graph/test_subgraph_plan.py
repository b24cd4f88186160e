"""A question's parts become a plan."""

from __future__ import annotations

import pytest

from autokb.core.errors import BadInputError
from autokb.core.ticket_plan import Filter, Hops, SubgraphPlan, check_plan
from autokb.core.ticket_template import read_template
from autokb.core.tickets import SIMILAR_TO
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.plan import plan_for
from autokb.plugins.tickets.heuristics.read_question import read_ticket_question

LINKS = ("Blocks", "Cloners", "Depends", "Duplicate", "Parent-Subtask", "Relates", SIMILAR_TO)
VALUES = {"priority": ("High", "Low"), "component": ("Android", "iOS")}


def plan(question: str, tickets: tuple[str, ...] = ("T-2", "T-1"), language: str = "en") -> SubgraphPlan | None:
    template = shipped_template(language)
    made = plan_for(read_ticket_question(question, template, VALUES), tickets, template, LINKS)
    if made is not None:
        check_plan(made, template, LINKS)
    return made


def test_the_sections_asked_for_are_read_of_the_tickets_found() -> None:
    assert plan("How do I reproduce the crash of the camera?") == SubgraphPlan(("T-2", "T-1"), ("steps_to_reproduce",))


def test_without_a_section_asked_for_it_is_what_tells_how_a_ticket_ended() -> None:
    made = plan("The camera crashes on rotation")
    assert made is not None and made.sections == ("fix", "root_cause", "workaround", "resolution", "comments")


@pytest.mark.parametrize(
    ("question", "language", "step"),
    [
        ("What is the fix of the duplicates of the camera crash?", "en", Hops(("Cloners", "Duplicate"))),
        ("Which linked duplicates have a workaround?", "en", Hops(("Cloners", "Duplicate"))),
        ("What is the status of the tickets blocking the release?", "en", Hops(("Blocks", "Depends"))),
        ("Comments of the parent ticket of T-2?", "en", Hops(("Parent-Subtask",))),
        ("What is the fix in related tickets?", "en", Hops(LINKS[:-1])),
        ("What is the fix of similar tickets?", "en", Hops((SIMILAR_TO,))),
        ("Welche Lösung haben die Duplikate von T-2?", "de", Hops(("Cloners", "Duplicate"))),
        ("Welchen Status haben die verknüpften Tickets?", "de", Hops(LINKS[:-1])),
        ("Was blockiert T-2, und was ist die Ursache?", "de", Hops(("Blocks", "Depends"))),
    ],
)
def test_links_asked_for_are_a_step(question: str, language: str, step: Hops) -> None:
    made = plan(question, language=language)
    assert made is not None and made.steps == (step,)


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
    assert made is not None and made.steps == ()


def test_where_no_ticket_has_such_a_link_similar_ones_are_read() -> None:
    template = shipped_template("en")
    parts = read_ticket_question("What is the fix of its duplicates?", template, {})
    made = plan_for(parts, ("T-1",), template, ("Relates",))
    assert made is not None and made.steps == (Hops((SIMILAR_TO,)),)


def test_named_values_are_filters() -> None:
    made = plan("What is the fix of camera crashes with priority high and component Android?")
    assert made is not None
    assert set(made.filters) == {Filter("priority", "is", "High"), Filter("components", "is", "Android")}


def test_without_tickets_named_values_choose_them() -> None:
    made = plan("Which summary do tickets with priority high have?", tickets=())
    assert made is not None and made.tickets == () and made.filters
    assert plan("What is the fix?", tickets=()) is None
    assert plan("What is the fix of the duplicates with priority high?", tickets=()) is None


def test_a_template_of_ones_own_can_have_kinds_of_links() -> None:
    data = {
        "sections": ["fix"],
        "links": [{"name": "causes", "types": ["Causes"], "cues": ["Caused By"], "direction": "in"}],
    }
    template = read_template(data)
    parts = read_ticket_question("What was it caused by?", template, {})
    assert plan_for(parts, ("A",), template, ("causes (x)",)) == SubgraphPlan(
        ("A",), ("fix",), (Hops(("causes (x)",), "in"),)
    )


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
