"""Some of the random sequences of what people decide: nothing is lost, and the end equals a fresh build."""

from __future__ import annotations

import pytest
from benchmarks.decision_model import Built, Choice, Model
from benchmarks.decisions import run_sequences

PLACE = ("tree", "a.md", "Title\nOld", ("Old",))


@pytest.mark.slow
def test_random_sequences_of_decisions_builds_and_imports_lose_nothing() -> None:
    result = run_sequences(range(10), seed=7)
    assert result.detail["violations"] == {}
    figures = {figure.name: figure.value for figure in result.figures}
    assert figures["decisions"] > 10
    assert result.detail["after_all_steps"]["decisions with their solution gone"] > 0


def test_the_model_sees_what_is_wrong() -> None:
    model = Model(built={"s": Built("s", PLACE, "displayed")}, parents={"tree": None})
    model.choose(Choice("edit", "s", "New"))
    model.choose(Choice("verdict", "s", "New", verdict="approved"))
    assert (model.texts, model.statuses) == ({"s": "New"}, {"s": "approved"})
    model.choose(Choice("edit", "s", "Newer"))
    assert model.statuses == {"s": "displayed"}
    model.built = {}
    model.work_out()
    assert len(model.orphans) == 3
    model.built = {"t": Built("t", PLACE, "displayed")}
    model.work_out()
    assert (model.texts, model.orphans, model.count_followed()) == ({"t": "Newer"}, [], 2)
