"""The task that says whether two texts for the same customer ask for opposite things, and in which two lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.heuristics.contradictions import find_disagreement
from autokb.heuristics.grounding.visible import visible
from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import number_to


@dataclass(frozen=True, slots=True)
class GivenSteps:
    """What a solution or a section is headed by, and its lines."""

    title: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FindDisagreement:
    """Two texts that the same customer may be told for one problem."""

    one: GivenSteps
    other: GivenSteps
    language: str = only_if_other_than(ENGLISH)


class FoundDisagreement(Reply):
    """In which way they disagree, and in which line of each, from 1; where they agree there is no line (0)."""

    reason: str
    first: int
    second: int


class FindDisagreementTask(Task[FindDisagreement, FoundDisagreement]):
    """Do the instructions of these two texts disagree, and in which lines?"""

    input = FindDisagreement
    output = FoundDisagreement
    most = 6  # pairs
    entry_tokens = (120, 40)
    reason_characters = 200
    most_lines = 40  # of a text that a model reads
    line_characters = 600  # of one of them

    def offline(self, item: FindDisagreement) -> FoundDisagreement:
        """Look for amounts that lie apart, for opposites, and for what one forbids and the other asks for."""
        found = find_disagreement(item.one.steps, item.other.steps, item.language)
        if found is None:
            return FoundDisagreement(reason="", first=0, second=0)
        return FoundDisagreement(reason=found.reason, first=found.step + 1, second=found.other + 1)

    def check(self, item: FindDisagreement, reply: FoundDisagreement) -> None:
        """Refuse a disagreement without a reason or without a line of each text."""
        if not (reply.first or reply.second):
            return
        if not (1 <= reply.first <= len(item.one.steps) and 1 <= reply.second <= len(item.other.steps)):
            raise ReplyError("Name one line of each of the two texts.")
        if not reply.reason.strip():
            raise ReplyError("The disagreement needs a reason.")

    def values(self, items: Sequence[FindDisagreement]) -> Mapping[str, Any]:
        """Return the pairs, the lines of both texts of a pair numbered through."""
        return {"pairs": [self._shown(item) for item in items]}

    def examples(self, items: Sequence[FindDisagreement]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their lines numbered as in a request."""
        return [{**e, "texts": self._shown(example_pair(e))} for e in super().examples(items)]

    def entry(self, items: Sequence[FindDisagreement]) -> Mapping[str, Any]:
        """Return the fields of an entry: the reason, the verdict, and then a line of each text."""
        last = max(sum(map(len, self._lines(item))) for item in items)
        line: Any = number_to(max(1, last))
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        return {
            "reason": Annotated[str, reason],
            "disagree": Literal["yes", "no"],
            "lines": Annotated[list[line], Field(max_length=2)],
        }

    def read(self, item: FindDisagreement, entry: Any) -> Read[FoundDisagreement]:
        """Read which lines disagree; what is named where nothing does is dropped."""
        if entry.disagree == "no":
            return Read(FoundDisagreement(reason="", first=0, second=0))
        firsts, seconds = map(len, self._lines(item))
        lines = sorted(entry.lines)
        if len(lines) != 2 or not (lines[0] <= firsts < lines[1] <= firsts + seconds):
            raise ReplyError(
                f"The lines of the first text end with {firsts}, those of the second with {firsts + seconds}; name one "
                "line of each, or say that they do not disagree."
            )
        reason = " ".join(visible(unescaped(entry.reason)).split())[: self.reason_characters]
        return Read(FoundDisagreement(reason=reason, first=lines[0], second=lines[1] - firsts))

    def _lines(self, item: FindDisagreement) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the lines of both texts as a model reads them."""
        one, other = item.one.steps[: self.most_lines], item.other.steps[: self.most_lines]
        return tuple(map(self._line, one)), tuple(map(self._line, other))

    def _line(self, step: str) -> str:
        return " ".join(visible(step).split())[: self.line_characters]

    def _shown(self, item: FindDisagreement) -> list[Mapping[str, Any]]:
        one, other = self._lines(item)
        return [
            {"title": item.one.title, "lines": list(enumerate(one, 1))},
            {"title": item.other.title, "lines": list(enumerate(other, len(one) + 1))},
        ]


def example_pair(example: Mapping[str, Any]) -> FindDisagreement:
    """Return what an entry of ``examples.yaml`` is about."""
    one, other = (GivenSteps(text["title"], tuple(text["steps"])) for text in example["pair"])
    return FindDisagreement(one, other)


TASK = FindDisagreementTask()
