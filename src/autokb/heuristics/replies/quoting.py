"""Quotes of passages that bear on what a customer asks, taken without a model: their sentences as they stand."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.conversations import Message
from autokb.core.domain import ENGLISH
from autokb.core.keys import only_if_other_than
from autokb.core.reply import Reply
from autokb.heuristics.replies.drafts import GivenPassage, Quoted
from autokb.text.sentences import sentences

MOST_QUOTES = 4  # of a passage: more have no place in one short reply


@dataclass(frozen=True, slots=True)
class Quoting:
    """A conversation with a team that supports a ``domain``, and the passages for what it asks, best first."""

    conversation: tuple[Message, ...]
    passages: tuple[GivenPassage, ...]
    domain: str
    language: str = only_if_other_than(ENGLISH)


class Quotes(Reply):
    """Quotes in the order in which they help; none where no passage helps."""

    quotes: tuple[Quoted, ...]


def quote_sentences(quoting: Quoting) -> Quotes:
    """Quote the first sentences of each passage, which its steps begin with."""
    found: list[Quoted] = []
    for number, passage in enumerate(quoting.passages, 1):
        own = [part[start:end] for part in passage.parts for start, end in sentences(part, language=quoting.language)]
        worded = [words for words in own if any(c.isalnum() for c in words)]
        found += [Quoted(passage=number, quote=words) for words in worded[:MOST_QUOTES]]
    return Quotes(quotes=tuple(found))
