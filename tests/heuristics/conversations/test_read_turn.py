from __future__ import annotations

from autokb.core.conversations import Message, Role
from autokb.heuristics.conversations.read_turn import leans_on_before, read_turn

PROBLEM = "The left earbud of my Lumo Buds crackles when I take calls."


def said(*texts: str) -> list[Message]:
    """Return messages in turn, the customer's last."""
    roles: tuple[Role, Role] = ("customer", "agent")
    first = 0 if len(texts) % 2 else 1
    return [Message(roles[(n + first) % 2], text) for n, text in enumerate(texts)]


def test_a_message_that_says_all_is_read_alone() -> None:
    turn = read_turn(said(PROBLEM, "Clean the mesh.", "Now the charging case shows a red light and will not charge."))
    assert turn.customer == ("Now the charging case shows a red light and will not charge.",)
    assert (turn.unsolved, turn.small_talk) == (False, None)


def test_what_did_not_help_is_about_the_problem_before_and_knows_what_was_tried() -> None:
    turn = read_turn(said(PROBLEM, "Clean the mesh.", "it still does not work"))
    assert turn.customer == (PROBLEM, "it still does not work")
    assert turn.text == f"{PROBLEM}\nit still does not work"
    assert (turn.unsolved, turn.tried) == (True, ("Clean the mesh.",))


def test_an_answer_to_the_agent_is_read_with_the_problem() -> None:
    turn = read_turn(said(PROBLEM, "Which phone do you use?", "no, the tablet"))
    assert turn.customer == (PROBLEM, "no, the tablet")


def test_messages_between_that_lean_on_it_too_are_read_with_it() -> None:
    turn = read_turn(said(PROBLEM, "In which room?", "all of them", "And outdoors?", "there as well"))
    assert turn.customer == (PROBLEM, "all of them", "there as well")


def test_small_talk_between_is_left_out() -> None:
    turn = read_turn(said(PROBLEM, "One moment.", "ok thanks", "Clean the mesh.", "how do I do that?"))
    assert turn.customer == (PROBLEM, "how do I do that?")


def test_small_talk_asks_nothing() -> None:
    assert read_turn(said(PROBLEM, "Clean the mesh.", "thank you!")).small_talk == "thanks"


def test_the_first_message_of_a_conversation_is_read_alone_however_short() -> None:
    assert read_turn(said("no sound")).text == "no sound"
    assert read_turn([Message("agent", "How can I help?"), Message("customer", "no sound")]).text == "no sound"


def test_a_correction_leans_on_what_it_corrects() -> None:
    assert leans_on_before("Sorry, I meant the right one, the one with the small scratch on its outer shell")
    assert not leans_on_before("The right earbud has a scratch on its shell and hums during phone calls")
