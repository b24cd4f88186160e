"""The task that judges whether a solution is correct."""

from __future__ import annotations

import pytest

from autokb.tasks.judges.correctness.model import ASKING
from autokb.tasks.judges.correctness.task import TASK, JudgeCorrectness, JudgedCorrectness
from autokb.tasks.prompts import render
from autokb.tasks.task import ReplyError

ITEM = JudgeCorrectness("lawn robots", "It stops", (), "Dry it", ("Wipe it.",), ("Wipe it.",))


def test_offline_it_is_not_judged_and_never_good() -> None:
    assert TASK.answer_offline(ITEM).verdict == "not judged"


def test_a_verdict_needs_a_reason() -> None:
    with pytest.raises(ReplyError, match="'yes' needs a reason"):
        TASK.check(ITEM, JudgedCorrectness(reason=" ", verdict="yes"))


def test_a_model_cannot_say_that_it_did_not_judge() -> None:
    kind = ASKING.entry((ITEM,))
    with pytest.raises(ValueError, match="not judged"):
        kind.model_validate({"number": 1, "reason": "r", "verdict": "not judged"})
    assert list(kind.model_fields) == ["number", "reason", "verdict"]  # the reason comes before the verdict


def test_a_long_reason_is_cut_and_no_error() -> None:
    entry = ASKING.entry((ITEM,)).model_validate({"number": 1, "reason": "r" * 999, "verdict": "no"})
    found, complaints = ASKING.read((ITEM,), 0, entry, {})
    assert (found.reason, found.verdict, complaints) == ("r" * 300, "no", ())


def test_a_node_for_everybody_says_so() -> None:
    _, user = render(ASKING.package, ASKING.values((ITEM,)))
    assert "<for>\n- everybody\n</for>" in user
