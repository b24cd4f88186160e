"""Agreement of any number of people, by the worked example of the measure's author and by hand."""

from __future__ import annotations

import pytest

from autokb.plugins.lab.evaluation.sheets import Answer, agreed, krippendorff_alpha

# Krippendorff 2011, example C: four observers, twelve units, some answers missing.
OBSERVERS = [
    "1 2 3 3 2 1 4 1 2 . . .",
    "1 2 3 3 2 2 4 1 2 5 . 3",
    ". 3 3 3 2 3 4 2 2 5 1 .",
    "1 2 3 3 2 4 4 1 2 5 1 .",
]
UNITS = [[one for one in unit if one != "."] for unit in zip(*(row.split() for row in OBSERVERS), strict=True)]


def test_alpha_is_that_of_its_authors_example() -> None:
    scores: list[list[Answer]] = [[float(one) for one in unit] for unit in UNITS]
    assert krippendorff_alpha(list(UNITS)) == pytest.approx(0.743, abs=5e-4)  # as names
    assert krippendorff_alpha(scores) == pytest.approx(0.849, abs=5e-4)  # as numbers


def test_three_people_agree_by_the_mean_of_every_two() -> None:
    questions: list[dict[str, Answer]] = [
        {"ann": "yes", "bo": "yes", "cy": "yes"},
        {"ann": "yes", "bo": "no"},
        {"ann": "no", "bo": "no", "cy": "yes"},
        {"bo": "no"},
    ]
    found = agreed(questions)
    # Ann and Bo are equal in 2 of 3, Ann and Cy in 1 of 2, Bo and Cy in 1 of 2.
    assert (found.pairs, found.agreement) == (7, pytest.approx(4 / 7))
    # By chance Ann and Bo are equal with 2/3 * 1/3 + 1/3 * 2/3 = 4/9: kappa (6/9 - 4/9) / (5/9) = .4. Cy always says
    # yes, so that with her chance alone explains what is equal: kappa 0, twice.
    assert found.kappa == pytest.approx(0.4 / 3)


def test_where_nothing_can_be_compared_there_is_no_figure() -> None:
    for questions in ([], [{"ann": "yes"}], [{"ann": "yes"}, {"bo": "no"}]):
        found = agreed(questions)  # type: ignore[arg-type]
        assert (found.agreement, found.kappa, found.alpha, found.pairs) == (None, None, None, 0)
    same = agreed([{"ann": "yes", "bo": "yes"}])
    assert (same.agreement, same.kappa, same.alpha, same.pairs) == (1.0, None, None, 1)
