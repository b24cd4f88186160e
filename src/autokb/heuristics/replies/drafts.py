"""What a reply is drafted from, and what a draft is: a text and the quotes of passages that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
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
        """The parts as one text, in which quotes have their places."""
        return "\n".join(self.parts)

    def place_of(self, part: int) -> Span:
        """Return where a part, counted from 0, stands in the text."""
        start = sum(len(one) + 1 for one in self.parts[:part])
        return start, start + len(self.parts[part])


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
    """A place of a passage, which counts from 1: ``text[start:end]`` of it."""

    passage: int
    start: int
    end: int

    def words(self, passages: Sequence[GivenPassage]) -> str:
        """Return what stands there."""
        return passages[self.passage - 1].text[self.start : self.end]


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
    drafts: tuple[str, ...]
    points: tuple[str, ...]


class DraftedReplies(Reply):
    """Replies, the best first; none where the passages do not answer."""

    replies: tuple[DraftedReply, ...]


def check_numbers(quotes: tuple[Quoted, ...], passages: int) -> None:
    """Refuse quotes of passages that are not there (ReplyError)."""
    if strange := [one.passage for one in quotes if not 1 <= one.passage <= passages]:
        raise ReplyError(f"There is no passage {strange[0]}; there are {passages}.")


def quote_part(passages: Sequence[GivenPassage], passage: int, part: int) -> Quoted:
    """Return a whole part, counted from 0, of a passage, counted from 1."""
    start, end = passages[passage - 1].place_of(part)
    return Quoted(passage=passage, start=start, end=end)


def parts_of(passages: Sequence[GivenPassage]) -> list[Quoted]:
    """Return each part of the passages whole."""
    return [quote_part(passages, number, n) for number, one in enumerate(passages, 1) for n in range(len(one.parts))]


def draft_verbatim(drafting: Drafting) -> DraftedReplies:
    """Draft from each passage the part that is asked for, as much of it as a reply may have."""
    house, question = drafting.house, drafting.question
    said = said_before(drafting.conversation, house.language)
    found: list[DraftedReply] = []
    for number, passage in enumerate(drafting.passages, 1):
        condition = condition_of(passage.title, question, house.language)
        told, language = passage.parts, house.language
        part = excerpt(
            told, told, question, house.manners, language, condition=condition, said=said, title=passage.title
        )
        if part is not None:
            quotes = tuple(quote_part(drafting.passages, number, n) for n in part.steps)
            found.append(DraftedReply(text=part.text, quotes=quotes))
    return DraftedReplies(replies=tuple(found))


def first_sentences(text: str, rules: ReplyRules, language: str = ENGLISH) -> str:
    """Return as many of the first sentences as fit, nothing where the first does not."""
    spans = sentences(text, language=language)
    fitting = [text[spans[0][0] : end] for _, end in spans if rules.fits(text[spans[0][0] : end])]
    return fitting[-1] if fitting else ""
