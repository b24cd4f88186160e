"""What agents replied to which question: small talk and questions back are no replies."""

from __future__ import annotations

import pytest

from autokb.core.nouns import Conversation, Message
from autokb.heuristics.conversations.reply_pairs import ReplyPair, reply_pairs

BUD = "The left earbud is silent since yesterday evening."
CLEAN = "Clean the mesh with a dry brush, please."


def pairs(*lines: str, language: str = "en") -> list[tuple[str, str, int]]:
    """Return question, reply and position of a conversation: ``>`` before what the agent wrote."""
    messages = tuple(Message("agent", t[1:].strip()) if t[0] == ">" else Message("customer", t) for t in lines)
    found = list(reply_pairs(Conversation("c1", messages), language))
    assert {pair.conversation for pair in found} <= {"c1"}
    return [(pair.question, pair.reply, pair.position) for pair in found]


def test_a_question_and_its_reply() -> None:
    conversation = Conversation("7", (Message("customer", BUD), Message("agent", CLEAN)))
    assert list(reply_pairs(conversation)) == [ReplyPair(BUD, CLEAN, "7", 1)]


def test_messages_in_a_row_are_one_without_their_greetings() -> None:
    found = pairs("Hi", BUD, "I dropped both in the bathroom sink.", "> Hello!", f"> {CLEAN}", "> Then charge both.")
    assert found == [(f"{BUD}\nI dropped both in the bathroom sink.", f"{CLEAN}\nThen charge both.", 3)]


@pytest.mark.parametrize("reply", ["> Hello!", "> Which phone do you use?", "> Thank you!"])
def test_small_talk_and_questions_back_are_no_replies(reply: str) -> None:
    assert pairs(BUD, reply) == []
    assert pairs(BUD, f"> {CLEAN}", "> Is it better now?") == []


def test_what_the_customer_says_of_nothing_is_no_question() -> None:
    assert pairs("Hello!", f"> {CLEAN}") == []
    assert pairs(BUD, f"> {CLEAN}", "Thanks, that worked!", "> Write to us whenever something else breaks.") == [
        (BUD, CLEAN, 1)
    ]


def test_an_answer_to_the_agents_question_is_read_with_the_problem() -> None:
    found = pairs("My earbuds do not pair with my phone.", "> Which phone do you use?", "an iPhone", f"> {CLEAN}")
    assert found == [("My earbuds do not pair with my phone.\nan iPhone", CLEAN, 3)]


def test_a_second_reply_belongs_to_what_did_not_help() -> None:
    second = "Reset both: hold the button for ten seconds."
    found = pairs(BUD, f"> {CLEAN}", "It still does not work.", f"> {second}")
    assert found == [(BUD, CLEAN, 1), (f"{BUD}\nIt still does not work.", second, 3)]


def test_what_an_agent_opens_with_answers_nobody() -> None:
    assert pairs(f"> {CLEAN}", BUD) == []


def test_german_small_talk_is_known() -> None:
    question, reply = "Der linke Hörer bleibt stumm seit gestern Abend.", "Reinigen Sie das Gitter mit einer Bürste."
    assert pairs("Hallo", question, "> Guten Tag!", f"> {reply}", language="de") == [(question, reply, 2)]
