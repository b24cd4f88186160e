"""A solution's text: its title and its numbered steps."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.nouns import Solution
from autokb.core.step_numbers import marked, step_numbers


def solution_text(title: str, steps: Sequence[str], numbers: Sequence[int | None] = ()) -> str:
    """Return the title and the steps, counted or by their ``numbers``, as people read a solution."""
    numbered = zip(numbers or range(1, len(steps) + 1), steps, strict=True)
    lines = [marked(n, step) for n, step in numbered] if len(steps) > 1 else list(steps)
    return "\n".join(line for line in (title, *lines) if line)


def shown_text(text: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return a solution's text, where it ends with its steps, with their numbers in the manual, by their ``quotes``.

    The text that is stored counts them all; it stays as it is, for approvals and edits are of its very words.
    """
    title = text.removesuffix(solution_text("", steps))
    if not steps or title == text:
        return text
    return solution_text(title.rstrip("\n"), steps, step_numbers(steps, quotes))


def solution_title(solution: Solution) -> str:
    """Return the title line of a solution, which its steps follow."""
    return solution.text.removesuffix(solution_text("", solution.steps)).rstrip("\n")
