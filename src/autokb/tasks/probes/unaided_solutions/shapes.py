"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.tasks.reply import Reply, ReplyError

MOST_SOLUTIONS = 5
MOST_STEPS = 10
LONGEST_TITLE = 120
LONGEST_STEP = 400


@dataclass(frozen=True, slots=True)
class SolveUnaided:
    """An issue and the domain it belongs to; nothing that would help to solve it."""

    domain: str
    issue: str


class UnaidedSolution(Reply):
    """One solution as the model knows it; it has no evidence."""

    title: str
    steps: tuple[str, ...]

    @property
    def text(self) -> str:
        """Return title and steps as one text."""
        return "\n".join((self.title, *self.steps))


class UnaidedSolutions(Reply):
    """The solutions of one issue."""

    solutions: tuple[UnaidedSolution, ...]


def check(_item: SolveUnaided, reply: UnaidedSolutions) -> None:
    """Refuse no solutions, empty titles and steps, and a solution that is given twice."""
    if not 0 < len(reply.solutions) <= MOST_SOLUTIONS:
        raise ReplyError(f"Give 1 to {MOST_SOLUTIONS} solutions, not {len(reply.solutions)}.")
    for number, solution in enumerate(reply.solutions, 1):
        if not solution.title.strip() or not solution.steps or not all(step.strip() for step in solution.steps):
            raise ReplyError(f"Solution {number} needs a title and steps, none of them empty.")
    if len({solution.text.casefold() for solution in reply.solutions}) < len(reply.solutions):
        raise ReplyError("The same solution stands twice; give it once.")
