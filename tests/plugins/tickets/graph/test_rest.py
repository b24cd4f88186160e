"""What the rules leave is put to a model as blocks, and split by its reply without losing a character."""

from __future__ import annotations

from autokb.core.tickets import Comment, Ticket
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.rest import rest_request, split_rest
from autokb.plugins.tickets.heuristics.parse_sections import parse_parts, parse_sections, tree_of_parts
from autokb.plugins.tickets.tasks.read_sections.task import TASK, BlockSection, SectionsRead

TEMPLATE = shipped_template("en")
LONG = "The new kettle stops far too early, long before the water boils, whatever we do. " * 3
STEPS = "Fill it to the top, close the lid and press the switch. After a minute it is off."
FOUND = "The sensor was mounted upside down, so that steam reached it at once. " * 9
TURNED = "Turned it round in the next series."
TICKET = Ticket(
    "K-1",
    "Kettle stops early",
    f"{LONG.strip()}\n\n{STEPS}\n\nPlease help.\n\n## Expected result\n\nIt boils.",
    (Comment("Short one."), Comment(f"{FOUND.strip()}\n\n{TURNED}")),
)


def sections(blocks: tuple[BlockSection, ...]) -> dict[str, str]:
    parts = parse_parts(TICKET, TEMPLATE)
    split = split_rest(parts, TEMPLATE, SectionsRead(blocks=blocks))
    return {s.section: s.text for s in tree_of_parts("K-1", TEMPLATE, split) if s.text}


def test_only_long_texts_that_no_rule_claims_are_asked_about() -> None:
    item = rest_request(TICKET.title, parse_parts(TICKET, TEMPLATE), TEMPLATE)
    assert item is not None
    assert [text.section for text in item.texts] == ["description", "comments"]
    description, comments = item.texts
    assert description.text.endswith("Please help.")
    assert "steps_to_reproduce" in description.others
    assert "root_cause" in comments.others
    assert "steps_to_reproduce" not in comments.others
    assert rest_request("x", parse_parts(Ticket("K-2", "x", "It drips."), TEMPLATE), TEMPLATE) is None


def test_blocks_go_to_the_sections_that_a_reply_names_and_the_rest_stays() -> None:
    found = sections(
        (
            BlockSection(block=1, section="steps_to_reproduce"),
            BlockSection(block=3, section="root_cause"),
            BlockSection(block=4, section="fix"),
        )
    )
    assert found == {
        "summary": "Kettle stops early",
        "description": f"{LONG.strip()}\n\nPlease help.",
        "steps_to_reproduce": STEPS,
        "expected_result": "It boils.",
        "root_cause": FOUND.strip(),
        "fix": TURNED,
        "comments": "Short one.",
    }


def test_a_reply_that_names_nothing_changes_nothing_as_offline() -> None:
    assert sections(()) == {s.section: s.text for s in parse_sections(TICKET, TEMPLATE) if s.text}
    item = rest_request(TICKET.title, parse_parts(TICKET, TEMPLATE), TEMPLATE)
    assert item is not None
    assert TASK.answer_offline(item) == SectionsRead(blocks=())
