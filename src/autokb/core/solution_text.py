"""A solution's text: its title and its numbered steps."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.nouns import Solution


def solution_text(title: str, steps: Sequence[str]) -> str:
    """Return the title and the numbered steps, as people read a solution."""
    lines = [f"{n}. {step}" for n, step in enumerate(steps, 1)] if len(steps) > 1 else list(steps)
    return "\n".join(line for line in (title, *lines) if line)


def solution_title(solution: Solution) -> str:
    """Return the title line of a solution, which its steps follow."""
    return solution.text.removesuffix(solution_text("", solution.steps)).rstrip("\n")
