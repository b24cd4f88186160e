from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import small_tickets
from autokb.core.tickets import TICKET, Comment, Ticket
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.heuristics.parse_sections import parse_sections
from autokb.plugins.tickets.heuristics.read_question import read_ticket_question
from autokb.sources.tickets.reading import read_ticket

TEMPLATE = shipped_template("en")


def sections(description: str, *comments: str, **fields: str) -> dict[str, str]:
    ticket = Ticket("T-1", "It fails", description, tuple(map(Comment, comments)), **fields)  # type: ignore[arg-type]
    return {s.section: s.text for s in parse_sections(ticket, TEMPLATE) if s.text}


def test_headings_fields_and_comments_give_sections() -> None:
    found = parse_sections(read_ticket(small_tickets.RECORDS[0]), TEMPLATE)
    assert found[0].section == TICKET and found[0].id == "APP-1"
    text = {s.section: s.text for s in found}
    assert text["description"] == "The app closes at once."
    assert text["steps_to_reproduce"] == "1. Open the camera\n1. Press **Back**"
    assert text["expected_result"] == "The list is shown."
    assert text["actual_result"].startswith("It crashes:\n\n```\nERROR")
    assert text["root_cause"] == "The surface was freed twice."
    assert text["fix"] == "Update to 2.1."
    assert text["comments"] == "I see it too."
    assert text["priority"] == "High"
    parents = {s.section: s.parent_id for s in found}
    assert parents["steps_to_reproduce"] == "APP-1#description" and parents["description"] == "APP-1"


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        (
            "It fails.\n\nExpected result: a list\nActual result: nothing",
            {"expected_result": "a list", "actual_result": "nothing"},
        ),
        ("**Steps to reproduce:**\n\n1. a\n2. b", {"steps_to_reproduce": "1. a\n2. b"}),
        ("1. Steps to Reproduce:\n\nclick", {"steps_to_reproduce": "click"}),
        ("Steps to reproduce the crash:\nclick", {"steps_to_reproduce": "click"}),
        (
            "## Workaround\n\nrestart\n\n## Background\n\nlong story",
            {"workaround": "restart", "description": "long story"},
        ),
        ("## Fix\n\na\n\n### Details of it\n\nb", {"fix": "a\n\n### Details of it\n\nb"}),
        ("see\n\n```\nx = 1\n```", {"code": "```\nx = 1\n```", "description": "see"}),
        ("```\nERROR one\nERROR two\n```", {"log": "```\nERROR one\nERROR two\n```"}),
    ],
)
def test_what_begins_a_section(description: str, expected: dict[str, str]) -> None:
    found = sections(description)
    assert {name: found.get(name) for name in expected} == expected


@pytest.mark.parametrize(
    "description", ["The cause of this is clear to me", "Code signing\n\nfails", "Result of the day is good"]
)
def test_a_sentence_is_no_label(description: str) -> None:
    assert sections(description)["description"] == description


def test_steps_in_a_comment_are_the_testers() -> None:
    found = sections("It fails.", "## Steps to reproduce\n\ntap it")
    assert "steps_to_reproduce" not in found and "tap it" in found["comments"]


def test_a_section_above_has_a_node_without_text() -> None:
    ticket = Ticket("T-1", "x", "## Steps to reproduce\n\nclick")
    nodes = {s.section: s for s in parse_sections(ticket, TEMPLATE)}
    assert nodes["description"].text == "" and nodes["steps_to_reproduce"].parent == "description"


LINE = st.sampled_from(
    [
        "## Fix",
        "### Expected result",
        "**Cause**",
        "Steps:",
        "text",
        "more text here.",
        "",
        "1. Result:",
        "```",
        "x = 1",
        "- a",
        "> q",
    ]
)


@given(st.lists(LINE, max_size=12).map("\n".join))
def test_no_word_of_a_description_is_lost(description: str) -> None:
    found = sections(description)
    words = " ".join(found.values())
    for line in ("text", "more text here.", "x = 1"):
        assert words.count(line) >= min(1, description.count(line))


def test_a_question_is_read_by_its_cues() -> None:
    parts = read_ticket_question(
        "How to reproduce the login issue with major priority?", TEMPLATE, {"priority": ["Major", "Minor"]}
    )
    assert parts.intents == ("steps_to_reproduce",)
    assert parts.filters == {"priority": "Major"}
    assert "login issue" in parts.entities["summary"]


@pytest.mark.parametrize(
    ("question", "asked", "kept"),
    [
        ("How do I reproduce the problem where someone cannot log in?", "steps_to_reproduce", "cannot log in"),
        ("Users cannot log on after the update, how was it fixed?", "fix", "log on"),
        ("Why can customers not log out of the app?", "root_cause", "log out of the app"),
        ("How was the bug solved that logs users out?", "fix", "logs users out"),
        ("Is there a workaround for being logged out twice?", "workaround", "logged out"),
        ("Which priority has the log-in failure?", "priority", "log-in failure"),
        ("Steps for the ticket where the user saw 'no fix was found' on login?", "steps_to_reproduce", "user saw"),
        ('How is "The answer is not logged" reproduced, which steps?', "steps_to_reproduce", "answer is not logged"),
        ("What does the log say when I log in?", "log", "when I log in"),
        ("Show me the logs of the crash.", "log", "of the crash"),
    ],
)
def test_a_word_of_the_problem_asks_for_nothing(question: str, asked: str, kept: str) -> None:
    parts = read_ticket_question(question, TEMPLATE, {})
    assert parts.intents == (asked,)
    assert kept in parts.entities["summary"]


def test_what_is_quoted_describes_the_problem_and_an_apostrophe_quotes_nothing() -> None:
    parts = read_ticket_question("How to reproduce 'it can't open a second file' with users' own logs?", TEMPLATE, {})
    assert parts.entities["description"] == "it can't open a second file"
    assert "description" not in read_ticket_question("Why don't users' and guests' pages open?", TEMPLATE, {}).entities


def test_a_message_is_read_like_a_ticket() -> None:
    parts = read_ticket_question("Crash on start\n\nIt closes.\n\n## Steps to reproduce\n\nopen it", TEMPLATE, {})
    assert parts.entities == {"summary": "Crash on start", "description": "It closes.", "steps_to_reproduce": "open it"}


def test_without_a_cue_the_nearest_section_is_asked_for() -> None:
    compared = list[str]()

    def intents(question: str, **nearness: float) -> tuple[str, ...]:
        def near() -> dict[str, float]:
            compared.append(question)
            return nearness

        return read_ticket_question(question, TEMPLATE, {}, near).intents

    question = "What made it break?"
    assert intents(question, root_cause=0.6, fix=0.3) == ("root_cause",)
    assert intents(question, root_cause=0.3) == ()
    assert compared == [question] * 2
    assert intents("What is the workaround?", root_cause=0.6) == ("workaround",)
    assert intents("Which tickets are duplicates of it?", root_cause=0.6) == ()
    assert intents("It breaks.\nIt\nis\nbroken.", root_cause=0.6) == ()
    assert compared == [question] * 2  # the encoder is asked only where nothing else says it
