"""Suggestions for a live conversation: its last message is read with what was said before, and answered shortly."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from autokb.answering.answer import Answer
from autokb.answering.suggest import Suggested, Suggestion, suggestions_from
from autokb.app.ask import QUESTION_CHARACTERS, OpenIndex
from autokb.app.ask_tickets import TicketAsking
from autokb.app.suggest_from_tickets import suggest_from_tickets
from autokb.core.attributes import Values
from autokb.core.conversations import AGENT, CUSTOMER, Message
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.reply_rules import ReplyRules, read_reply_rules
from autokb.core.storable import without_surrogates
from autokb.heuristics.attributes.extract import stated_attributes
from autokb.heuristics.conversations.read_turn import Turn, read_turn
from autokb.heuristics.conversations.small_talk import small_talk_reply
from autokb.sources.chats import read_conversation_file

LOOKED_THROUGH = 8  # matches and documents of the answer that three different suggestions are chosen from
MOST_MESSAGES = 200  # the last ones are read
NO_TICKET = "No past ticket is about this, and no knowledge base is built."
REFUSAL = "I can help with {name}. What is the matter with yours?"


def suggest(opened: OpenIndex | None, messages: Sequence[Message], tickets: TicketAsking | None = None) -> Suggested:
    """Return what an agent could send next (BadInputError where the last message is not the customer's).

    Where the knowledge base has fewer than three helps, past ``tickets`` may have more; one of the two must be there.
    """
    started = time.perf_counter()
    if not messages or messages[-1].role != CUSTOMER or not messages[-1].text.strip():
        raise BadInputError("The last message must be the customer's; give it as TEXT, or at the end of --chat FILE.")
    spec = opened.index.spec if opened is not None else _spec_of(tickets)
    cleaned = [replace(m, text=without_surrogates(m.text[:QUESTION_CHARACTERS])) for m in messages[-MOST_MESSAGES:]]
    turn = read_turn(cleaned, spec.language)
    if turn.small_talk is not None:
        reply = Suggestion(small_talk_reply(turn.small_talk, spec.language), "small_talk")
        return Suggested("answered", (reply,), turn.text, seconds=round(time.perf_counter() - started, 6))
    rules = read_reply_rules(spec.reply)
    stated = attributes_of(turn, spec)
    if opened is None:
        answer = Answer(turn.text, {}, "abstains", None, (), (), (), NO_TICKET)
    else:
        answer = opened.ask(turn.text, stated, LOOKED_THROUGH)
        if answer.outcome == "abstains" and len(turn.customer) > 1:  # what was said last may only be chat
            answer = opened.ask("\n".join(turn.customer[:-1]), stated, LOOKED_THROUGH)
    tried = turn.tried if turn.unsolved else ()
    asked = [m.text for m in cleaned if m.role == AGENT and m.text.rstrip().endswith("?")]
    others = suggest_from_tickets(tickets, turn.text, rules, spec.language) if tickets else ()
    found = suggestions_from(answer, rules, refusal_of(rules, spec), tried, spec.language, asked, others)
    sources = {one.source for one in found}
    outcome = answer.outcome
    if (outcome == "asks" and "question" not in sources and found) or (outcome == "abstains" and "ticket" in sources):
        outcome = "answered"
    return Suggested(
        outcome,
        found,
        turn.text,
        answer.reason if outcome == answer.outcome else None,
        answer.confidence,
        round(time.perf_counter() - started, 6),
    )


def _spec_of(tickets: TicketAsking | None) -> DomainSpec:
    assert tickets is not None, "a knowledge base or tickets"
    return tickets.opened.workspace.spec


def join_messages(given: Sequence[Message] | str, chat: Path | None) -> list[Message]:
    """Return the messages of a file, where there is one, with those given behind them; a text is the customer's."""
    before = [] if chat is None else read_conversation_file(chat).messages
    last = ([Message(CUSTOMER, given)] if given.strip() else []) if isinstance(given, str) else given
    return [*before, *last]


def attributes_of(turn: Turn, spec: DomainSpec) -> Mapping[str, Values]:
    """Return what the customer's messages state of attributes where there are several; a later one takes back."""
    if len(turn.customer) < 2:
        return {}
    stated: dict[str, Values] = {}
    for message in turn.customer:
        stated |= stated_attributes(message, spec.attributes, spec.language)
    return stated


def refusal_of(rules: ReplyRules, spec: DomainSpec) -> str:
    """Return what to say outside of what is known, in the domain's words."""
    return rules.refusal or REFUSAL.format(name=spec.name)
