"""Paraphrases are measured by node and chunk, level by level, with the arithmetic written out."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from autokb.core.errors import BadInputError
from autokb.plugins.lab.evaluation.compare import compare
from autokb.plugins.lab.evaluation.report import answer_tables, terminal_tables
from autokb.plugins.lab.evaluation.retrieval.experiment import System
from autokb.plugins.lab.evaluation.retrieval.paraphrase_experiment import ParaphrasedText, evaluate_paraphrases

TEXTS = (
    ParaphrasedText("n1", "nodes", ("a", "b"), {"easy": ("1", "2"), "medium": ("3",), "hard": ("4", "5")}),
    ParaphrasedText("n2", "nodes", ("c",), {"easy": ("6",), "medium": (), "hard": ("7",)}),
    ParaphrasedText("k1", "chunks", ("a",), {"easy": ("8",), "medium": ("9",), "hard": ("10",)}),
    ParaphrasedText("none", "chunks", ("a",), {"easy": (), "medium": (), "hard": ()}),
)
FOUND = {"1": ["a"], "2": ["x", "b"], "3": ["a"], "4": ["x"], "5": ["b", "b", "a"], "6": ["c"], "7": ["x"], "8": ["a"]}
SYSTEMS = {
    "raw": System(lambda text: FOUND.get(text, ["x", "y"])),
    "best": System(lambda _text: ["a", "b", "c"]),
}
# Hits at 1 of raw. n1: easy 1 0, medium 1, hard 0 1. n2: easy 1, hard 0. k1: easy 1, medium 0, hard 0.


def test_a_text_counts_once_by_the_mean_of_its_paraphrases() -> None:
    answer = evaluate_paraphrases(SYSTEMS, TEXTS, metrics=("hit_rate@1", "mrr")).as_json()
    raw = answer["systems"]["raw"]
    assert raw["metrics"]["hit_rate@1"]["value"] == pytest.approx((3 / 5 + 1 / 2 + 1 / 3) / 3)
    assert raw["levels"]["easy"]["metrics"]["hit_rate@1"]["value"] == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert raw["levels"]["easy"]["metrics"]["mrr"]["value"] == pytest.approx(((1 + 1 / 2) / 2 + 1 + 1) / 3)
    assert raw["levels"]["medium"]["metrics"]["hit_rate@1"]["value"] == pytest.approx((1 + 0) / 2)
    assert raw["levels"]["medium"]["measured"] == 2  # n2 has no medium paraphrase
    assert raw["levels"]["hard"]["metrics"]["hit_rate@1"]["value"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert raw["origins"]["nodes"]["metrics"]["hit_rate@1"]["value"] == pytest.approx((3 / 5 + 1 / 2) / 2)
    assert raw["origins"]["chunks"]["metrics"]["hit_rate@1"]["value"] == pytest.approx(1 / 3)
    assert answer["queries"] == {"nodes": 2, "chunks": 1, "variations": {"easy": 4, "medium": 2, "hard": 4}}


NODES = (
    ParaphrasedText("n1", "nodes", ("a",), {"easy": ("1", "2"), "hard": ("3",)}, "t1"),
    ParaphrasedText("n2", "nodes", ("a",), {"easy": ("4",), "hard": ("5",)}, "t2"),
    ParaphrasedText("k1", "chunks", ("a",), {"easy": ("6",), "hard": ("7",)}),
)
MATCHES = {
    "1": [("n1", "t1")],
    "2": [("p", "t1"), ("n1", "t1")],
    "3": [("n2", "t2"), ("x", "t1")],
    "4": [("n2", "t2")],
    "5": [],
}


def test_the_node_that_was_asked_and_its_tree_count_beside_documents() -> None:
    def matches(text: str) -> list[tuple[str, str]]:
        return MATCHES[text]  # chunks are no nodes: a KeyError if they were asked

    nodes = {"raw": None, "children": lambda _text: [("n1", "t1"), ("n2", "t2")], "autokb+hr": matches}
    systems = {name: System(lambda _text: ["a"], nodes=of) for name, of in nodes.items()}
    answer = evaluate_paraphrases(systems, NODES, metrics=("hit_rate@1",)).as_json()
    asked = answer["systems"]["autokb+hr"]
    assert asked["metrics"]["node_hit@1"]["value"] == pytest.approx((1 / 3 + 1 / 2) / 2)  # n1: 1 0 0, n2: 1 0
    assert asked["metrics"]["node_hit@3"]["value"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert asked["metrics"]["tree_hit@1"]["value"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert asked["metrics"]["tree_hit@5"]["value"] == pytest.approx((3 / 3 + 1 / 2) / 2)
    assert asked["metrics"]["node_offered"]["value"] == pytest.approx((3 / 3 + 1 / 2) / 2)  # 5 is offered none
    assert asked["levels"]["hard"]["metrics"]["tree_hit@3"]["value"] == pytest.approx((1 + 0) / 2)
    assert asked["per_query"]["node_hit@1"] == {"n1": pytest.approx(1 / 3), "n2": 0.5}
    assert asked["metrics"]["hit_rate@1"]["value"] == 1  # over chunks too
    assert "node_hit@1" not in asked["origins"]["chunks"]["metrics"]
    assert not any(name.startswith(("node", "tree")) for name in answer["systems"]["raw"]["metrics"])
    difference = next(d for d in answer["differences"] if d["metric"] == "node_hit@1")
    assert (difference["system"], difference["baseline"]) == ("autokb+hr", "children")
    assert difference["value"] == pytest.approx((1 / 3 + 1 / 2) / 2 - 1 / 2)
    titles = [table.name for table in answer_tables(answer)]
    assert "Systems (mean and 95 % interval): node_hit, tree_hit, node_offered" in titles
    assert {"Differences to raw (paired)", "Differences to children (paired)"} <= set(titles)


def test_a_chunk_that_answers_a_text_counts_for_systems_that_find_chunks() -> None:
    texts = (
        ParaphrasedText("n1", "nodes", ("a",), {"easy": ("1", "2"), "hard": ("3",)}, "t1", ("c1", "c2")),
        ParaphrasedText("c3", "chunks", ("a",), {"easy": ("4",), "hard": ("5",)}, chunks=("c3",)),
        ParaphrasedText("n2", "nodes", ("a",), {"easy": ("6",)}, "t2"),  # in no chunk: it says nothing of the search
    )
    found = {"1": ["c2"], "2": ["x", "c1"], "3": ["x"], "4": ["c3"], "5": ["c1"]}
    chunks = {"raw": lambda text: found[text], "children": None}
    systems = {name: System(lambda _text: ["a"], chunks=of) for name, of in chunks.items()}
    answer = evaluate_paraphrases(systems, texts).as_json()
    raw = answer["systems"]["raw"]
    assert raw["per_query"]["chunk_hit@1"] == {"n1": pytest.approx(1 / 3), "c3": 0.5}
    assert raw["metrics"]["chunk_hit@3"]["value"] == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert raw["per_query"]["levels.hard.chunk_hit@1"] == {"n1": 0.0, "c3": 0.0}
    assert not any(name.startswith("chunk_hit") for name in answer["systems"]["children"]["metrics"])


def test_the_interval_resamples_texts_and_not_paraphrases() -> None:
    # One text with some paraphrases, all found or none: between texts nothing varies, so the interval is one point.
    same = [ParaphrasedText(f"n{n}", "nodes", ("a",), {"easy": ("1", "4")}) for n in range(4)]
    easy = evaluate_paraphrases({"raw": SYSTEMS["raw"]}, same).as_json()["systems"]["raw"]["levels"]["easy"]
    assert easy["metrics"]["hit_rate@1"] == {"value": 0.5, "low": 0.5, "high": 0.5}


def test_differences_are_paired_by_text() -> None:
    answer = evaluate_paraphrases(SYSTEMS, TEXTS, metrics=("hit_rate@1",)).as_json()
    (difference,) = answer["differences"]
    best = (1 + 0 + 1) / 3
    assert (difference["system"], difference["baseline"]) == ("best", "raw")
    assert difference["value"] == pytest.approx(best - (3 / 5 + 1 / 2 + 1 / 3) / 3)
    (hard,) = answer["systems"]["best"]["levels"]["hard"]["differences"]
    assert hard["value"] == pytest.approx(best - (1 / 2) / 3)


def test_two_stored_answers_are_compared_text_by_text() -> None:
    answer = evaluate_paraphrases(SYSTEMS, TEXTS, metrics=("hit_rate@1",)).as_json()
    found = compare(answer, answer, "raw.levels.easy.hit_rate@1", 0.0)
    assert [(c.name, c.paired, c.after - c.before) for c in found.differences] == [
        ("raw.levels.easy.hit_rate@1", 3, 0.0)
    ]
    assert found.exit_status == 0


def test_every_level_has_its_table() -> None:
    out = io.StringIO()
    answer = evaluate_paraphrases(SYSTEMS, TEXTS, metrics=("hit_rate@1",)).as_json()
    for table in terminal_tables(answer_tables(answer)):
        Console(file=out, width=200).print(table)
    shown = out.getvalue()
    assert [f"{part} only" in shown for part in ("easy", "medium", "hard", "nodes", "chunks")] == [True] * 5
    assert "0.833 [" in shown  # easy of raw


def test_nothing_to_ask_is_said() -> None:
    with pytest.raises(BadInputError, match="no variations"):
        evaluate_paraphrases(SYSTEMS, TEXTS[3:])
