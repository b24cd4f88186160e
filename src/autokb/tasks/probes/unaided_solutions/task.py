"""The task that solves an issue from a model's own knowledge: the LLM-only baseline, LLM-WK (prompt G.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from autokb.tasks.prompts import unescaped
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import Wire

MOST_SOLUTIONS = 5  # of an issue
MOST_STEPS = 10  # of a solution
LONGEST_TITLE = 120  # characters
LONGEST_STEP = 400  # characters


@dataclass(frozen=True, slots=True)
class SolveByLLMOnly:
    """An issue and the domain it belongs to; nothing that would help to solve it."""

    domain: str
    issue: str


class LLMOnlySolution(Reply):
    """One solution as the model knows it; it has no evidence."""

    title: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return title and steps as one text."""
        return "\n".join((self.title, *self.steps))


class LLMOnlySolutions(Reply):
    """The solutions of one issue."""

    solutions: tuple[LLMOnlySolution, ...]


class WireSolution(Wire):
    """One solution of an entry."""

    title: str = Field(min_length=1, max_length=LONGEST_TITLE)
    steps: list[Annotated[str, Field(min_length=1, max_length=LONGEST_STEP)]] = Field(
        min_length=1, max_length=MOST_STEPS
    )


class LLMOnlyTask(Task[SolveByLLMOnly, LLMOnlySolutions]):
    """Which solutions does a model know by itself, without any document?"""

    input = SolveByLLMOnly
    output = LLMOnlySolutions
    most = 4  # issues
    grouped_by = ("domain",)
    entry_tokens = (1_000, 450)
    issue_characters = 1_500  # that a model reads

    def check(self, item: SolveByLLMOnly, reply: LLMOnlySolutions) -> None:
        """Refuse no solutions, empty titles and steps, and a solution that is given twice."""
        if not 0 < len(reply.solutions) <= MOST_SOLUTIONS:
            raise ReplyError(f"Give 1 to {MOST_SOLUTIONS} solutions, not {len(reply.solutions)}.")
        for number, solution in enumerate(reply.solutions, 1):
            if not solution.title.strip() or not solution.steps or not all(step.strip() for step in solution.steps):
                raise ReplyError(f"Solution {number} needs a title and steps, none of them empty.")
        if len({solution.text.casefold() for solution in reply.solutions}) < len(reply.solutions):
            raise ReplyError("The same solution stands twice; give it once.")

    def values(self, items: Sequence[SolveByLLMOnly]) -> Mapping[str, Any]:
        """Return the domain, which is the same for all, and the issues."""
        issues = [item.issue[: self.issue_characters] for item in items]
        return {"domain": items[0].domain, "issues": issues, "most": MOST_SOLUTIONS}

    def entry(self, items: Sequence[SolveByLLMOnly]) -> Mapping[str, Any]:
        """Return the field of an entry: an issue's solutions."""
        return {"solutions": Annotated[list[WireSolution], Field(min_length=1, max_length=MOST_SOLUTIONS)]}

    def read(self, item: SolveByLLMOnly, entry: Any) -> Read[LLMOnlySolutions]:
        """Read the solutions."""
        solutions = tuple(
            LLMOnlySolution(title=unescaped(s.title).strip(), steps=tuple(unescaped(step).strip() for step in s.steps))
            for s in entry.solutions
        )
        return Read(LLMOnlySolutions(solutions=solutions))


TASK = LLMOnlyTask()
