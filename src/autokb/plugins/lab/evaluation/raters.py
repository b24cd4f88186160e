"""How far people agree who answer the same questions, any number of them, and not each all of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product

from autokb.plugins.lab.evaluation.record import Record
from autokb.stats.shares import agreement

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
