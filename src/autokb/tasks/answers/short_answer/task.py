"""The task that answers an open question in a few words of passages (appendix B of the response prediction paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.reply_rules import count_words
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task

__all__ = ["NO_ANSWER", "TASK", "AnswerShortly", "ShortAnswer"]

MOST_WORDS = 9  # "less than ten words" in the response prediction paper
NO_ANSWER = "NOANSWERFOUND"  # the paper's word, which a model writes and the data of such studies has


@dataclass(frozen=True, slots=True)
class AnswerShortly:
    """A question and the passages that may answer it."""

    question: str
    passages: tuple[str, ...]
    language: str = only_if_other_than(ENGLISH)


class ShortAnswer(Reply):
    """Fewer than ten words, and what bears them out: words of the passage with this number (from 1), verbatim.

    Where the passages do not answer the question all is empty, and the number 0.
    """

    answer: str
    passage: int
    quote: str


NOTHING_FOUND = ShortAnswer(answer="", passage=0, quote="")


class ShortAnswerTask(Task[AnswerShortly, ShortAnswer]):
    """Which few words of the passages answer this question?"""

    input = AnswerShortly
    output = ShortAnswer
    masks = True
    entry_tokens = (320, 80)
    passage_characters = 6_000  # that a model reads of each
    answer_characters, quote_characters = 200, 600

    def check(self, item: AnswerShortly, reply: ShortAnswer) -> None:
        """Refuse a long answer, one without a quote, and a quote that does not stand in its passage."""
        if not reply.answer:
            if reply != NOTHING_FOUND:
                raise ReplyError(f"Where there is no answer write {NO_ANSWER}, the passage 0 and no quote.")
            return
        if count_words(reply.answer) > MOST_WORDS:
            raise ReplyError(f"The answer has {count_words(reply.answer)} words; write {MOST_WORDS} at most.")
        if not 1 <= reply.passage <= len(item.passages):
            raise ReplyError(f"There is no passage {reply.passage}; name one from 1 to {len(item.passages)}.")
        quote = " ".join(reply.quote.split())
        if not quote or quote not in " ".join(item.passages[reply.passage - 1].split()):
            raise ReplyError(f"The quote must stand in passage {reply.passage} word for word.")

    def values(self, items: Sequence[AnswerShortly]) -> Mapping[str, Any]:
        """Return the question and the passages, long ones cut."""
        (item,) = items
        return {
            "question": item.question,
            "passages": [passage[: self.passage_characters] for passage in item.passages],
            "most": MOST_WORDS,
            "nothing": NO_ANSWER,
        }

    def published(self, items: Sequence[AnswerShortly]) -> Sequence[str]:
        """Return the passages."""
        return items[0].passages

    def entry(self, items: Sequence[AnswerShortly]) -> Mapping[str, Any]:
        """Return the fields of the entry: where the answer stands, and then the answer."""
        return {
            "passage": Annotated[int, Field(ge=0, le=len(items[0].passages))],
            "quote": Annotated[str, Field(max_length=self.quote_characters)],
            "answer": Annotated[str, Field(min_length=1, max_length=self.answer_characters)],
        }

    def read(self, item: AnswerShortly, entry: Any) -> Read[ShortAnswer]:
        """Read the answer; what says that there is none is taken whatever stands beside it."""
        answer = unescaped(entry.answer).strip()
        if answer.strip(".").upper() == NO_ANSWER:
            return Read(NOTHING_FOUND)
        return Read(ShortAnswer(answer=answer, passage=entry.passage, quote=unescaped(entry.quote).strip()))


TASK = ShortAnswerTask()
