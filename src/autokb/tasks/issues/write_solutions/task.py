"""The room that writes the solutions of one node from the passages found for it."""

from __future__ import annotations

from autokb.tasks.issues.write_solutions import offline
from autokb.tasks.issues.write_solutions.shapes import Excerpt, Step, WriteSolutions, Written, WrittenSolutions
from autokb.tasks.room import ReplyError, Room

__all__ = ["ROOM", "Excerpt", "Step", "WriteSolutions", "Written", "WrittenSolutions"]


def check(item: WriteSolutions, reply: WrittenSolutions) -> None:
    """Refuse a solution without steps, a quote that is not in its excerpt, and attributes that are not configured."""
    for solution in reply.solutions:
        if not 0 <= solution.excerpt < len(item.excerpts):
            raise ReplyError(f"There is no excerpt {solution.excerpt}; there are {len(item.excerpts)}, counted from 0.")
        if not solution.steps:
            raise ReplyError(f"The solution {solution.title!r} has no steps; leave it out.")
        text = item.excerpts[solution.excerpt].text
        for step in solution.steps:
            if not step.quote or text[step.start : step.end] != step.quote:
                raise ReplyError(f"The quote {step.quote[:60]!r} does not stand at {step.start} to {step.end}.")
        if stray := sorted(set(solution.attributes) - set(item.configuration)):
            raise ReplyError(f"{stray[0]!r} is no attribute of this domain; it has {sorted(item.configuration)}.")


ROOM = Room(
    name="issues/write_solutions",
    version=5,
    input=WriteSolutions,
    output=WrittenSolutions,
    offline=offline.answer,
    check=check,
)
