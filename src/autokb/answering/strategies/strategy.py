"""What every strategy is given and gives back: one signature, so that one can stand for another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from autokb.answering.strategies.passages import StrategyPassage
from autokb.core.nouns import Message
from autokb.heuristics.replies.drafts import DraftedReply, Drafting, ReplyStyle
from autokb.tasks.task import In, Out, Task

Retrieve = Callable[[str, int], Sequence[StrategyPassage]]  # at most so many passages for a question, best first


class Ask(Protocol):
    """Puts one item to a task, whoever answers it; None where there is no answer that could be read."""

    def __call__(self, task: Task[In, Out], item: In, /) -> Out | None:
        """Return the answer."""


@dataclass(frozen=True, slots=True)
class Said:
    """A conversation, its last message the customer's, and the question that it asks as it is searched for."""

    messages: tuple[Message, ...]
    question: str


@dataclass(frozen=True, slots=True)
class WrittenReplies:
    """Replies and the passages that their quotes count, from 1.

    ``refuses``: nothing that is known helps. ``small_talk`` is its kind where there is nothing to help with.
    """

    replies: tuple[DraftedReply, ...] = ()
    passages: tuple[StrategyPassage, ...] = ()
    refuses: bool = False
    small_talk: str | None = None


Strategy = Callable[[Said, Retrieve, Ask, ReplyStyle, int], WrittenReplies]


def drafting(said: Said, passages: Sequence[StrategyPassage], house: ReplyStyle) -> Drafting:
    """Return what a reply is drafted from."""
    return Drafting(said.messages, tuple(passage.given for passage in passages), house, said.question)
