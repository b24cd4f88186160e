"""What a model writes as Cypher is taken as it is, and its examples pass the guard."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from autokb.core.property_graph import name_graph
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.cypher.guard import check_cypher
from autokb.plugins.tickets.tasks.write_cypher.task import LONGEST, TASK, WrittenCypher, cypher_request
from autokb.tasks.prompts import examples
from autokb.tasks.task import ReplyError

TEMPLATE = shipped_template("en")
NAMES = name_graph(TEMPLATE, ("Duplicate", "Contains"))
ITEM = cypher_request(" How is it fixed? ", "A-1", "It breaks", TEMPLATE, NAMES)


def test_the_graph_is_told_as_it_is() -> None:
    patterns = [path.pattern for path in ITEM.paths]
    assert "(t:Ticket)-[:HAS_DESCRIPTION]->(:Description)-[:HAS_STEPS_TO_REPRODUCE]->(:StepsToReproduce)" in patterns
    assert {link.relation: link.type for link in ITEM.links} == {
        "DUPLICATE": "Duplicate", "`CONTAINS`": "Contains", "SIMILAR_TO": "SIMILAR_TO",
    }  # fmt: skip
    assert ITEM.question == "How is it fixed?" and "priority" in ITEM.properties


@pytest.mark.parametrize(
    "written", ["MATCH (t) RETURN t", "```cypher\nMATCH (t) RETURN t\n```", "``` MATCH (t) RETURN t```\n"]
)
def test_fences_are_taken_off(written: str) -> None:
    read = TASK.read(ITEM, SimpleNamespace(cypher=written))
    assert read.answer == WrittenCypher(cypher="MATCH (t) RETURN t")


def test_a_model_first_puts_the_question_about_the_ticket() -> None:
    assert list(TASK.entry([ITEM])) == ["question", "cypher"]
    for example in examples(TASK.package):
        about_one = "id: 'KET-7'" in example["reply"]["cypher"] or "t.id = 'KET-7'" in example["reply"]["cypher"]
        assert ("KET-7" in example["reply"]["question"]) is about_one


def test_a_query_without_end_is_refused() -> None:
    with pytest.raises(ReplyError):
        TASK.check(ITEM, WrittenCypher(cypher="x" * (LONGEST + 1)))


def test_the_examples_pass_the_guard() -> None:
    for example in examples(TASK.package):
        assert check_cypher(example["reply"]["cypher"], NAMES)
