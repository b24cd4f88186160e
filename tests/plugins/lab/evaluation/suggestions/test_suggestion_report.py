"""The tables of the evaluation of suggestions."""

from __future__ import annotations

from typing import Any

from autokb.plugins.lab.evaluation.suggestions.report import suggestion_tables

ENDS = {"value": 0.5, "low": 0.25, "high": 0.75}
VERDICTS = {"correct": 1, "incorrect": 2, "unsure": 3, "not judged": 4}
ANSWER: dict[str, Any] = {
    "systems": {
        "autokb": {
            "metrics": {"coverage@1": ENDS, "words": ENDS, "seconds": ENDS},
            "verdicts": VERDICTS,
            "seconds": {"p50": 0.25, "p95": 0.75, "p99": 0.75},
        },
        "incumbent": {"metrics": {"words": ENDS, "seconds": ENDS}, "verdicts": VERDICTS},
    },
    "differences": [
        {"system": "autokb", "baseline": "incumbent", "metric": "words", **ENDS, "p_value": 0.0123, "cases": 9}
    ],
    "cases": {"questions": {"n": 9, "mean_words": 4.5}},
    "notes": ["A note."],
    "seconds": 1.5,
}
SHOWN = "0.500 [0.250, 0.750]"


def tables(**more: Any) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {table.title: table.rows for table in suggestion_tables({**ANSWER, **more})}


def test_a_row_a_metric_and_a_dash_for_what_a_system_cannot_have() -> None:
    assert tables()["Systems (mean and 95 % interval)"] == (("coverage@1", SHOWN, "–"), ("words", SHOWN, SHOWN))


def test_differences_stand_beside_their_p_values() -> None:
    assert tables()["Differences to incumbent (paired)"] == (
        ("autokb", "words", "+0.500 [+0.250, +0.750]", "0.012", "9"),
    )


def test_times_are_those_of_the_run_and_verdicts_are_counted() -> None:
    (seconds,) = [table for table in suggestion_tables(ANSWER) if table.title == "Seconds a case"]
    assert seconds.of_run and seconds.rows == (
        ("autokb", SHOWN, "0.250", "0.750", "0.750"),
        ("incumbent", SHOWN, "–", "–", "–"),  # stored before there were percentiles
    )
    assert tables()["First suggestions by verdict"][0] == ("autokb", "1", "2", "3", "4")
    assert ("cases.questions.n", "9") in tables()["Figures"]


def test_what_people_said_is_a_table_of_its_own() -> None:
    agreed = {"agreement": 0.9, "kappa": None, "alpha": 0.8, "pairs": 7}
    sheet = {
        "systems": {"autokb": {"metrics": {"preferred": ENDS}}, "incumbent": {"metrics": {}}},
        "no_preference": ENDS,
        "agreement": {"preference": agreed},
        "judge_and_people": agreed,
        "items": 3,
    }
    found = tables(sheet=sheet)
    assert found["What people say (3 cases)"] == (("autokb", SHOWN), ("incumbent", "–"))
    assert found["Agreement"] == (
        ("preference", "0.900", "–", "0.800", "7"),
        ("judge and people", "0.900", "–", "0.800", "7"),
    )
