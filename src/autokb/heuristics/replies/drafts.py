"""What a reply is drafted from, and what a draft is: a text and the quotes of passages that it rests on."""

from __future__ import annotations

import re
from dataclasses import dataclass

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than, outside_key
from autokb.core.nouns import Message, Span
from autokb.core.reply import Reply, ReplyError
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.read_turn import said_before
from autokb.heuristics.conversations.reply_excerpt import condition_of, excerpt
from autokb.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """A passage as it is shown: the steps of a solution or the paragraphs of a section, in Markdown.

    What ``is_published`` may be read by any customer; a past ticket is not.
    """

    title: str
    parts: tuple[str, ...]
    is_published: bool = outside_key(True)

    @property
    def text(self) -> str:
        """The parts as one text, which quotes are taken from."""
        return "\n".join(self.parts)


@dataclass(frozen=True, slots=True)
class ReplyStyle:
    """How a team replies: what it supports, its manners, and the rules of its domain in words."""

    domain: str
    manners: ReplyRules
    rules: tuple[str, ...] = ()
    language: str = only_if_other_than(ENGLISH)


@dataclass(frozen=True, slots=True)
class Drafting:
    """A conversation that is to be replied to, and the passages for what it asks (``question``), best first."""

    conversation: tuple[Message, ...]
    passages: tuple[GivenPassage, ...]
    house: ReplyStyle
    question: str = outside_key("")


class Quoted(Reply):
    """Words that a passage is said to have; passages count from 1."""

    passage: int
    quote: str


class DraftedReply(Reply):
    """A text for the customer and the quotes that bear it out."""

    text: str
    quotes: tuple[Quoted, ...]


@dataclass(frozen=True, slots=True)
class Verifying:
    """Drafts for a conversation, the passages that they must be borne out by, and the points to check."""

    conversation: tuple[Message, ...]
    passages: tuple[GivenPassage, ...]
    house: ReplyStyle
    drafts: tuple[DraftedReply, ...]
    points: tuple[str, ...]


class DraftedReplies(Reply):
    """Replies, the best first; none where the passages do not answer."""

    replies: tuple[DraftedReply, ...]


def check_numbers(quotes: tuple[Quoted, ...], passages: int) -> None:
    """Refuse quotes of passages that are not there (ReplyError)."""
    if strange := [one.passage for one in quotes if not 1 <= one.passage <= passages]:
        raise ReplyError(f"There is no passage {strange[0]}; there are {passages}.")


def find_quote(text: str, quote: str) -> Span | None:
    """Return where a quote stands, None where it does not, and for one that has no letter or digit."""
    words = quote.split()
    if not any(c.isalnum() for c in quote):
        return None
    found = re.search(r"\s+".join(map(re.escape, words)), text)
    return None if found is None else found.span()


def draft_verbatim(drafting: Drafting) -> DraftedReplies:
    """Draft from each passage the part that is asked for, as much of it as a reply may have."""
    house, question = drafting.house, drafting.question
    said = said_before(drafting.conversation, house.language)
    found: list[DraftedReply] = []
    for number, passage in enumerate(drafting.passages, 1):
        condition = condition_of(passage.title, question, house.language)
        part = excerpt(
            passage.parts,
            passage.parts,
            question,
            house.manners,
            house.language,
            condition=condition,
            said=said,
            title=passage.title,
        )
        if part is not None:
            quotes = tuple(Quoted(passage=number, quote=passage.parts[n]) for n in part.steps)
            found.append(DraftedReply(text=part.text, quotes=quotes))
    return DraftedReplies(replies=tuple(found))


def first_sentences(text: str, rules: ReplyRules, language: str = ENGLISH) -> str:
    """Return as many of the first sentences as fit, nothing where the first does not."""
    spans = sentences(text, language=language)
    fitting = [text[spans[0][0] : end] for _, end in spans if rules.fits(text[spans[0][0] : end])]
    return fitting[-1] if fitting else ""
