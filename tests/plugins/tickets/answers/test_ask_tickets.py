"""Questions to past tickets: the asked section, with evidence; what stands in its place; and what is not answered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import small_tickets
from autokb.app import SupportKB
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.ticket_answer import TicketAnswer
from autokb.plugins.tickets.answers.ask_tickets import TicketAnswerer
from autokb.plugins.tickets.answers.open_tickets import open_tickets
from autokb.plugins.tickets.graph.match import MatchChance


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> SupportKB:
    folder = tmp_path_factory.mktemp("tickets")
    kb = SupportKB.create(folder / "kb", "headphones")
    records = [
        *small_tickets.RECORDS,
        small_tickets.record(
            "APP-9",
            "Scanner stays black",
            "The preview of the scanner is black.\n\nh3. Workaround\nTurn the light on.",
            comments=["Any news?", "Fixed by asking for the permission first, see the pull request.", "Thanks!"],
            resolution={"name": "Fixed"},
            fixVersions=[{"name": "2.2"}],
            priority={"name": "Low"},
        ),
    ]
    kb.add([small_tickets.write(folder / "tickets.json", records)], "tickets")
    kb.tickets.build()
    return kb


@pytest.fixture
def kb(built: SupportKB, tmp_path: Path) -> SupportKB:
    import shutil

    shutil.copytree(built.workspace.folder, tmp_path / "kb")
    return SupportKB.open(tmp_path / "kb")


def check_evidence(kb: SupportKB, answer: TicketAnswer) -> None:
    assert answer.evidence
    for one in answer.evidence:
        texts = {section.section: section.text for section in kb.tickets.show(one.ticket).sections}
        assert texts[one.section][one.start : one.end] == one.quote != ""


def test_the_asked_section_of_the_nearest_ticket_is_the_answer(built: SupportKB) -> None:
    answer = built.tickets.ask("What is the root cause of the app crashing when the camera is closed?")
    assert answer.outcome == "answered"
    assert answer.fallback is None
    assert next((one.ticket, one.section) for one in answer.evidence) == ("APP-1", "root_cause")
    assert "The surface was freed twice." in answer.answer
    assert "**APP-1: App crashes when the camera is closed** (Closed, Fixed)" in answer.answer
    check_evidence(built, answer)


def test_steps_are_read_out_whole_and_how_it_ended_is_not_added_unasked(built: SupportKB) -> None:
    answer = built.tickets.ask("how do I reproduce the crash when the camera is closed")
    assert [one.section for one in answer.evidence] == ["steps_to_reproduce"]
    assert "Open the camera" in answer.evidence[0].quote
    assert "Press **Back**" in answer.evidence[0].quote
    check_evidence(built, answer)


def test_comments_that_tell_it_stand_in_for_a_missing_section_and_that_is_said(built: SupportKB) -> None:
    answer = built.tickets.ask("How was the black preview of the scanner fixed?")
    assert answer.fallback == "APP-9 has no section fix; these are its comments that may tell."
    assert [one.quote for one in answer.evidence] == ["Fixed by asking for the permission first, see the pull request."]
    assert "(kim, 2024-03-02)" in answer.answer
    assert "Any news" not in answer.answer
    check_evidence(built, answer)


def test_where_nobody_has_the_section_the_texts_answer_and_that_is_said(built: SupportKB) -> None:
    answer = built.tickets.ask("is there a workaround for the password reset mail that never arrives?")
    assert answer.outcome == "answered"
    assert answer.fallback == "APP-6 has no section workaround; this is what else it says."
    assert "Nothing is in the inbox" in answer.answer
    check_evidence(built, answer)


def test_another_ending_of_the_best_ticket_stands_in_for_the_one_that_was_asked_for(built: SupportKB) -> None:
    answer = built.tickets.ask("What is the root cause of the scanner staying black?")
    assert answer.fallback == "APP-9 has no section root cause; this is its workaround."
    assert answer.evidence[0].quote == "Turn the light on."
    check_evidence(built, answer)


def test_a_duplicate_that_has_the_section_stands_in_for_the_best_ticket(built: SupportKB) -> None:
    answer = built.tickets.ask("What is the root cause of the camera crash when going back?")
    assert answer.tickets[0].id == "APP-2"
    assert answer.fallback == "APP-2 has no section root cause; APP-1, a duplicate, has."
    assert [one.quote for one in answer.evidence][:1] == ["The surface was freed twice."]
    check_evidence(built, answer)


def test_a_question_that_names_a_ticket_is_answered_from_it(built: SupportKB) -> None:
    answer = built.tickets.ask("what is the workaround of app-9?")
    assert {one.ticket for one in answer.evidence} == {"APP-9"}
    assert answer.evidence[0].quote == "Turn the light on."
    assert built.tickets.ask("priority of APP-9?").answer.endswith("Priority: Low")


def test_links_that_are_asked_for_are_followed(built: SupportKB) -> None:
    answer = built.tickets.ask("which tickets are duplicates of APP-1?")
    assert [one.ticket for one in answer.evidence] == ["APP-2"]
    missing = built.tickets.ask("which tickets are duplicates of APP-9?")
    assert missing.fallback is not None
    assert missing.fallback.startswith("APP-9 has no links of the kind duplicates")


def test_what_is_about_something_else_is_not_answered(built: SupportKB) -> None:
    answer = built.tickets.ask("What's a good recipe for pancakes?")
    assert (answer.outcome, answer.answer, answer.evidence) == ("abstains", "", ())
    assert answer.reason == "No past ticket is about this."


def test_a_value_that_the_question_names_chooses_the_ticket(built: SupportKB) -> None:
    answer = built.tickets.ask("steps to reproduce for the camera with priority High")
    assert {one.ticket for one in answer.evidence} == {"APP-1"}
    assert answer.question.filters == {"priority": "High"}


def test_cypher_shows_the_plan_that_ran(built: SupportKB) -> None:
    answer = built.tickets.ask("root cause of APP-1", cypher=True)
    assert answer.cypher is not None
    assert "HAS_ROOT_CAUSE" in answer.cypher.text
    assert answer.cypher.refused is None
    assert built.tickets.ask("root cause of APP-1").cypher is None


def test_an_empty_question_is_refused(built: SupportKB) -> None:
    with pytest.raises(BadInputError, match="The question is empty"):
        built.tickets.ask("  ")


# -- tickets that are named


def test_an_unknown_id_is_not_answered_from_another_ticket(built: SupportKB) -> None:
    for question, named in {
        "what is the fix of APP-99?": "APP-99",
        "app-99": "app-99",
        "root cause of APP 99": "APP-99",
        "How was APP-99, the crash of the camera, solved?": "APP-99",
        "which tickets are duplicates of APP-99?": "APP-99",
        "what is the status of ticket 999999?": "999999",
        "who fixed FOO-1?": "FOO-1",
    }.items():
        for cypher in (False, True):
            answer = built.tickets.ask(question, cypher=cypher)
            assert (answer.outcome, answer.evidence, answer.tickets) == ("abstains", (), ()), question
            assert answer.reason == f"There is no ticket {named} here.", question


def test_a_ticket_is_found_however_its_id_is_written(built: SupportKB) -> None:
    for spelled in ("app-9", "APP 9", "#APP-9", "ticket 9", "https://jira.example/browse/APP-9"):
        answer = built.tickets.ask(f"what is the workaround of {spelled} ?")
        assert [one.quote for one in answer.evidence][:1] == ["Turn the light on."], spelled
        assert {one.ticket for one in answer.evidence} == {"APP-9"}, spelled
    assert built.tickets.show("app 9").id == "APP-9"
    assert built.tickets.similar("app-9").tickets == built.tickets.similar("APP-9").tickets


def test_an_unknown_id_beside_a_known_one_is_told(built: SupportKB) -> None:
    answer = built.tickets.ask("root cause of APP-1 and APP-99")
    assert {one.ticket for one in answer.evidence} == {"APP-1"}
    assert answer.fallback == "There is no ticket APP-99 here."


def test_what_only_looks_like_an_id_and_what_a_report_mentions_is_searched_for(built: SupportKB) -> None:
    assert built.tickets.ask("the camera crashes on UTF-8 names").tickets
    report = "Camera crash when going back\n\nAs in APP-99:\nclosing the camera ends the app."
    answer = built.tickets.ask(report)
    assert answer.tickets and answer.fallback is not None
    assert answer.fallback.startswith("There is no ticket APP-99 here.")


def test_an_unknown_id_has_no_similar_tickets(built: SupportKB) -> None:
    for work in (built.tickets.similar, built.tickets.show):
        with pytest.raises(UnknownIdError, match="no published ticket 'APP-99'"):
            work("APP-99")


def test_the_comment_with_the_fix_comes_before_the_fields_that_the_heading_says(built: SupportKB) -> None:
    for question in (
        "has APP-9 been fixed?",
        "what was the outcome of APP-9?",
        "is it fixed yet: the scanner stays black",
        "how was APP-9 closed?",
    ):
        answer = built.tickets.ask(question)
        assert answer.evidence[0].quote.startswith("Fixed by asking for the permission first"), question
        assert answer.evidence[-1].section in ("status", "resolution"), question
        check_evidence(built, answer)


# -- how sure it is


def with_match(kb: SupportKB, intercept: float) -> TicketAnswerer:
    """Return asking whose links say of every ticket found first how likely it is the same problem."""
    opened = open_tickets(kb.workspace)
    fitted = replace(opened.fitted, match=MatchChance(0.0, 0.0, intercept))
    return TicketAnswerer(replace(opened, fitted=fitted))


def test_a_ticket_that_is_unlikely_to_be_the_same_problem_is_named_but_does_not_answer(built: SupportKB) -> None:
    asking = with_match(built, -4.0)
    answer = asking.ask("why does the camera crash?")
    assert (answer.outcome, answer.evidence) == ("abstains", ())
    assert answer.reason == "No past ticket is likely to be about the same problem."
    assert answer.match == pytest.approx(0.018, abs=0.001)
    assert {one.id for one in answer.tickets} >= {"APP-1", "APP-2"}
    assert asking.ask("root cause of APP-1").outcome == "answered"
    asking.opened.close()


def test_how_likely_it_is_the_same_problem_is_told_where_links_can_tell(built: SupportKB) -> None:
    asking = with_match(built, 4.0)
    assert asking.ask("why does the camera crash?").match == pytest.approx(0.982, abs=0.001)
    assert built.tickets.ask("why does the camera crash?").match is None
    asking.opened.close()


def test_a_question_with_an_accepted_answer_is_as_sure_as_the_questions_are_alike(kb: SupportKB) -> None:
    kb.tickets.accept("the phone is dead in the morning", "APP-8")
    asking = with_match(kb, -4.0)
    answer = asking.ask("the phone is dead in the morning")
    assert (answer.outcome, answer.tickets[0].id, answer.match) == ("answered", "APP-8", 1.0)
    asking.opened.close()


# -- accepted answers


def test_an_accepted_answer_lifts_its_ticket_without_a_build_until_it_is_taken_back(kb: SupportKB) -> None:
    question = "the handset is empty after a night"

    def best() -> str:
        return kb.tickets.ask(question).tickets[0].id

    before = best()
    assert before != "APP-3"
    accepted = kb.tickets.accept(question, "APP-3", author="ann")
    assert (accepted.changed, accepted.answers) == (1, 1)
    assert kb.tickets.accept(question, "APP-3").changed == 0
    answer = kb.tickets.ask(question)
    assert answer.tickets[0].id == "APP-3"
    assert [(one.ticket, one.question, one.author) for one in answer.accepted] == [("APP-3", question, "ann")]
    assert kb.tickets.ask("an empty handset after the night").accepted
    assert not kb.tickets.ask("sign in with a new password").accepted
    assert kb.tickets.accept(question, "APP-3", undo=True).answers == 0
    assert best() == before
    assert not kb.tickets.ask(question).accepted


def test_the_ticket_of_an_accepted_answer_alone_is_lifted(kb: SupportKB) -> None:
    question = "only nine pages"
    scores = {one.id: one.score for one in kb.tickets.ask(question, 9).tickets}
    kb.tickets.accept(question, "APP-3")
    after = {one.id: one.score for one in kb.tickets.ask(question, 9).tickets}
    gained = {i: round(after[i] - scores[i], 3) for i in scores}
    assert gained.pop("APP-3") == pytest.approx(1.0, abs=0.01)
    assert set(gained.values()) == {0}


def test_an_accepted_answer_outlives_a_build(kb: SupportKB) -> None:
    kb.tickets.accept("the scanner shows nothing", "APP-9")
    kb.tickets.build(rethink=True)
    assert kb.tickets.ask("the scanner shows nothing").accepted[0].ticket == "APP-9"
    shown = kb.tickets.show("APP-9")
    assert [one.question for one in shown.answers] == ["the scanner shows nothing"]
    assert all(link.origin != "answers" for link in shown.links)  # apart from what the source says


def test_what_cannot_be_accepted_is_refused(kb: SupportKB) -> None:
    with pytest.raises(BadInputError, match="no published ticket 'APP-99'"):
        kb.tickets.accept("a question", "APP-99")
    with pytest.raises(BadInputError, match="was not accepted"):
        kb.tickets.accept("a question", "APP-1", undo=True)
    with pytest.raises(BadInputError, match="Write the question"):
        kb.tickets.accept(" ", "APP-1")
