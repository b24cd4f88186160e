"""Tickets that others link to: found both ways, whatever sections they have, and named where they are not here."""

from __future__ import annotations

import pytest
from test_ask_tickets import check_evidence

import small_tickets
from autokb.app import SupportKB

RECORDS = [
    small_tickets.record(
        "CAR-1",
        "Engine stalls at the lights",
        "It stalls.",
        links={"Duplicate": "CAR-2", "Blocks": "CAR-3", "Cloners": "CAR-4", "Relates": "GONE-9"},
    ),
    small_tickets.record("CAR-2", "Motor dies while waiting"),
    small_tickets.record("CAR-3", "Release of the new pump", "h3. Steps to reproduce\n# Wait for green", links={}),
    small_tickets.record("CAR-4", "Engine stalls in the cold", "Only below zero.", priority={"name": "Low"}),
    small_tickets.record("CAR-5", "Wipers squeak", "They squeak.", links={"Duplicate": "GONE-7"}),
    small_tickets.record("CAR-6", "Horn is silent", "No sound."),
    *(
        small_tickets.record(f"CAR-{n}", f"Lamp {n} flickers", f"Lamp {n}.", links={"Relates": "CAR-6"})
        for n in range(7, 12)
    ),
    small_tickets.record("CAR-12", "Lamp 7 flickers", "Again."),
]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("linked")
    kb = SupportKB.create(folder / "kb", "headphones")
    kb.add([small_tickets.write(folder / "tickets.json", RECORDS)], "tickets")
    kb.tickets.build()
    return kb


def test_every_kind_of_link_is_followed_both_ways_whatever_the_other_ticket_says(built: SupportKB) -> None:
    for question, linked in {
        "which tickets are duplicates of CAR-1?": {"CAR-2", "CAR-4"},  # a clone is one
        "which tickets are duplicates of CAR-2?": {"CAR-1"},
        "which tickets are duplicates of CAR-4?": {"CAR-1"},
        "what blocks CAR-1?": {"CAR-3"},
        "what blocks CAR-3?": {"CAR-1"},
        "which tickets are linked to CAR-1?": {"CAR-2", "CAR-3", "CAR-4"},
        "the fix of the linked tickets of CAR-3": {"CAR-1"},
    }.items():
        for cypher in (False, True):
            answer = built.tickets.ask(question, cypher=cypher)
            assert {one.ticket for one in answer.evidence} == linked, question
            assert "has no links" not in (answer.fallback or ""), question
            check_evidence(built, answer)


def test_a_linked_ticket_without_a_description_says_what_it_has(built: SupportKB) -> None:
    said = {one.ticket: one.section for one in built.tickets.ask("which tickets are linked to CAR-1?").evidence}
    assert said == {"CAR-2": "summary", "CAR-3": "steps_to_reproduce", "CAR-4": "description"}
    asked = built.tickets.ask("the fix of the linked tickets of CAR-3").fallback
    assert asked == "CAR-1 has no section fix; this is what else it says."


def test_links_to_what_is_not_here_are_named_and_only_missing_ones_denied(built: SupportKB) -> None:
    for question, said in {
        "which tickets are linked to CAR-1?": "Linked, but not among these tickets: GONE-9.",
        "which tickets are duplicates of CAR-5?": "Linked, but not among these tickets: GONE-7. This is from",
        "which tickets are duplicates of CAR-6?": "CAR-6 has no links of the kind duplicates. This is from",
        "which tickets are linked to CAR-6?": "Also linked: CAR-8, CAR-9.",
        "tickets linked to CAR-6 with priority Low": "No ticket that CAR-6 is linked with has priority Low.",
    }.items():
        fallback = built.tickets.ask(question).fallback
        assert (fallback or "").startswith(said), (question, fallback)


def test_similar_tickets_do_not_pass_for_a_kind_of_link_that_nobody_uses(built: SupportKB) -> None:
    answer = built.tickets.ask("what are the subtasks of CAR-7?")
    assert {one.ticket for one in answer.evidence} == {"CAR-12"}
    assert (answer.fallback or "").startswith("No ticket has links of the kind parents; these are similar tickets.")
    alone = built.tickets.ask("what are the subtasks of CAR-6?").fallback
    assert (alone or "").startswith("CAR-6 has no links of the kind parents. This is from the ticket itself.")
