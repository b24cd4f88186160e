"""Chain of thought as the response prediction paper means it: quote word for word, then answer from the quotes alone.

Two requests.
"""

from __future__ import annotations

from autokb.answering.strategies.strategy import Ask, Retrieve, Said, WrittenReplies
from autokb.heuristics.replies.drafts import DraftedReply, Drafting, GivenPassage, Quoted, ReplyStyle
from autokb.heuristics.replies.quotes import find_quote
from autokb.tasks.answers.answer_from_quotes.task import TASK as ANSWER_FROM_QUOTES
from autokb.tasks.answers.extract_quotes.task import TASK as EXTRACT_QUOTES
from autokb.tasks.answers.extract_quotes.task import Quoting


def chain_of_thought(said: Said, retrieve: Retrieve, ask: Ask, house: ReplyStyle, passages: int) -> WrittenReplies:
    """Take quotes from the passages, leave out those that no passage has, and write replies from the others."""
    found = tuple(retrieve(said.question, passages))
    if not found:
        return WrittenReplies(refuses=True)
    given = tuple(passage.given for passage in found)
    taken = ask(EXTRACT_QUOTES, Quoting(said.messages, given, house.domain, house.language))
    if taken is None:
        return WrittenReplies(passages=found)
    # The quotes of a passage stay together, the passages in the order in which a quote names them first.
    of_passage: dict[int, list[str]] = {}
    for quote in taken.quotes:
        if find_quote(given[quote.passage - 1].text, quote.quote):
            of_passage.setdefault(quote.passage, []).append(quote.quote)
    if not of_passage:
        wrong = tuple(DraftedReply(text=quote.quote, quotes=(quote,)) for quote in taken.quotes)
        return WrittenReplies(wrong, found)  # whose check says what is wrong with each
    numbers = list(of_passage)
    quotes = tuple(GivenPassage(given[n - 1].title, tuple(dict.fromkeys(of_passage[n]))) for n in numbers)
    drafted = ask(ANSWER_FROM_QUOTES, Drafting(said.messages, quotes, house, said.question))
    replies = drafted.replies if drafted else ()
    return WrittenReplies(tuple(_renumbered(reply, numbers) for reply in replies), found)


def _renumbered(reply: DraftedReply, numbers: list[int]) -> DraftedReply:
    quotes = tuple(Quoted(passage=numbers[q.passage - 1], quote=q.quote) for q in reply.quotes)
    return DraftedReply(text=reply.text, quotes=quotes)
