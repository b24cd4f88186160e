"""A solution's text: its title and its numbered steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from autokb.core.nouns import Solution
from autokb.core.step_numbers import NUMBERING, marked, step_numbers

_WORD = re.compile(r"\w+")


def solution_text(title: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return the title and the steps as people read a solution: with the marks of the manual, what is nested set in.

    ``quotes`` are the places of the steps in the manual; steps without one each are counted.
    """
    numbers = step_numbers(steps, quotes) if len(steps) > 1 else (None,) * len(steps)
    return "\n".join(filter(None, (title, *map(marked, numbers, steps))))


def counted_text(text: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return a solution's text with its steps counted through, as all of them were before they bore the manual's marks.

    By this form texts are known again, whatever version wrote them, and what was paid for is found in the ledger.
    """
    title = _title(text, steps, quotes)
    return text if title is None else "\n".join(filter(None, (title, _counted(steps))))


def shown_text(text: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return a text of which the steps may be counted through with their marks in the manual; any other as it is."""
    title = _title(text, steps, quotes) if len(steps) == len(quotes) else None
    return text if title is None else solution_text(title, steps, quotes)


def solution_title(solution: Solution) -> str:
    """Return the title line of a solution, which its steps follow; of a text that does not end with them, all of it."""
    title = _title(solution.text, solution.steps, solution.quotes)
    return solution.text if title is None else title


def with_steps(solution: Solution, left: Mapping[int, str]) -> Solution:
    """Return a solution of which these steps are left, by their places from 1, each with its evidence."""
    evidence, steps = tuple(solution.evidence[n - 1] for n in left), tuple(left.values())
    text = solution_text(solution_title(solution), steps, [one.quote for one in evidence])
    return replace(solution, text=text, steps=steps, evidence=evidence)


def _title(text: str, steps: Sequence[str], quotes: Sequence[str]) -> str | None:
    tails = (solution_text("", steps, quotes), _counted(steps)) if steps else ()
    found = next((tail for tail in tails if f"\n{text}".endswith(f"\n{tail}")), None)
    return None if found is None else text.removesuffix(found).rstrip("\n")


def _counted(steps: Sequence[str]) -> str:
    return "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1)) if len(steps) > 1 else "".join(steps)


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
