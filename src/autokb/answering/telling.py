"""The line that says it: of what is shown first, the sentence that answers a question for a fact, or for yes or no."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from autokb.core.nouns import Evidence, Solution, Span
from autokb.heuristics.question_form import asks_fact
from autokb.retrieval.index import QuestionIndex
from autokb.text.sentences import sentences

# Words that count beside those of a line: a long one meets more of a question by chance. Of 89 development questions
# for a fact whose section is shown first, and whose answer is among its steps, the right line is found in 74, without
# this in 68; the first line is right in 34, the one that shares most words in 52 (decision 43).
EXTRA_WORDS = 6
NO_ROW = -1  # of what is not searched
_MARK = re.compile(r"^[\s>*•;-]*")  # of a list, which is not in what was encoded


@dataclass(frozen=True, slots=True)
class TellingLine:
    """One sentence of a solution, without Markdown, and the evidence of the step in which it stands."""

    text: str
    evidence: Evidence


def telling_line(index: QuestionIndex, question: str, solution: Solution) -> TellingLine | None:
    """Return the line of a solution that says what a question asks, by late interaction.

    None where the question asks for no fact, where there is only one line, and where nothing tells them apart.
    """
    if not asks_fact(question, index.spec.language):
        return None
    (scored,) = _scored_lines(index, question, [solution])
    if len(scored) < 2:
        return None
    best, line = max(scored, key=lambda one: one[0])
    return line if best > 0 else None


def best_lines(
    index: QuestionIndex, question: str, solutions: Sequence[Solution], most: int
) -> Iterator[list[TellingLine]]:
    """Give the lines of each solution that say most of what a question asks, in the order of the solution."""
    for scored in _scored_lines(index, question, solutions):
        order = sorted(range(len(scored)), key=lambda n: (-scored[n][0], n))[:most]
        yield [scored[n][1] for n in sorted(order)]


def _scored_lines(
    index: QuestionIndex, question: str, solutions: Sequence[Solution]
) -> list[list[tuple[float, TellingLine]]]:
    """Return the lines of solutions with what late interaction gives each, 0 for one that was not encoded."""
    rows = [index.candidates.row_of.get(solution.id, NO_ROW) for solution in solutions]
    lines = [list(lines_of(solution, index.spec.language)) for solution in solutions]
    spans = {row: _spans(index, row, own) for row, own in zip(rows, lines, strict=True)}
    scores = index.scores_of_parts(question, {row: list(some.values()) for row, some in spans.items() if some})
    of_line = {row: dict(zip(spans[row], some.tolist(), strict=True)) for row, some in scores.items()}
    return [
        [(of_line.get(row, {}).get(n, 0.0) / _length(line), line) for n, line in enumerate(own)]
        for row, own in zip(rows, lines, strict=True)
    ]


def _spans(index: QuestionIndex, row: int, lines: Sequence[TellingLine]) -> dict[int, Span]:
    """Return where lines stand in what was encoded of a row, by their numbers, without those that do not."""
    if row == NO_ROW or index.candidates.rows[row].passage is None:
        return {}
    text = index.candidates.rows[row].searched_text
    begin = text.find(". ")  # behind the headings, which every line shares
    at = ((n, text.find(line.text, begin)) for n, line in enumerate(lines))
    return {n: (start, start + len(lines[n].text)) for n, start in at if start >= 0}


def _length(line: TellingLine) -> float:
    return math.log(EXTRA_WORDS + len(line.text.split()))


def lines_of(solution: Solution, language: str) -> Iterator[TellingLine]:
    """Give the sentences of the steps that have evidence."""
    for step, evidence in zip(solution.steps, solution.evidence, strict=False):
        for text in _lines_of_step(step, language):
            yield TellingLine(text, evidence)


@lru_cache(maxsize=4_096)  # steps, of 300 characters; the same ones are near many questions
def _lines_of_step(step: str, language: str) -> tuple[str, ...]:
    found = (
        _MARK.sub("", line[start:end], count=1).strip()
        for line in step.split("\n")
        for start, end in sentences(line, language=language)
    )
    return tuple(text for text in found if " " in text)
