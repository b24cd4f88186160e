"""Q_C: the sheet on which people say whether solutions are correct, a tenth of them twice, and what that adds up to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Issue, Solution
from autokb.plugins.lab.evaluation.quality.measures import solution_trees, spread_over_trees
from autokb.plugins.lab.evaluation.sheets import ANNOTATORS, YES_NO, Choice, read_rows, sheet_text
from autokb.stats.shares import agreement

COLUMNS = ("item", "annotator", "answer", "issue", "solution", "documents", "quotes")
FILLED_IN = COLUMNS[:3]
ASKED = (
    "Read the issue, the solution and what it quotes. Write yes into answer where the solution is right for the issue, "
    "no where it is wrong or answers something else. Judge by yourself, and leave empty what you cannot judge."
)
ANNOTATED_TWICE = 0.1  # share of the items that the second annotator gets too (AutoKB paper, appendix B.3)


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a filled sheet says: how correct each item is, and how far two people agree on the ``twice`` answered ones.

    An item is as correct as the mean of its answers.
    """

    items: Mapping[str, float]
    agreement: float | None
    kappa: float | None
    twice: int


def displayed_solutions(solutions: Iterable[Solution], most: int | None = None) -> list[Solution]:
    """Return the solutions that a customer can get, by id; ``most`` takes an even sample that stays the same."""
    found = [solution for solution in solutions if solution.status in DISPLAYED]
    if most is not None:
        found = sorted(found, key=lambda solution: digest(solution.id))[:most]
    return sorted(found, key=lambda solution: solution.id)


def write_sheet(path: Path, solutions: Iterable[Solution], issues: Mapping[str, Issue], most: int | None) -> None:
    """Write the sheet as CSV (AutokbError where that cannot be done)."""
    write_file(path, sheet(solutions, issues, most))


def sheet(solutions: Iterable[Solution], issues: Mapping[str, Issue], most: int | None = None) -> str:
    """Return the CSV to fill in: a line for each displayed solution, or ``most`` of them, and a second for a tenth.

    The first annotator answers all, the second those of the tenth, which is spread over the trees.
    """
    asked = sheet_items(solutions, issues, most)
    rows = {}
    for solution in asked[ANNOTATORS[0]]:
        issue = issues.get(solution.issue_id)
        cells = (
            issue.text if issue else "",
            solution.text,
            "\n".join(dict.fromkeys(e.document for e in solution.evidence)),
            "\n---\n".join(e.quote for e in solution.evidence),
        )
        rows[solution.id] = cells
    filled = ((one.id, annotator, "", *rows[one.id]) for annotator, items in asked.items() for one in items)
    return sheet_text(COLUMNS, filled, ASKED)


def sheet_items(
    solutions: Iterable[Solution], issues: Mapping[str, Issue], most: int | None = None
) -> dict[str, list[Solution]]:
    """Return what each annotator judges: the first all displayed solutions (``most`` of them), the second a tenth."""
    chosen = displayed_solutions(solutions, most)
    wanted = math.ceil(len(chosen) * ANNOTATED_TWICE)
    twice = spread_over_trees((s.id for s in chosen), solution_trees(chosen, issues), wanted)
    return {ANNOTATORS[0]: chosen, ANNOTATORS[1]: [one for one in chosen if one.id in twice]}


def read_sheet(path: Path) -> Agreement:
    """Read a filled sheet; lines without an answer are left out (BadInputError names file and line)."""
    answers: dict[str, dict[str, bool]] = {}
    for number, row in read_rows(path, FILLED_IN):
        where = f"{path}, line {number}"
        item, annotator, answer = (row[column] for column in FILLED_IN)
        if not answer:
            continue
        if not item or annotator not in ANNOTATORS:
            raise BadInputError(f"{where} needs an item and an annotator (1 or 2), not {annotator!r}.")
        if annotator in answers.setdefault(item, {}):
            raise BadInputError(f"{where}: annotator {annotator} answered {item!r} before; leave one answer.")
        answers[item][annotator] = Choice(YES_NO, "yes or no").read("the answer", answer, where)
    if not answers:
        raise BadInputError(f"{path} holds no answers; write yes or no into the column answer.")
    return agree(answers)


def agree(answers: Mapping[str, Mapping[str, bool]]) -> Agreement:
    """Work out how correct each item is, agreement and Cohen's kappa.

    ``answers`` are by item and annotator. Kappa is that of Cohen 1960, A Coefficient of Agreement for Nominal Scales,
    over the items that both annotators answered.
    """
    means = {item: sum(a.values()) / len(a) for item, a in answers.items()}
    pairs = [(a["1"], a["2"]) for a in answers.values() if len(a) == 2]
    return Agreement(means, *agreement(pairs), len(pairs))
