"""Questions that customers asked in past conversations, each with what an agent replied."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from autokb.core.domain import ENGLISH
from autokb.core.nouns import AGENT, Conversation, Message
from autokb.heuristics.conversations.read_turn import read_turn
from autokb.heuristics.conversations.small_talk import small_talk

MOST_BEFORE = 40  # turns that a question is read with: more than any question leans on, and a bound for endless chats


@dataclass(frozen=True, slots=True)
class ReplyPair:
    """A customer's question and the reply; the messages before ``position`` (from 0) are those before the reply."""

    question: str
    reply: str
    conversation: str
    position: int


def reply_pairs(conversation: Conversation, language: str = ENGLISH) -> Iterator[ReplyPair]:
    """Give what was asked and answered; messages that follow each other from one side are read as one.

    The question is what they ask with what was said before. An agent who asks back, or says nothing but small talk,
    has given no reply.
    """
    before: list[Message] = []
    position = 0
    for role, turn in groupby(conversation.messages, key=lambda message: message.role):
        messages = list(turn)
        text = "\n".join(m.text.strip() for m in messages if m.text.strip() and not small_talk(m.text, language))
        if role == AGENT and before and text and not text.endswith(("?", "？")):
            asked = read_turn(before[-MOST_BEFORE:], language)
            if asked.small_talk is None:
                yield ReplyPair(asked.text, text, conversation.id, position)
        before.append(Message(role, text or messages[-1].text))
        position += len(messages)
