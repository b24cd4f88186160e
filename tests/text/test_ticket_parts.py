"""A ticket is read without notes of the team, notices of programs, lines of forms and parts of mails."""

from __future__ import annotations

from autokb.core.tickets import Comment, Ticket
from autokb.text.ticket_parts import told_ticket


def comments_of(*comments: Comment, description: str = "The lamp flickers.") -> list[str]:
    return [one.text for one in told_ticket(Ticket("T-1", "Lamp", description, comments)).comments]


def test_notes_notices_and_programs_are_no_comments() -> None:
    assert comments_of(
        Comment("He shouts on the phone, be careful.", "Ann", internal=True),
        Comment('Request #77 "Lamp" was closed and merged into this request.', "Ann"),
        Comment("Anfrage #78 „Lampe“ wurde geschlossen und mit dieser Anfrage zusammengeführt.", "Ann"),
        Comment("Ticket #79 has been merged with this ticket.", "Ann"),
        Comment("This issue has been automatically marked as stale.", "stale[bot]"),
        Comment("Build 12 passed.", "github-actions[bot]"),
        Comment("Build 13 passed.", "Jenkins"),
        Comment("I merged the two cables into one, now it works.", "Ben"),
        Comment("Does the request reach the server?", "Jenkins, Mary"),
    ) == ["I merged the two cables into one, now it works.", "Does the request reach the server?"]


def test_a_first_comment_that_is_the_description_is_said_once() -> None:
    mail = "Hello,\n\nthe lamp flickers.\n\nOn Mon, 3 Nov 2026, Support wrote:\n> Which lamp?"
    said = (
        Comment("Hello,\nthe lamp flickers."),
        Comment("Turn it off and on."),
        Comment("Hello,\nthe lamp flickers."),
    )
    assert comments_of(*said, description=mail) == ["Turn it off and on.", "Hello,\nthe lamp flickers."]


def test_lines_of_forms_and_parts_of_mails_leave_a_ticket() -> None:
    form = "### What happens\n\nIt flickers.\n\n### Logs\n\n_No response_\n\n- [X] I have searched\n- [ ] lamp on"
    told = told_ticket(Ticket("T-1", "Lamp", form, (Comment("Try a new bulb.\n\nBest regards\nAnn", "Ann"),)))
    assert told.description.split() == "### What happens It flickers. ### Logs - [ ] lamp on".split()
    assert told.comments == (Comment("Try a new bulb.", "Ann"),)
