"""A solution's text: its title and its numbered steps."""

from __future__ import annotations

import re
from collections.abc import Sequence

from autokb.core.decisions import NUMBERING
from autokb.core.nouns import Solution
from autokb.core.step_numbers import marked, step_numbers

_WORD = re.compile(r"\w+")


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


def heading_of(text: str, steps: Sequence[str]) -> str:
    """Return the first line of a solution's text, empty where that is its first step, with or without its number.

    A text that a person wrote need not have a heading, and may mark it as Markdown does.
    """
    first, _, rest = text.strip().partition("\n")
    step = steps[0] if steps else ""
    is_step = any(one == step.partition("\n")[0] or one.startswith(step[:20]) for one in (first, _bare(first)))
    return "" if not rest or is_step else first.lstrip("#").strip()


def listed_title(text: str, steps: Sequence[str]) -> str:
    """Return the line by which a solution is listed: its heading, else its first line without a number."""
    return heading_of(text, steps) or _bare(text.strip().partition("\n")[0]).strip()


def is_source_of(quote: str, step: str) -> bool:
    """Return whether a quote and a step share half of the words of the one that has fewer.

    What a build wrote is of its quote; a step that a person wrote may say something else. A row of a table is told with
    the names of its columns, and so has more words than its quote.
    """
    words, said = (set(_WORD.findall(text.casefold())) for text in (step, quote))
    return 2 * len(words & said) >= min(len(words), len(said))


def written_steps(text: str, steps: Sequence[str]) -> list[str]:
    """Return the steps as they stand in a text that a person wrote, with their numbers or bullets."""
    lines = {_bare(line): line for line in map(str.strip, text.split("\n"))}
    parts = (step.partition("\n") for step in steps)
    return [f"{lines.get(first, first)}{end}{rest}" for first, end, rest in parts]


def _bare(line: str) -> str:
    return NUMBERING.sub("", line)
