"""Suggestions of a workspace that has past tickets."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.tickets import TicketEvidence

RESET = "Open the page from the newest mail and clear the saved password of the browser."
SPAM = "Ask kim.lee@example.com for a new link."


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("tickets")
    kb = SupportKB.create(folder / "kb", "headphones")
    fields = {"resolution": {"name": "Fixed"}}
    records = [
        *small_tickets.RECORDS,
        small_tickets.record("APP-10", "Old password asked for on the phone", f"h3. Workaround\n{RESET}", **fields),
        small_tickets.record(
            "APP-12",
            "Scanner preview stays black",
            comments=["@kim look at it", "Closing, verified.", "It is the light. Turn the light of the scanner on."],
            fixVersions=[{"name": "Sprint 7"}, {"name": "Release 2.2"}],
            **fields,
        ),
        small_tickets.record("APP-11", "Invitation link expired", f"h3. Workaround\n{SPAM}", **fields),
    ]
    kb.add([small_tickets.write(folder / "tickets.json", records)], "tickets")
    kb.tickets.build()
    return kb


def test_a_ticket_about_the_same_problem_suggests_how_it_ended(kb: SupportKB) -> None:
    found = kb.suggest("Old password asked for on the phone, is there a workaround?")
    assert (found.outcome, found.reason) == ("answered", None)
    first = found.suggestions[0]
    assert (first.text, first.source, first.solution_id) == (RESET, "ticket", None)
    (evidence,) = first.evidence
    assert isinstance(evidence, TicketEvidence)
    texts = {section.section: section.text for section in kb.tickets.show(evidence.ticket).sections}
    assert evidence.ticket == "APP-10"
    assert texts[evidence.section][evidence.start : evidence.end] == evidence.quote
    shape = found.as_json()["suggestions"][0]["evidence"][0]
    assert set(shape) == {"ticket", "section", "start", "end", "quote"}


def test_of_comments_what_to_do_is_suggested_and_then_where_it_was_fixed(kb: SupportKB) -> None:
    found = kb.suggest("The scanner preview stays black")
    texts = [one.text for one in found.suggestions]
    assert texts == ["Turn the light of the scanner on.", "A problem like this was fixed in Release 2.2."]
    assert [e.section for one in found.suggestions for e in one.evidence] == ["comments", "fix_version"]  # type: ignore[union-attr]


def test_nobody_elses_personal_data_are_suggested(kb: SupportKB) -> None:
    assert kb.tickets.ask("Invitation link expired, is there a workaround?").evidence
    found = kb.suggest("Invitation link expired, is there a workaround?")
    assert not any("example.com" in one.text for one in found.suggestions)


def test_what_no_ticket_is_about_gets_the_refusal(kb: SupportKB) -> None:
    found = kb.suggest("Which wine goes with roast duck?")
    assert found.outcome == "abstains"
    assert [one.source for one in found.suggestions] == ["refusal"]
    assert found.reason


def test_what_the_knowledge_base_knows_stands_before_tickets(_built_headphones: Path, tmp_path: Path) -> None:
    shutil.copytree(_built_headphones, tmp_path / "kb")
    both = SupportKB.open(tmp_path / "kb")
    both.add([small_tickets.write(tmp_path / "tickets.json")], "tickets")
    both.tickets.build()
    sources = [one.source for one in both.suggest("There is no sound from my headphones on Windows").suggestions]
    assert sources
    assert set(sources) <= {"solution", "passage", "question"}
    crash = both.suggest("App crashes when the camera is closed, how was it fixed?")
    assert [(one.source, one.text) for one in crash.suggestions] == [("ticket", "Update to 2.1.")]


def test_a_workspace_without_anything_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="autokb build"):
        SupportKB.create(tmp_path / "kb", "headphones").suggest("no sound")
