"""Hand edits are records of their own; they are laid over what was built and outlive it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from autokb.core.ids import canonical_json, short_id
from autokb.core.nouns import Edit, Solution

NUMBERING = re.compile(r"^(?:\d{1,3}[.)]|[-*•])\s+")


def new_edit(solution_id: str, text: str, steps: Iterable[str], author: str, date: str) -> Edit:
    """Make the record of an edit; ``steps`` empty means that the text was edited as a whole."""
    kept = tuple(s.strip() for s in steps if s.strip())
    return Edit(
        short_id("edit", solution_id, text, canonical_json(list(kept)), author, date),
        solution_id,
        text,
        kept,
        author,
        date,
    )


def steps_of(text: str, title: str = "") -> tuple[str, ...]:
    """Read the steps of an edited text: one a line, numbering and bullets taken off.

    Where lines are numbered, those before the first one are the title and those after one without a number of their own
    belong to it; elsewhere a first line that is the built solution's ``title`` is no step.
    """
    lines = [line.rstrip() for line in text.split("\n") if line.strip()]
    first = next((n for n, line in enumerate(lines) if NUMBERING.match(line)), None)
    if first is None:
        titled = len(lines) > 1 and title and lines[0].strip() == title
        return tuple(line.strip() for line in lines[1 if titled else 0 :])
    steps: list[str] = []
    for line in lines[first:]:
        if NUMBERING.match(line):
            steps.append(NUMBERING.sub("", line).strip())
        else:
            steps[-1] += "\n" + line
    return tuple(step for step in steps if step.strip())


def title_of(solution: Solution) -> str:
    """Return the line that a solution's text puts over its steps, or nothing."""
    first = solution.text.strip().partition("\n")[0].strip()
    step_lines = {line.strip() for step in solution.steps for line in step.split("\n")}
    return "" if NUMBERING.match(first) or first in step_lines else first


def apply_edits(solutions: Mapping[str, Solution], edits: Iterable[Edit]) -> dict[str, Solution]:
    """Lay edits over solutions, later ones last; edits whose solution is gone change nothing here and stay stored."""
    result = dict(solutions)
    for edit in edits:
        if edit.solution_id not in result:
            continue
        solution = result[edit.solution_id]
        title = title_of(solution)
        if edit.steps:
            lines = [f"{n}. {s}" for n, s in enumerate(edit.steps, 1)]
            text = edit.text or "\n".join([title, *lines] if title else lines)
            result[edit.solution_id] = replace(solution, text=text, steps=edit.steps)
        else:
            steps = steps_of(edit.text, title) or solution.steps
            result[edit.solution_id] = replace(solution, text=edit.text, steps=steps)
    return result
