from __future__ import annotations

import pytest

from autokb.core.tickets import Comment, Ticket
from autokb.plugins.tickets.heuristics.outcome_comments import outcome_comments, tells_outcome

TESTED = "Verified fixed with:\nmacOS 14.2\nApp, build: 3.3.0.2014\nPhone: Pixel 4 (11)\n\nClosing."


def ticket(*comments: str, assignee: str = "") -> Ticket:
    return Ticket("T-1", "It crashes", comments=tuple(Comment(text, "ann") for text in comments), assignee=assignee)


def test_what_solved_it_is_shown_and_on_which_devices_it_was_tested_is_not() -> None:
    one = ticket("I see it too.", "Fixed by freeing the buffer once.", TESTED, "Closing ticket as fixed.")
    assert outcome_comments(one, ("fix",)) == (1,)


def test_a_list_of_devices_that_says_more_in_a_long_line_may_be_shown() -> None:
    more = "Verified. " + "The cause was a race between the two threads, solved by a lock around the queue. " * 3
    assert outcome_comments(ticket(more), ("fix",)) == (0,)


@pytest.mark.parametrize(
    "comment",
    ["You can use shiftMode: 2 until then.", "Set the fullscreen property to true.", "Use a label instead."],
)
def test_advice_counts_as_a_workaround(comment: str) -> None:
    one = ticket("Any news?", comment)
    assert outcome_comments(one, ("workaround",)) == (1,)
    assert tells_outcome(one, ("workaround",))


def test_a_comment_that_repeats_another_is_shown_once() -> None:
    assert outcome_comments(ticket("Fixed in 2.1.", "Fixed in 2.1."), ("fix",)) == (0,)


def test_where_no_comment_tells_none_is_shown() -> None:
    one = ticket("Assigning to Bo.", "When will this be fixed?", "I see it too.")
    assert outcome_comments(one, ("fix",)) == ()


def test_a_short_discussion_is_shown_though_no_word_says_that_it_solved_it() -> None:
    advice = "Your engine is version 10. Please go back to 8, the package does not work with 10."
    assert outcome_comments(ticket("Any news?", advice), ("fix",)) == (1,)
    others = [f"We see it on device number {n}, too, every single day." for n in range(3)]
    assert outcome_comments(ticket(advice, *others), ("fix",)) == ()
