"""The task that makes questions with short replies of a manual's section (phase I of the response prediction paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.reply_rules import MOST_WORDS as USUAL_WORDS
from autokb.core.reply_rules import ReplyRules, count_words
from autokb.heuristics.question_answer_pairs import Pair, find_pair
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import LeftOut, Read, Reply, ReplyError, Task
from autokb.tasks.wire import Wire

MOST_PAIRS = 4  # of a section; the paper has 4,785 of 1,205 articles


@dataclass(frozen=True, slots=True)
class AskForPairs:
    """A section of a document: the headings that lead to it, the title first, and its Markdown.

    A reply has fewer than ``max_words`` words.
    """

    headings: tuple[str, ...]
    text: str
    max_words: int = USUAL_WORDS
    language: str = only_if_other_than(ENGLISH)


class QuestionAnswerPairs(Reply):
    """The pairs of a section, none where it answers nothing; ``left_out`` are those that a check refused."""

    pairs: tuple[Pair, ...]
    left_out: tuple[LeftOut, ...] = ()


class WirePair(Wire):
    """One pair of an entry."""

    quote: str = Field(min_length=1, max_length=800)
    question: str = Field(min_length=1, max_length=300)
    reply: str = Field(min_length=1, max_length=500)


class QuestionAnswerPairsTask(Task[AskForPairs, QuestionAnswerPairs]):
    """What do customers ask that this section answers, and what is the reply?"""

    input = AskForPairs
    output = QuestionAnswerPairs
    entry_tokens = (1_300, 350)
    text_characters = 8_000  # of a section that a model reads

    def offline(self, item: AskForPairs) -> QuestionAnswerPairs:
        """Ask with the heading and reply with the first sentences: words of the manual, not of a customer."""
        found = find_pair(item.headings, item.text, ReplyRules(item.max_words), item.language)
        return QuestionAnswerPairs(pairs=() if found is None else (found,))

    def check(self, item: AskForPairs, reply: QuestionAnswerPairs) -> None:
        """Refuse too many pairs, and any that ``wrong_with`` finds fault with."""
        if len(reply.pairs) > MOST_PAIRS:
            raise ReplyError(f"Give {MOST_PAIRS} pairs at most, not {len(reply.pairs)}.")
        before: set[str] = set()
        for pair in reply.pairs:
            if fault := wrong_with(item, pair, before):
                raise ReplyError(fault)
            before.add(pair.question.casefold())

    def values(self, items: Sequence[AskForPairs]) -> Mapping[str, Any]:
        """Return the section, cut where it is long."""
        (item,) = items
        text = item.text[: self.text_characters]
        return {"headings": item.headings, "text": text, "most": MOST_PAIRS, "max_words": item.max_words}

    def entry(self, items: Sequence[AskForPairs]) -> Mapping[str, Any]:
        """Return the field of the one entry: the pairs."""
        return {"pairs": Annotated[list[WirePair], Field(max_length=MOST_PAIRS)]}

    def read(self, item: AskForPairs, entry: Any) -> Read[QuestionAnswerPairs]:
        """Read the pairs; one that is wrong is left out, and a reply in which all are is an error."""
        kept: list[Pair] = []
        left_out: list[LeftOut] = []
        for wired in entry.pairs:
            texts = {name: unescaped(getattr(wired, name)).strip() for name in ("question", "reply", "quote")}
            pair = Pair(**texts)
            if fault := wrong_with(item, pair, {p.question.casefold() for p in kept}):
                left_out.append(LeftOut(part=pair.question, reason=fault))
            else:
                kept.append(pair)
        if left_out and not kept:
            raise ReplyError(left_out[0].reason)
        return Read(
            QuestionAnswerPairs(pairs=tuple(kept), left_out=tuple(left_out)),
            complaints=tuple(part.reason for part in left_out),
        )


def wrong_with(item: AskForPairs, pair: Pair, before: set[str]) -> str:
    """Return what is wrong with a pair: empty, asked before, too long, or without a verbatim quote; else nothing."""
    if not pair.question.strip() or not pair.reply.strip():
        return "A question or a reply is empty; write both."
    if pair.question.casefold() in before:
        return f"{pair.question!r} is asked twice; ask something else."
    if (words := count_words(pair.reply)) >= item.max_words:
        return f"The reply to {pair.question!r} has {words} words; write fewer than {item.max_words}."
    quote = " ".join(pair.quote.split())
    if not quote or quote not in " ".join(item.text.split()):
        return f"The quote for {pair.question!r} must stand in the section word for word."
    return ""


TASK = QuestionAnswerPairsTask()
