"""Plain: look up, then write. One request."""

from __future__ import annotations

from autokb.answering.strategies.strategy import Ask, Retrieve, Said, Written, drafting
from autokb.heuristics.replies.drafts import ReplyStyle
from autokb.tasks.answers.write_replies.task import TASK as WRITE_REPLIES


def plain(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> Written:
    """Write replies from the passages for the question."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return Written(refuses=True)
    drafted = ask(WRITE_REPLIES, drafting(said, found, house))
    return Written(drafted.replies if drafted else (), found)
