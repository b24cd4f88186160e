"""ReAct: decide before each step whether to look something up, then write. Three requests for most questions."""

from __future__ import annotations

from autokb.answering.strategies.passages import StrategyPassage
from autokb.answering.strategies.strategy import Ask, Retrieve, Said, WrittenReplies, drafting
from autokb.heuristics.replies.drafts import ReplyStyle
from autokb.tasks.answers.next_step.task import TASK as NEXT_STEP
from autokb.tasks.answers.next_step.task import Deciding, Search
from autokb.tasks.answers.write_replies.task import TASK as WRITE_REPLIES

MOST_SEARCHES = 2  # what they found is written from without another decision, so that there are three requests at most


def react(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Search with words of the model's own while it wants to, and write replies from the last passages found."""
    found: tuple[StrategyPassage, ...] = ()
    searches: list[Search] = []
    while len(searches) < MOST_SEARCHES:
        step = ask(NEXT_STEP, Deciding(said.messages, tuple(searches), house.domain, house.language))
        if step is None:
            return WrittenReplies(passages=found)
        if step.action == "small_talk":
            return WrittenReplies(small_talk=step.small_talk)
        if step.action == "refuse":
            return WrittenReplies(refuses=True)
        if step.action == "answer":
            break
        now = tuple(retrieve(step.words, passages))
        searches.append(Search(step.words, tuple(passage.given for passage in now)))
        found = now or found
    if not found:
        return WrittenReplies(refuses=True)
    drafted = ask(WRITE_REPLIES, drafting(said, found, house))
    return WrittenReplies(drafted.replies if drafted else (), found)
