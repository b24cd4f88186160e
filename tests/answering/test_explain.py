"""Why a question got its answer: in the JSON, on the terminal and over HTTP only for who asks for it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.cli import main
from autokb.retrieval.features import FEATURES
from autokb.stores.workspace import Workspace
from tiny_cross_encoder import save_tiny_cross_encoder

PAIR = "my robot does not pair with my iPhone"


def test_what_counts_for_a_candidate_adds_up_to_its_score(hand_made: Workspace) -> None:
    answer = SupportKB(hand_made).ask(PAIR, explain=True).as_json()
    json.dumps(answer, allow_nan=False)
    why = answer["explain"]
    assert list(why) == ["features", "weights", "candidates", "probabilities"]
    assert why["features"] == list(FEATURES) == list(why["weights"])
    scores = [one["score"] for one in why["candidates"]]
    assert scores == sorted(scores, reverse=True) and 1 < len(scores) <= 20
    for one in why["candidates"]:
        assert list(one) == ["document", "heading", "solution_id", "score", "values", "fits", "issue"]
        parts = zip(why["weights"].values(), one["values"], strict=True)
        assert one["score"] == pytest.approx(sum(weight * value for weight, value in parts))
        assert one["fits"] or one["issue"] is None
    first = next(one for one in why["candidates"] if one["fits"])
    of_match = answer["matches"][0]
    assert first["solution_id"] in [one["id"] for one in of_match["solutions"]]
    assert (first["issue"]["id"], first["issue"]["match"]) == (of_match["issue"]["id"], of_match["match"])
    assert round(why["probabilities"]["first_right"], 4) == answer["confidence"]
    assert any(not one["fits"] for one in why["candidates"]), "what is for Android is marked"


def test_what_a_reader_said_is_one_more_column_with_its_time(
    hand_made: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = save_tiny_cross_encoder(tmp_path / "tiny", words=("gloves", "dock", "reset"))
    (hand_made.folder / "settings.yaml").write_text(f"reranker: local:{folder}\n", encoding="utf-8")
    why = SupportKB.open(hand_made.folder).ask(PAIR, explain=True).as_json()["explain"]
    assert why["features"] == [*FEATURES, "reader"] == list(why["weights"]) and why["weights"]["reader"] == 2.0
    assert why["reader"]["name"] == "local:tiny" and why["reader"]["seconds"] > 0
    assert any(one["values"][-1] for one in why["candidates"])
    scores = [one["score"] for one in why["candidates"]]
    assert scores == sorted(scores, reverse=True)
    for one in why["candidates"]:
        parts = zip(why["weights"].values(), one["values"], strict=True)
        assert one["score"] == pytest.approx(sum(weight * value for weight, value in parts))
    assert main(["ask", str(hand_made.folder), PAIR, "--explain"]) == 0
    assert "reranker local:tiny: took " in capsys.readouterr().out


def test_an_answer_that_abstains_is_explained_too(hand_made: Workspace) -> None:
    answer = SupportKB(hand_made).ask("What is the capital of France?", explain=True)
    assert answer.outcome == "abstains" and answer.explanation is not None
    assert answer.explanation.candidates and answer.explanation.probabilities.answerable < 0.5


def test_nobody_is_told_why_who_does_not_ask(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    plain, explained = kb.ask(PAIR), kb.ask(PAIR, explain=True)
    assert "explain" not in plain.as_json() and plain == explained


def test_the_terminal_shows_the_features_and_the_issues(
    hand_made: Workspace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")

    def shown(*options: str, folder: Path = hand_made.folder) -> str:
        capsys.readouterr()
        assert main(["ask", str(folder), PAIR, *options]) == 0
        return capsys.readouterr().out

    assert "similarity" not in shown() and "exact" not in shown() and "why:" not in shown()
    why = shown("--explain")
    assert "why: weight x value of each feature" in why and "interaction" in why
    assert "for others: app/pair" in why and "similarity 0." in why
    assert json.loads(shown("--explain", "--json"))["explain"]["candidates"]
