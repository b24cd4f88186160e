"""What a reply is drafted from, and what a draft is: a text and the quotes of passages that it rests on."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.conversations import Message
from autokb.core.domain import ENGLISH
from autokb.core.keys import only_if_other_than, outside_key
from autokb.core.reply import Reply, ReplyError
from autokb.core.reply_rules import ReplyRules


@dataclass(frozen=True, slots=True)
class GivenPassage:
    """A passage as it is shown: the steps of a solution or the paragraphs of a section, in Markdown."""

    title: str
    parts: tuple[str, ...]

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
