"""The strategies of the response prediction paper: plain, chain of thought, chain of verification and ReAct.

Query rewriting, which it names as future work, is a ReAct of one search: the model's words are searched for once.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import chain

from autokb.answering.strategies.passages import StrategyPassage
from autokb.answering.strategies.strategy import Ask, Retrieve, Said, WrittenReplies, drafting
from autokb.heuristics.grouping import grouped
from autokb.heuristics.replies.drafts import (
    DraftedReplies,
    DraftedReply,
    Drafting,
    ReplyStyle,
    Verifying,
    parts_of,
)
from autokb.tasks.answers.answer_from_quotes.task import TASK as ANSWER_FROM_QUOTES
from autokb.tasks.answers.draft_and_doubt.task import TASK as DRAFT_AND_DOUBT
from autokb.tasks.answers.extract_quotes.task import TASK as EXTRACT_QUOTES
from autokb.tasks.answers.extract_quotes.task import Quoting
from autokb.tasks.answers.next_step.task import TASK as NEXT_STEP
from autokb.tasks.answers.next_step.task import Deciding, Search
from autokb.tasks.answers.verify_draft.task import TASK as VERIFY_DRAFT
from autokb.tasks.answers.write_replies.task import TASK as WRITE_REPLIES


def chain_of_thought(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Take quotes from the passages, and write replies from nothing but them."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return WrittenReplies(refuses=True)
    given = tuple(passage.given for passage in found)
    taken = ask(EXTRACT_QUOTES, Quoting(said.messages, given, house.domain, house.language))
    if taken is None or not taken.quotes:
        return WrittenReplies(passages=found, refuses=taken is not None)
    # The quotes of a passage stay together, the passages in the order in which a quote names them first.
    of_passage = grouped((quote.passage, quote) for quote in taken.quotes)
    shown = tuple(
        replace(given[n - 1], parts=tuple(quote.words(given) for quote in quotes)) for n, quotes in of_passage.items()
    )
    place = dict(zip(parts_of(shown), chain.from_iterable(of_passage.values()), strict=True))
    written = _written(ask(ANSWER_FROM_QUOTES, Drafting(said.messages, shown, house, said.question)), found)
    # The quotes of a reply are those of the passages that were found, not of those that a model was shown.
    replies = (DraftedReply(text=r.text, quotes=tuple(place[quote] for quote in r.quotes)) for r in written.replies)
    return replace(written, replies=tuple(replies))


def _written(drafted: DraftedReplies | None, found: tuple[StrategyPassage, ...]) -> WrittenReplies:
    """Return what a model wrote from passages: where it read them and wrote nothing, they do not answer."""
    replies = drafted.replies if drafted is not None else ()
    return WrittenReplies(replies, found, refuses=drafted is not None and not replies)


def chain_of_verification(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Draft with points to check, and write again what the passages bear out."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return WrittenReplies(refuses=True)
    about = drafting(said, found, house)
    draft = ask(DRAFT_AND_DOUBT, about)
    if draft is None or not draft.replies:
        return _written(draft, found)
    drafts = tuple(reply.text for reply in draft.replies)
    about_points = Verifying(about.conversation, about.passages, house, drafts, draft.points or drafts)
    verified = ask(VERIFY_DRAFT, about_points)
    return _written(verified, found)


def plain(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Write replies from the passages for the question."""
    return _replies(said, tuple(retrieve(said.question, passages)), ask, house)


def _replies(said: Said, found: tuple[StrategyPassage, ...], ask: Ask, house: ReplyStyle) -> WrittenReplies:
    if not found:
        return WrittenReplies(refuses=True)
    return _written(ask(WRITE_REPLIES, drafting(said, found, house)), found)


MOST_SEARCHES = 2  # what they found is written from without another decision, so that there are three requests at most


def react(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Search with words of the model's own while it wants to, and write replies from the last passages found."""
    return _searching(said, retrieve, ask, house, passages, MOST_SEARCHES)


def query_rewriting(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Search once with the conversation's problem in the model's words, and write replies from what is found."""
    return _searching(said, retrieve, ask, house, passages, 1)


def _searching(
    said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int, most_searches: int
) -> WrittenReplies:
    found: tuple[StrategyPassage, ...] = ()
    searches: list[Search] = []
    while len(searches) < most_searches:
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
    return _replies(said, found, ask, house)
