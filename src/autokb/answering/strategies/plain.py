"""Plain: look up, then write. One request."""

from __future__ import annotations

from autokb.answering.strategies.strategy import Ask, Retrieve, Said, WrittenReplies, drafting
from autokb.heuristics.replies.drafts import ReplyStyle
from autokb.tasks.answers.write_replies.task import TASK as WRITE_REPLIES


def plain(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Write replies from the passages for the question."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return WrittenReplies(refuses=True)
    drafted = ask(WRITE_REPLIES, drafting(said, found, house))
    return WrittenReplies(drafted.replies if drafted else (), found)
