"""Hand edits are records of their own; they are laid over what was built and outlive it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from autokb.knowledge.ids import canonical_json, short_id
from autokb.knowledge.nouns import Edit, Solution

NUMBERING = re.compile(r"^\s*(?:\d{1,3}[.)]|[-*•])\s+")


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


def edit_body(edit: Edit) -> dict[str, object]:
    """Return the record's body."""
    shown: dict[str, object] = {"solution_id": edit.solution_id, "author": edit.author, "date": edit.date}
    if edit.text:
        shown["text"] = edit.text
    if edit.steps:
        shown["steps"] = list(edit.steps)
    return shown


def steps_of(text: str) -> tuple[str, ...]:
    """Read the steps of an edited text: one a line, numbering and bullets taken off."""
    return tuple(step for line in text.splitlines() if (step := NUMBERING.sub("", line).strip()))


def apply_edits(solutions: Mapping[str, Solution], edits: Iterable[Edit]) -> dict[str, Solution]:
    """Lay edits over solutions, later ones last; edits whose solution is gone change nothing here and stay stored."""
    result = dict(solutions)
    for edit in edits:
        if edit.solution_id not in result:
            continue
        solution = result[edit.solution_id]
        if edit.steps:
            text = edit.text or "\n".join(f"{n}. {s}" for n, s in enumerate(edit.steps, 1))
            result[edit.solution_id] = replace(solution, text=text, steps=edit.steps)
        else:
            result[edit.solution_id] = replace(solution, text=edit.text, steps=steps_of(edit.text) or solution.steps)
    return result
