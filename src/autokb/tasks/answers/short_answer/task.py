"""The task that answers an open question in a few words of passages (appendix B of the response prediction paper)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.reply_rules import count_words
from autokb.heuristics.replies.drafts import GivenPassage, Quoted
from autokb.tasks.answers.replies_wire import numbered_lines, shown_passages
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import number_to

MOST_WORDS = 9  # "less than ten words" in the response prediction paper
NO_ANSWER = "NOANSWERFOUND"  # the paper's word, which a model writes and the data of such studies has


@dataclass(frozen=True, slots=True)
class AnswerShortly:
    """A question and the passages that may answer it."""

    question: str
    passages: tuple[str, ...]
    language: str = only_if_other_than(ENGLISH)


class ShortAnswer(Reply):
    """Fewer than ten words, and what bears them out: ``text[start:end]`` of the passage with this number (from 1).

    Where the passages do not answer the question all is empty, and the numbers 0.
    """

    answer: str
    passage: int
    start: int
    end: int


NOTHING_FOUND = ShortAnswer(answer="", passage=0, start=0, end=0)


class ShortAnswerTask(Task[AnswerShortly, ShortAnswer]):
    """Which few words of the passages answer this question?"""

    input = AnswerShortly
    output = ShortAnswer
    masks = True
    entry_tokens = (120, 30)
    passage_characters = 6_000  # that a model reads of each
    answer_characters = 200

    def check(self, item: AnswerShortly, reply: ShortAnswer) -> None:
        """Refuse a long answer, and one without a line."""
        if not reply.answer and reply != NOTHING_FOUND:
            raise ReplyError(f"Where there is no answer write {NO_ANSWER} and the line 0.")
        if count_words(reply.answer) > MOST_WORDS:
            raise ReplyError(f"The answer has {count_words(reply.answer)} words; write {MOST_WORDS} at most.")
        if reply.answer and not reply.passage:
            raise ReplyError(f"Name the line that answers, or write {NO_ANSWER} and the line 0.")

    def values(self, items: Sequence[AnswerShortly]) -> Mapping[str, Any]:
        """Return the question and the passages, long ones cut."""
        (item,) = items
        return {
            "question": item.question,
            "passages": self._shown(item),
            "most": MOST_WORDS,
            "nothing": NO_ANSWER,
        }

    def published(self, items: Sequence[AnswerShortly]) -> Sequence[str]:
        """Return the passages."""
        return items[0].passages

    def entry(self, items: Sequence[AnswerShortly]) -> Mapping[str, Any]:
        """Return the fields of the entry: where the answer stands, and then the answer."""
        return {
            "line": number_to(len(self._lines(items[0])), 0),
            "answer": Annotated[str, Field(min_length=1, max_length=self.answer_characters)],
        }

    def read(self, item: AnswerShortly, entry: Any) -> Read[ShortAnswer]:
        """Read the answer; what says that there is none is taken whatever stands beside it."""
        answer = unescaped(entry.answer).strip()
        if answer.strip(".").upper() == NO_ANSWER:
            return Read(NOTHING_FOUND)
        if not entry.line:
            return Read(ShortAnswer(answer=answer, passage=0, start=0, end=0))
        line = self._lines(item)[entry.line - 1]
        return Read(ShortAnswer(answer=answer, passage=line.passage, start=line.start, end=line.end))

    def examples(self, items: Sequence[AnswerShortly]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their lines numbered as in a request."""
        found = super().examples(items)
        return [{**e, "passages": self._shown(AnswerShortly(e["question"], tuple(e["passages"])))} for e in found]

    def _shown(self, item: AnswerShortly) -> list[str]:
        return [one["text"] for one in shown_passages(self._given(item), item.language)]

    def _given(self, item: AnswerShortly) -> list[GivenPassage]:
        return [GivenPassage("", (passage[: self.passage_characters],)) for passage in item.passages]

    def _lines(self, item: AnswerShortly) -> list[Quoted]:
        return numbered_lines(self._given(item), item.language)


TASK = ShortAnswerTask()
