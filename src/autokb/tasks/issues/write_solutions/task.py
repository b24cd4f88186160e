"""The task that writes the solutions of one node from the passages found for it (prompt G.9)."""

from __future__ import annotations

from autokb.tasks.issues.write_solutions import model, offline
from autokb.tasks.issues.write_solutions.shapes import Excerpt, Step, WriteSolutions, Written, WrittenSolutions
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "Excerpt", "Step", "WriteSolutions", "Written", "WrittenSolutions"]


def check(item: WriteSolutions, reply: WrittenSolutions) -> None:
    """Refuse a solution without steps, a quote that is not in its excerpt, and attributes that are not configured."""
    for solution in reply.solutions:
        _check_excerpt(item, solution.excerpt)
        if not solution.steps and solution.status != "withheld":
            raise ReplyError(f"The solution {solution.title!r} has no steps; leave it out.")
        if solution.status != "displayed" and not solution.reason:
            raise ReplyError(f"The solution {solution.title!r} is {solution.status}; say why.")
        for step in solution.steps:
            _check_excerpt(item, solution.excerpt_of(step))
            text = item.excerpts[solution.excerpt_of(step)].text
            if not step.quote or text[step.start : step.end] != step.quote:
                raise ReplyError(f"The quote {step.quote[:60]!r} does not stand at {step.start} to {step.end}.")
        if stray := sorted(set(solution.attributes) - set(item.configuration)):
            raise ReplyError(f"{stray[0]!r} is no attribute of this domain; it has {sorted(item.configuration)}.")


def _check_excerpt(item: WriteSolutions, number: int) -> None:
    if not 0 <= number < len(item.excerpts):
        raise ReplyError(f"There is no excerpt {number}; there are {len(item.excerpts)}, counted from 0.")


TASK = Task(
    name="issues/write_solutions",
    version=5,
    input=WriteSolutions,
    output=WrittenSolutions,
    offline=offline.answer,
    check=check,
    asking=model.ASKING,
)
