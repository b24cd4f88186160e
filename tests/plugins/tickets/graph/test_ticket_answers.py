"""What an answer from tickets shows of them."""

from __future__ import annotations

import pytest

from autokb.core.tickets import TICKET, Comment, Ticket, TicketLink, TicketSection
from autokb.domains.ticket_templates import shipped_template
from autokb.plugins.tickets.graph.answers import COMMENT_CHARACTERS, CUT, TicketTexts, state_of, write_answer
from autokb.plugins.tickets.heuristics.answer_from import FromTickets, answer_from_passages
from autokb.plugins.tickets.heuristics.whole_parts import opening
from autokb.stores.ticket_tables import PublishedTicket


@pytest.mark.parametrize(
    ("resolution", "versions", "state"),
    [
        ("Fixed", ("Sprint 12", "Release 3.1.0"), "Closed, Fixed in Release 3.1.0"),
        ("Fixed", ("Sprint 12",), "Closed, Fixed in Sprint 12"),
        ("Won't Fix", ("Release 3.1.0",), "Closed, Won't Fix"),
        ("Cannot Reproduce", ("2013 Sprint 21",), "Closed, Cannot Reproduce"),
        ("Duplicate", (), "Closed, Duplicate of T-9"),
        ("", ("Release 3.1.0",), "Closed"),
    ],
)
def test_a_state_names_releases_where_it_was_fixed_and_originals_where_it_was_not(
    resolution: str, versions: tuple[str, ...], state: str
) -> None:
    links = (TicketLink("Duplicate", "T-9"), TicketLink("Duplicate", "T-8", inward=True), TicketLink("Relates", "T-7"))
    ticket = Ticket("T-1", "a", status="Closed", resolution=resolution, fix_versions=versions, links=links)
    assert state_of(ticket) == state


def published(*comments: str) -> PublishedTicket:
    ticket = Ticket("T-1", "a", comments=tuple(Comment(text, "ann", "2024-03-02T08:00:00Z") for text in comments))
    text = "\n\n".join(comments)
    return PublishedTicket(ticket, (TicketSection("T-1", TICKET), TicketSection("T-1", "comments", TICKET, text)), "")


def test_of_comments_found_by_their_text_each_is_shown_whole_with_who_wrote_it() -> None:
    one = published("First comment, of two sentences. This is the second.", "Another.")
    place = one.sections[1].text.index("This is")
    (passage,) = TicketTexts(one).around([("comments", place)])
    assert passage.text == "First comment, of two sentences. This is the second."
    assert (passage.by, passage.start, passage.cut) == ("ann, 2024-03-02", 0, False)


def test_what_is_cut_off_is_marked_and_the_evidence_is_verbatim() -> None:
    code = "\n".join(f"line_{n} = {n}" for n in range(400))
    one = published(f"Use this:\n\n```\n{code}\n```")
    passages = TicketTexts(one).around([("comments", 0)])
    reply = answer_from_passages(FromTickets("how", tuple(passages)))
    text, (evidence,) = write_answer(reply, passages, shipped_template("en"))
    assert "line_0 = 0\n" in text
    assert text.endswith(f"\n```\n\n{CUT}")
    assert text.count("```") == 2
    assert one.sections[1].text[evidence.start : evidence.end] == evidence.quote
    assert len(evidence.quote) <= COMMENT_CHARACTERS


def test_code_for_which_there_is_hardly_room_is_left_out() -> None:
    text = "word " * 95 + "\n\n```\n" + "x = 1\n" * 100 + "```"
    start, end = opening(text, 0, len(text), 500)
    assert "x = 1" not in text[start:end]
    assert "x = 1" in text[slice(*opening(text, 0, len(text), 900))]
