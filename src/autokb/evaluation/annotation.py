"""The sheet on which two people say of every solution whether it is correct, and what their answers say (Q_C)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError
from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Issue, Solution

COLUMNS = ("item", "annotator", "answer", "issue", "solution", "documents", "quotes")
ANNOTATORS = ("1", "2")
YES = frozenset({"yes", "y", "true", "1"})
NO = frozenset({"no", "n", "false", "0"})
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run instead of show


@dataclass(frozen=True, slots=True)
class Agreement:
    """What a filled sheet says: how much is correct, and how far two people agree where both answered."""

    correct: float | None
    items: int
    agreement: float | None
    kappa: float | None
    twice: int


def sheet(solutions: Iterable[Solution], issues: Mapping[str, Issue], most: int | None = None) -> str:
    """Return the CSV to fill in, two lines a displayed solution; ``most`` takes an even sample that stays the same."""
    shown = sampled(solutions, most)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for annotator in ANNOTATORS:
        for solution in shown:
            writer.writerow((solution.id, annotator, "", *_shown(solution, issues)))
    return out.getvalue()


def sampled(solutions: Iterable[Solution], most: int | None = None) -> list[Solution]:
    """Return the displayed solutions by id, or an even sample that stays the same for people and models."""
    shown = [s for s in solutions if s.status in DISPLAYED]
    if most is not None:
        shown = sorted(shown, key=lambda s: digest(s.id))[:most]
    return sorted(shown, key=lambda s: s.id)


def _shown(solution: Solution, issues: Mapping[str, Issue]) -> list[str]:
    issue = issues.get(solution.issue_id)
    documents = dict.fromkeys(e.document for e in solution.evidence)
    quotes = (e.quote for e in solution.evidence)
    cells = (issue.text if issue else "", solution.text, "\n".join(documents), "\n---\n".join(quotes))
    return [f"'{cell}" if cell.startswith(FORMULA) else cell for cell in cells]


def read_sheet(path: Path) -> Agreement:
    """Read a filled sheet; lines without an answer are left out, errors name file and line."""
    answers: dict[str, dict[str, bool]] = {}
    for number, row in _rows(path):
        where = f"{path}, line {number}"
        item, annotator, answer = (row[c].strip() for c in COLUMNS[:3])
        if not answer:
            continue
        if not item or annotator not in ANNOTATORS:
            raise BadInputError(f"{where} needs an item and an annotator (1 or 2), not {annotator!r}.")
        if annotator in answers.setdefault(item, {}):
            raise BadInputError(f"{where}: annotator {annotator} answered {item!r} before; leave one answer.")
        answers[item][annotator] = _answer(answer, where)
    if not answers:
        raise BadInputError(f"{path} holds no answers; write yes or no into the column answer.")
    return agree(answers)


def _rows(path: Path) -> Iterable[tuple[int, dict[str, str]]]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{path} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{path} is not UTF-8; save the sheet as CSV UTF-8.") from error
    head = text.split("\n", 1)[0]
    # Spreadsheets write semicolons where the comma is the decimal sign.
    separator = max(",;\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restval="")
    reader.fieldnames = [str(name).strip().lower() for name in reader.fieldnames or ()]
    if missing := [c for c in COLUMNS[:3] if c not in reader.fieldnames]:
        raise BadInputError(f"{path} has no column {missing[0]!r}; keep the columns item, annotator and answer.")
    for row in reader:
        yield reader.line_num, row


def _answer(word: str, where: str) -> bool:
    if word.lower() in YES:
        return True
    if word.lower() in NO:
        return False
    raise BadInputError(f"{where}: the answer is {word!r}; write yes or no.")


def agree(answers: Mapping[str, Mapping[str, bool]]) -> Agreement:
    """Work out Q_C (mean over items of the mean of their answers), agreement and Cohen's kappa."""
    means = [sum(a.values()) / len(a) for a in answers.values()]
    pairs = [(a["1"], a["2"]) for a in answers.values() if len(a) == 2]
    if not pairs:
        return Agreement(sum(means) / len(means) if means else None, len(means), None, None, 0)
    same = sum(one == two for one, two in pairs) / len(pairs)
    yes = [sum(pair[n] for pair in pairs) / len(pairs) for n in (0, 1)]
    by_chance = yes[0] * yes[1] + (1 - yes[0]) * (1 - yes[1])
    # Both always said the same word: chance alone explains it and kappa is not defined.
    kappa = (same - by_chance) / (1 - by_chance) if by_chance < 1 else None
    return Agreement(sum(means) / len(means), len(means), same, kappa, len(pairs))
