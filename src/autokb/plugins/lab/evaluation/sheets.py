"""Sheets that people fill in with a spreadsheet, their keys, and how far people agree who answer the same questions."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, Generic, TypeVar

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.report import Record
from autokb.stats.shares import agreement
from autokb.text.spreadsheet_cells import guarded, unguarded

ANNOTATORS = ("1", "2")  # of a sheet
YES_NO = {**dict.fromkeys(("yes", "y", "true", "1"), True), **dict.fromkeys(("no", "n", "false", "0"), False)}
INSTRUCTIONS = "instructions"  # the column that says what is to be done; reading a sheet skips it


Key = TypeVar("Key")
Mark = TypeVar("Mark", covariant=True)


@dataclass(frozen=True, slots=True)
class Choice(Generic[Mark]):
    """What people may write into a cell: each answer by the words that give it; ``says`` names them in a sentence."""

    answers: Mapping[str, Mark]
    says: str

    def read(self, column: str, cell: str, where: str) -> Mark:
        """Return the answer in a cell (BadInputError where it is none)."""
        if cell.casefold() not in self.answers:
            raise BadInputError(f"{where}: {column} is {cell!r}; write {self.says}.")
        return self.answers[cell.casefold()]


def read_rows(path: Path, columns: Sequence[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows as people wrote them with the numbers of their lines (BadInputError where a column is missing)."""
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
    try:
        reader.fieldnames = [str(name).strip().lower() for name in reader.fieldnames or ()]
        if missing := [column for column in columns if column not in reader.fieldnames]:
            kept = f"{', '.join(columns[:-1])} and {columns[-1]}"
            raise BadInputError(f"{path} has no column {missing[0]!r}; keep the columns {kept}.")
        for row in reader:
            row.pop(None, None)  # cells too many, which have no column
            yield reader.line_num, {name: unguarded(cell.strip()) for name, cell in row.items()}
    except csv.Error as error:  # a cell without its end grows past what the reader takes
        raise BadInputError(
            f"{path}, line {reader.line_num} cannot be read ({error}); look for a quotation mark without its end."
        ) from error


def has_marks(path: Path, columns: Sequence[str], marks: Sequence[str]) -> bool:
    """Return whether anybody has written into one of the columns ``marks`` of a sheet."""
    return any(row[mark] for _, row in read_rows(path, (*columns, *marks)) for mark in marks)


def key_path(sheet: Path) -> Path:
    """Return where the key of a sheet is, which says whose each line is."""
    return sheet.with_suffix(".key.json")


def read_key(sheet: Path, read: Callable[[Any], Key]) -> Key:
    """Return what ``read`` makes of the JSON of a sheet's key; BadInputError where it is not such a key."""
    place = key_path(sheet)
    try:
        return read(json.loads(place.read_text(encoding="utf-8")))
    except OSError as error:
        raise BadInputError(f"{place}, the key of the sheet, cannot be read ({error.strerror}).") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadInputError(f"{place} is not the key that was written with the sheet; put that one there.") from error


def sheet_text(columns: Sequence[str], rows: Iterable[Sequence[str]], instructions: str = "") -> str:
    """Return the CSV of a sheet, none of whose cells a spreadsheet runs as a formula.

    ``instructions`` stand before every row: a line above the head would be lost when a spreadsheet sorts or saves it.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([INSTRUCTIONS, *columns] if instructions else columns)
    before = [instructions] if instructions else []
    writer.writerows([guarded(cell) for cell in (*before, *row)] for row in rows)
    return out.getvalue()


Answer = str | float  # a name, or a score that is a number


@dataclass(frozen=True, slots=True)
class Agreed(Record):
    """How far answers to the same question agree: of ``pairs`` of them the share that is equal, kappa and alpha."""

    agreement: float | None
    kappa: float | None
    alpha: float | None
    pairs: int


def agreed(questions: Sequence[Mapping[str, Answer]]) -> Agreed:
    """Compare the answers to each question, which are by person.

    Kappa is Cohen's for two people, for more the mean of it over every two (Light 1971, Measures of Response Agreement
    for Qualitative Data); it takes scores as names. Two of whom it cannot be worked out are left out of the mean.
    """
    people = sorted(set().union(*questions))
    of_two = [_pairs(questions, one, other) for one, other in combinations(people, 2)]
    pairs = [pair for found in of_two for pair in found]
    kappas = [kappa for found in of_two if (kappa := agreement(found)[1]) is not None]
    return Agreed(
        agreement(pairs)[0],
        sum(kappas) / len(kappas) if kappas else None,
        krippendorff_alpha([list(answers.values()) for answers in questions]),
        len(pairs),
    )


def _pairs(questions: Sequence[Mapping[str, Answer]], one: str, other: str) -> list[tuple[Answer, Answer]]:
    return [(answers[one], answers[other]) for answers in questions if one in answers and other in answers]


def krippendorff_alpha(questions: Sequence[Sequence[Answer]]) -> float | None:
    """Return 1 minus the disagreement within questions over that among all answers; None where all are the same.

    Krippendorff 2011, Computing Krippendorff's Alpha-Reliability: any number of people, and answers may be missing.
    Names differ or do not (nominal), numbers by the square of their distance (interval).
    """
    several = [answers for answers in questions if len(answers) > 1]
    answers = Counter(answer for given in several for answer in given)
    n = answers.total()
    by_chance = _disagreement(answers) / (n - 1) if n else 0.0
    within = sum(_disagreement(Counter(given)) / (len(given) - 1) for given in several)
    return 1 - within / by_chance if by_chance else None


def _disagreement(answers: Counter[Answer]) -> float:
    """Return the sum of the differences between every answer and every other."""
    return sum(
        of_one * of_other * _difference(one, other)
        for (one, of_one), (other, of_other) in product(answers.items(), repeat=2)
    )


def _difference(one: Answer, other: Answer) -> float:
    if isinstance(one, str) or isinstance(other, str):
        return float(one != other)
    return (one - other) ** 2
