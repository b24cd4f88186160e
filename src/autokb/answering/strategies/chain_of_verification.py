"""Chain of verification: draft replies and name what to check in them, then check that and write the final ones.

Two requests.
"""

from __future__ import annotations

from autokb.answering.strategies.strategy import Ask, Retrieve, Said, WrittenReplies, drafting
from autokb.heuristics.replies.drafts import ReplyStyle, Verifying
from autokb.tasks.answers.draft_and_doubt.task import TASK as DRAFT_AND_DOUBT
from autokb.tasks.answers.verify_draft.task import TASK as VERIFY_DRAFT


def chain_of_verification(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Draft with points to check, and write again what the passages bear out."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return WrittenReplies(refuses=True)
    about = drafting(said, found, house)
    draft = ask(DRAFT_AND_DOUBT, about)
    if draft is None or not draft.replies:
        return WrittenReplies(passages=found)
    points = draft.points or tuple(reply.text for reply in draft.replies)
    verified = ask(VERIFY_DRAFT, Verifying(about.conversation, about.passages, house, draft.replies, points))
    return WrittenReplies(verified.replies if verified else (), found)
