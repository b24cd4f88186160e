from __future__ import annotations

import pytest

from autokb.core.nouns import Message, Role
from autokb.heuristics.conversations.read_turn import SAID_CHARACTERS, leans_on_before, read_turn, said_before
from autokb.retrieval.index import EMBEDDED_CHARACTERS
from autokb.text.words import content_words

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


def test_of_two_problems_in_one_message_the_one_that_no_advice_was_about_is_left() -> None:
    both = "1) the app does not find my earbuds 2) the case rattles when I shake it"
    turn = read_turn(said(both, "Allow the app to see nearby earbuds.", "It's fixed, thanks! And my other point?"))
    assert turn.text == "the case rattles when I shake it\nIt's fixed, thanks! And my other point?"
    assert turn.customer[0] == both  # what it states of attributes still counts
    assert not turn.also


def test_one_problem_stays_whole_whatever_advice_shares_with_it() -> None:
    turn = read_turn(said("Where do I see the battery level?", "In the app, under battery.", "thanks, and on a Mac?"))
    assert turn.text == "Where do I see the battery level?\nand on a Mac?"


def test_what_says_nothing_of_the_problem_is_not_searched_for() -> None:
    turn = read_turn(said(PROBLEM, "Clean the mesh.", "well doing that now", "Good.", "still the same"))
    assert turn.text == f"{PROBLEM}\nstill the same"


def test_a_bare_answer_to_how_old_somebody_is_reads_as_an_age() -> None:
    turn = read_turn(said("What helps against fever?", "How old is the person?", "seven months"))
    assert turn.customer == ("What helps against fever?", "aged seven months")
    assert turn.text == "What helps against fever?\nseven months"


def test_few_words_alone_do_not_lean_on_what_was_said() -> None:
    assert not leans_on_before("how do birds sleep")
    assert not leans_on_before("is there a good film on")
    assert not leans_on_before("what is the weather like", is_answer=False)
    turn = read_turn(said(PROBLEM, "Which phone do you use?", "who won the match yesterday?"))
    assert (turn.text, turn.depends_on_context) == ("who won the match yesterday?", False)


def test_a_message_is_read_by_itself_and_as_the_end_of_all_that_was_said_too() -> None:
    assert not read_turn(said(PROBLEM)).also
    turn = read_turn(said(PROBLEM, "Clean the mesh with a brush.", "it still does not work"))
    whole = f"{PROBLEM}\nClean the mesh with a brush.\nit still does not work"
    assert turn.also == ("it still does not work", whole)
    long = "My sister, who borrowed them for her long train journey to Vienna, says that they crackle on her laptop too"
    turn = read_turn(said(PROBLEM, "Clean the mesh.", long))
    assert (turn.text, turn.depends_on_context) == (long, False)
    assert turn.also == (long, f"{PROBLEM}\nClean the mesh.\n{long}")


def test_of_a_long_conversation_the_messages_right_before_the_last_one_are_read_with_it() -> None:
    assert SAID_CHARACTERS == EMBEDDED_CHARACTERS  # more would push the end out of what is embedded
    told = [f"{n} {'It crackles on the train. ' * 6}".strip() for n in range(9)]
    turn = read_turn(said(*told))
    assert turn.also == (told[-1], "\n".join(told[-3:]))
    assert len(turn.also[1]) <= SAID_CHARACTERS < len("\n".join(told[-4:]))
    long = "It crackles. " * 100
    assert read_turn(said("Hello", "How can I help?", long)).also[1].startswith("It crackles.")


def test_what_tells_which_steps_are_done_leaves_out_what_the_customer_asks() -> None:
    messages = said("I brushed the mesh. Should I descale it?", "Did you press the button?", "I did.")
    assert said_before(messages).words == content_words("brushed mesh press button")


def test_who_says_to_ask_something_new_is_read_by_what_follows() -> None:
    new = "yes, great. One more thing, the lid of the charging case sticks"
    turn = read_turn(said(PROBLEM, "Is it better now?", new))
    assert turn.text == "the lid of the charging case sticks"
    assert (turn.customer, turn.also) == ((turn.text,), ())
    turn = read_turn(said(PROBLEM, "Clean it.", "how do I pair a second phone btw? I got it today"))
    assert turn.text == "how do I pair a second phone ? I got it today"
    turn = read_turn(said(PROBLEM, "Anything else I can do?", "could you write me a poem about that"))
    assert (turn.text, turn.also) == ("could you write me a poem about that", ())
    assert read_turn(said(PROBLEM, "Anything else I can do?", "and on the laptop?")).text.startswith(PROBLEM)


def test_what_was_said_before_counts_for_attributes_of_a_long_answer_too() -> None:
    answer = "nothing new there, the paper filter, the water tank, the tray and the pump were all changed in spring"
    turn = read_turn(said("My Duo leaks", "Was anything changed?", answer))
    assert turn.text == answer
    assert turn.customer == ("My Duo leaks", answer)


def test_another_part_that_was_tried_is_nothing_new() -> None:
    for tried in ("I used another one, the case still does not charge", "got a new one, same crackle with music"):
        turn = read_turn(said(PROBLEM, "Try another cable.", tried))
        assert turn.text == f"{PROBLEM}\n{tried}"
        assert turn.depends_on_context


@pytest.mark.parametrize(
    ("last", "asked"),
    [
        ("Thanks! Also, I need to restore a backup.", "I need to restore a backup."),
        ("That helped. Now my invoices: where do I get one?", "Now my invoices: where do I get one?"),
    ],
)
def test_behind_thanks_a_new_subject_is_read_alone(last: str, asked: str) -> None:
    turn = read_turn(said("How do I reset my password?", "Press Forgot password.", last))
    assert (turn.text, turn.also, turn.begins_anew) == (asked, (), True)


@pytest.mark.parametrize(
    "last", ["Thanks! And on Android?", "That worked. But the password is refused again by the page."]
)
def test_behind_thanks_the_same_subject_goes_on(last: str) -> None:
    turn = read_turn(said("How do I reset my password?", "Press Forgot password.", last))
    assert not turn.begins_anew and turn.text != last


def test_a_wish_is_read_alone_whatever_was_spoken_of() -> None:
    turn = read_turn(said("My earbud is silent", "Close the lid.", "Didn't help. I want my money back."))
    assert (turn.wish, turn.text, turn.also) == ("refund", "Didn't help. I want my money back.", ())


def test_before_any_advice_only_what_the_customer_did_counts() -> None:
    told = said_before(said("My lid is open all night. I already cleaned the mesh."))
    assert told.reports and told.words == content_words("already cleaned the mesh")
