"""What to do next towards a reply: look something up, answer, or say that there is nothing to answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autokb.core.conversations import Message
from autokb.core.domain import ENGLISH
from autokb.core.keys import only_if_other_than
from autokb.core.reply import Reply
from autokb.heuristics.conversations.read_turn import read_turn
from autokb.heuristics.replies.drafts import GivenPassage

Action = Literal["search", "answer", "small_talk", "refuse"]
SmallTalk = Literal["greeting", "thanks", "goodbye", "acknowledgement"]


@dataclass(frozen=True, slots=True)
class Searched:
    """Words that were looked up, and what was found."""

    words: str
    passages: tuple[GivenPassage, ...]


@dataclass(frozen=True, slots=True)
class Deciding:
    """A conversation with a team that supports a ``domain``, and what was looked up for it so far."""

    conversation: tuple[Message, ...]
    searches: tuple[Searched, ...]
    domain: str
    language: str = only_if_other_than(ENGLISH)


class NextStep(Reply):
    """What to do next; ``words`` are those to search with, ``small_talk`` is the kind of a message about nothing."""

    action: Action
    words: str = ""
    small_talk: SmallTalk | None = None


def decide(deciding: Deciding) -> NextStep:
    """Decide by rules: small talk is none to search for, else search once and answer from what was found."""
    turn = read_turn(deciding.conversation, deciding.language)
    if turn.small_talk is not None:
        return NextStep.model_validate({"action": "small_talk", "small_talk": turn.small_talk})
    if not deciding.searches:
        return NextStep(action="search", words=turn.text)
    return NextStep(action="answer" if any(s.passages for s in deciding.searches) else "refuse")
