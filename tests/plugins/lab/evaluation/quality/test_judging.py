"""What a model's verdicts add up to, with the arithmetic written out."""

from __future__ import annotations

import pytest

from autokb.heuristics.rules import RuleVerdict
from autokb.plugins.lab.evaluation.quality.report import judged_compliance, judged_correctness
from autokb.tasks.issues.check_rules.task import CheckedRules
from autokb.tasks.judges.correctness.task import JudgedCorrectness


def said(*verdicts: str) -> list[JudgedCorrectness | None]:
    return [None if v == "failed" else JudgedCorrectness(reason="r", verdict=v) for v in verdicts]  # type: ignore[arg-type]


def checked(*verdicts: str) -> CheckedRules:
    return CheckedRules(
        verdicts=tuple(
            RuleVerdict(rule=f"rule-{n}", verdict=v, reason="r")  # type: ignore[arg-type]
            for n, v in enumerate(verdicts, 1)
        )
    )


def test_correct_is_the_share_of_yes_among_yes_and_no() -> None:
    found = judged_correctness(said("yes", "yes", "no", "yes", "unsure", "not judged", "failed")).as_json()
    assert found["value"] == pytest.approx(3 / 4)
    assert 0 <= found["low"] < 3 / 4 < found["high"] <= 1
    assert (found["judged"], found["not_judged"], found["unsure"], found["failed"]) == (4, 3, 1, 1)


@pytest.mark.parametrize("verdicts", [(), ("not judged", "not judged"), ("failed",), ("unsure",)])
def test_what_nobody_judged_is_null_and_never_0(verdicts: tuple[str, ...]) -> None:
    found = judged_correctness(said(*verdicts)).as_json()
    assert (found["value"], found["low"], found["high"], found["judged"]) == (None, None, None, 0)
    assert found["not_judged"] == len(verdicts)


def test_compliance_is_the_share_of_solutions_that_break_no_rule() -> None:
    replies = [
        checked("kept", "not applicable"),
        checked("kept", "broken"),
        checked("broken", "not judged"),
        checked("kept", "not judged"),
        checked(),
        None,
    ]
    found = judged_compliance(replies).as_json()
    assert found["value"] == pytest.approx(1 / 3)
    assert (found["judged"], found["not_judged"], found["failed"]) == (3, 3, 1)
    assert found["broken"] == {"rule-1": 1, "rule-2": 1}
