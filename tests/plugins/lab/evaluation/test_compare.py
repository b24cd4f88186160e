"""Comparing two stored answers: pairing, the gate, and answers of every command."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.compare import NO_DIFFERENCE, compare, read_answer
from autokb.plugins.lab.evaluation.retrieval.experiment import measure

RELEVANT = {f"q{n}": {"a": 1.0} for n in range(40)}


def answer(hits: int) -> dict[str, Any]:
    """An answer whose system finds the document for the first ``hits`` of 40 queries; ``raw`` never changes."""
    good = {q: ("a",) if n < hits else ("b", "a") for n, q in enumerate(RELEVANT)}
    raw = dict.fromkeys(RELEVANT, ("b", "a"))
    return json.loads(json.dumps(measure({"raw": raw, "autokb": good}, RELEVANT).as_json()))


def test_a_fall_beyond_the_margin_fails() -> None:
    found = compare(answer(20), answer(16), "hit_rate@1", 0.05)
    assert found.fell == ("autokb.hit_rate@1",)
    assert found.exit_status == 1


@pytest.mark.parametrize(("before", "after"), [(20, 16), (16, 20), (20, 20)])
def test_a_fall_of_exactly_the_margin_a_rise_and_no_gate_pass(before: int, after: int) -> None:
    assert compare(answer(before), answer(after), "hit_rate@1", 0.1).exit_status == 0
    assert compare(answer(before), answer(after), "hit_rate@1").exit_status == 0


def test_differences_are_paired_where_rankings_allow_it() -> None:
    found = {c.system: c for c in compare(answer(20), answer(16), "hit_rate@1").differences}
    change = found["autokb"]
    assert change.as_json()["value"] == pytest.approx(-0.1)
    assert change.paired == 40
    assert change.low is not None
    assert change.high is not None
    assert change.low < -0.1 < change.high <= 0
    assert (found["raw"].low, found["raw"].high) == (0, 0)


@pytest.mark.parametrize(
    ("before", "after", "wins", "losses", "verdict"),
    [(20, 20, 0, 0, NO_DIFFERENCE), (20, 21, 1, 0, NO_DIFFERENCE), (10, 30, 20, 0, "higher"), (30, 10, 0, 20, "lower")],
)
def test_a_difference_is_claimed_only_where_its_interval_leaves_out_0(
    before: int, after: int, wins: int, losses: int, verdict: str
) -> None:
    change = compare(answer(before), answer(after), "autokb.hit_rate@1").differences[0].as_json()
    assert (change["wins"], change["losses"], change["verdict"]) == (wins, losses, verdict)
    assert (change["low"] <= 0 <= change["high"]) == (verdict == NO_DIFFERENCE)
    rose = sorted(f"q{n}" for n in range(before, after))
    fell = sorted(f"q{n}" for n in range(after, before))
    assert change["queries"] == {"won": rose, "lost": fell}


def test_stored_values_of_queries_are_paired_too() -> None:
    def suggestions(values: dict[str, float]) -> dict[str, Any]:
        mean = {"value": sum(values.values()) / len(values), "low": 0, "high": 1}
        return {"systems": {"plain": {"metrics": {"rouge": mean}, "per_query": {"rouge": values}}}}

    found = compare(suggestions({"a": 0.5, "b": 0.5}), suggestions({"b": 0.25, "a": 0.25})).differences[0]
    assert (found.paired, found.low, found.high) == (2, -0.25, -0.25)


def test_without_rankings_the_difference_has_no_ends() -> None:
    before, after = answer(20), answer(16)
    for body in after["systems"].values():
        del body["rankings"]
    found = compare(before, after, "autokb.hit_rate@1", 0.05)
    assert [c.name for c in found.differences] == ["autokb.hit_rate@1"]
    assert found.differences[0].low is None
    assert found.differences[0].verdict is None
    assert found.exit_status == 1


def test_without_a_metric_everything_is_compared() -> None:
    found = compare(answer(20), answer(20))
    assert {c.metric for c in found.differences} >= {"hit_rate@1", "mrr", "ndcg@10"}
    assert all(c.before == c.after for c in found.differences)


def test_quality_and_chunking_answers() -> None:
    before = {"q_m": {"value": 0.8}, "q_d": {"value": 1.0}, "q_c": {"value": None}}
    found = compare(before, {"q_m": {"value": 0.7}, "q_d": {"value": None}}, None, 0.01)
    assert found.fell == ("q_m",)
    assert found.missing == ("q_d",)
    sizes = [{"methods": {"fixed": {"chunks": n, "size": {"mean": 10.0 * n}}}} for n in (3, 4)]
    change = compare(sizes[0], sizes[1], "size.mean").differences[0]
    assert (change.name, change.before, change.after) == ("fixed.size.mean", 30, 40)


def test_a_system_that_is_gone_is_named() -> None:
    after = copy.deepcopy(answer(20))
    del after["systems"]["autokb"]
    assert compare(answer(20), after, "mrr").missing == ("autokb.mrr",)


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=r"hit_rate@2 .*hit_rate@1"):
        compare(answer(1), answer(1), "hit_rate@2")
    with pytest.raises(BadInputError, match="0 or more"):
        compare(answer(1), answer(1), "mrr", -0.1)
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "no.json").write_text("{")
    for name, said in (("list.json", "no answer"), ("no.json", "not valid JSON"), ("none.json", "cannot be read")):
        with pytest.raises(BadInputError, match=said):
            read_answer(tmp_path / name)


def test_the_comparison_can_be_stored() -> None:
    stored = json.loads(json.dumps(compare(answer(20), answer(16), "mrr", 0.0).as_json()))
    assert stored["fell"] == ["autokb.mrr"]
    assert {"system", "baseline", "metric", "value", "low", "high"} <= set(stored["differences"][0])
