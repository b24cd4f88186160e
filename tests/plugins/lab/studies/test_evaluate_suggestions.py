"""Suggestions of a workspace evaluated: the product, the incumbent, gold documents, short answers, a scripted judge."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.app import SupportKB
from autokb.core.errors import BadInputError, StoppedOnPurposeError
from autokb.plugins.lab.evaluation.sheets import key_path
from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation
from autokb.stores.workspace import Workspace
from scripted_suggestions import ScriptedSuggestions
from stub_server import StubServer

RAIN = "my robot stops as soon as it rains"
CASES = [
    {"id": "rain", "messages": [RAIN], "reply": "Please dry the rain sensor.", "documents": ["rain"]},
    {"id": "dock", "messages": ["the battery does not charge in the dock"], "reply": "Clean the contacts of the dock."},
    {"id": "pizza", "messages": ["do you sell pizza with extra cheese"], "reply": ""},
]
USUAL = {"answered", "coverage@1", "coverage@3", "tfidf_similarity@1", "rouge_l@3", "words", "suggestions", "seconds"}


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return write(tmp_path / "cases.jsonl", *CASES)


def write(path: Path, *cases: dict[str, Any]) -> Path:
    made = [{**c, "messages": [{"role": "customer", "text": text} for text in c["messages"]]} for c in cases]
    path.write_text("".join(f"{json.dumps(case)}\n" for case in made), encoding="utf-8")
    return path


def evaluate(workspace: Workspace, cases: Path, *systems: str, model: str = "", **wanted: Any) -> dict[str, Any]:
    kb = SupportKB.open(workspace.folder, model=model)
    budget = wanted.pop("budget", None)
    return kb.evaluate.suggestions(SuggestionEvaluation(cases, systems, **wanted), budget=budget).as_json()


def values(answer: dict[str, Any], system: str, metric: str) -> dict[str, float]:
    found: dict[str, float] = answer["systems"][system]["per_query"].get(metric, {})
    return found


def test_the_product_beside_the_incumbent(hand_made: Workspace, cases: Path) -> None:
    answer = evaluate(hand_made, cases)
    assert list(answer["systems"]) == ["autokb", "incumbent"]
    ours = answer["systems"]["autokb"]
    assert ours["metrics"].keys() >= USUAL
    assert all(set(ends) == {"value", "low", "high"} for ends in ours["metrics"].values())
    assert values(answer, "autokb", "coverage@1") == {"rain": 1.0, "dock": 1.0}
    assert values(answer, "autokb", "document_right@1") == {"rain": 1.0}  # the other case names no document
    assert values(answer, "autokb", "refused") == {"pizza": 1.0}
    assert (ours["metrics"]["consistency@3"]["value"], ours["metrics"]["quotes_verbatim"]["value"]) == (1.0, 1.0)
    assert ours["verdicts"] == {"correct": 1, "incorrect": 0, "unsure": 0, "not judged": 2}
    assert values(answer, "incumbent", "refused") == {"pizza": 0.0}
    differences = {(d["system"], d["baseline"], d["metric"]) for d in answer["differences"]}
    assert ("autokb", "incumbent", "rouge_l@1") in differences
    assert all({"value", "low", "high", "p_value", "cases"} <= d.keys() for d in answer["differences"])
    assert answer["cases"]["out_of_domain"] == {"n": 1, "mean_words": 7.0}
    assert answer["cases"]["unresolved"] == [] and answer["cases"]["documents"]["n"] == 5
    assert "judge" not in answer and answer["calls"] == 0
    assert json.loads(json.dumps(answer)) == answer


def test_without_chats_the_incumbent_chooses_among_the_other_cases_and_says_so(
    hand_made: Workspace, cases: Path
) -> None:
    answer = evaluate(hand_made, cases, "incumbent")
    assert "chooses among the replies of the other cases" in answer["notes"][0]
    assert values(answer, "incumbent", "suggestions")["rain"] == 1  # only the other case with a reply
    assert values(answer, "incumbent", "suggestions")["pizza"] == 2


def test_the_incumbent_gives_past_replies_and_never_that_of_the_case(hand_made: Workspace, tmp_path: Path) -> None:
    chats = [
        {"conversation": "one", "messages": [("customer", RAIN), ("agent", "Dry the rain sensor with a cloth.")]},
        {"conversation": "two", "messages": [("customer", "the blades are blunt"), ("agent", "Turn the blades over.")]},
    ]
    path = tmp_path / "chats.jsonl"
    lines = [{**c, "messages": [{"role": r, "text": t} for r, t in c["messages"]]} for c in chats]  # type: ignore[misc]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
    SupportKB.open(hand_made.folder).add([path], "chats")
    asked = {"messages": ["it stops in the rain"], "reply": "Dry the rain sensor with a cloth."}
    answer = evaluate(
        hand_made, write(tmp_path / "c.jsonl", {"id": "new", **asked}, {"id": "one:1", **asked}), "incumbent"
    )
    assert answer["notes"] == []
    found = values(answer, "incumbent", "rouge_l@1")
    assert found["new"] == 1.0 > found["one:1"]
    assert values(answer, "incumbent", "suggestions") == {"new": 2.0, "one:1": 1.0}


def test_on_gold_documents_nothing_else_is_cited_and_cases_without_any_are_left_out(
    hand_made: Workspace, tmp_path: Path
) -> None:
    asked = {"messages": [RAIN], "reply": "Dry it."}
    cases = write(tmp_path / "c.jsonl", {"id": "wrong", **asked, "documents": ["charging"]}, {"id": "none", **asked})
    answer = evaluate(hand_made, cases, "autokb", "autokb+gold")
    assert values(answer, "autokb", "document_right@3") == {"wrong": 0.0}
    assert values(answer, "autokb+gold", "document_right@1") == {"wrong": 1.0}
    assert values(answer, "autokb+gold", "answered") == {"wrong": 1.0}


def test_short_answers_stand_in_their_passages(
    hand_made: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shortly(body: dict[str, Any]) -> dict[str, Any]:
        lines = re.findall(r"^\[(\d+)\] .*sun spares", body["messages"][1]["content"], re.MULTILINE)
        answer = "the garage roof" if lines else "NOANSWERFOUND"
        return {"answers": [{"number": 1, "line": int((lines or [0])[0]), "answer": answer}]}

    asked = {
        "messages": ["What is screwed to the dock so that the sun spares the robot?"],
        "reply": "",
        "documents": [],
    }
    cases = write(
        tmp_path / "c.jsonl",
        {"id": "roof", **asked, "answers": ["garage roof"], "documents": ["garage"]},
        {"id": "out", "messages": ["Who won the cup final last Sunday?"], "reply": ""},
    )
    with StubServer(shortly) as server:
        set_model(hand_made, server, monkeypatch)
        systems = ("short_answer@1", "short_answer@3", "short_answer+gold")
        answer = evaluate(hand_made, cases, *systems, model="openai:scripted")
    for system in ("short_answer@3", "short_answer+gold"):
        assert values(answer, system, "document_right@1") == {"roof": 1.0}
        assert values(answer, system, "token_f1") == {"roof": 1.0}  # stop words are no words
        assert answer["systems"][system]["metrics"]["consistency@1"]["value"] == 1.0
        assert answer["systems"][system]["metrics"]["words"]["high"] < 10
    assert values(answer, "short_answer@1", "refused") == {"out": 1.0}
    assert "out" not in values(answer, "short_answer+gold", "seconds")  # it has no document


def set_model(workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
    (workspace.folder / "settings.yaml").write_text(yaml.safe_dump(settings))


@pytest.mark.parametrize("system", ["short_answer@1", "react@3", "chain_of_thought+gold", "chain_of_verification@1"])
def test_a_system_that_only_a_model_can_be_is_refused_without_one(
    hand_made: Workspace, cases: Path, system: str
) -> None:
    with pytest.raises(BadInputError, match=re.escape(f"The system {system} needs a model; name one with --model")):
        evaluate(hand_made, cases, "autokb", system)


def test_strategies_with_one_passage_three_and_the_right_one(
    hand_made: Workspace, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("plain@1", "react@3", "chain_of_thought+gold")
    with StubServer(ScriptedSuggestions()) as server:
        set_model(hand_made, server, monkeypatch)
        answer = evaluate(hand_made, cases, *names, model="openai:scripted")
    assert list(answer["systems"]) == list(names)
    assert values(answer, "react@3", "answered")["rain"] == 1.0
    assert values(answer, "plain@1", "refused") == {"pizza": 1.0}
    assert values(answer, "chain_of_thought+gold", "document_right@1") == {"rain": 1.0}
    assert values(answer, "chain_of_thought+gold", "answered").keys() == {"rain"}
    assert {d["baseline"] for d in answer["differences"]} == {"plain@1"}


def test_what_a_strategy_asks_of_a_model_is_on_record(
    hand_made: Workspace, cases: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(lambda _body: "no JSON") as server:
        set_model(hand_made, server, monkeypatch)
        answer = evaluate(hand_made, cases, "autokb", "plain@3", model="openai:scripted")
        assert answer["calls"] == server.requests > 0
        assert values(answer, "autokb", "requests") == {}  # it asks no model, whatever the settings name
        assert values(answer, "plain@3", "requests")["rain"] > 0
        assert values(answer, "plain@3", "fallback")["rain"] == 1.0  # the model failed: own words stood in
        assert answer["cost"] > 0
        with pytest.raises(StoppedOnPurposeError, match="The budget is reached"):
            evaluate(hand_made, cases, "react@3", model="openai:scripted", budget=0.0)


def judge(body: dict[str, Any]) -> dict[str, Any]:
    """Judge suggestions that speak of the sensor as correct, and every one as borne out but those of the dock."""
    user = body["messages"][1]["content"]
    if body["response_format"]["json_schema"]["name"] == "judges_consistency":
        shown = re.findall(r"<suggestion number=\"(\d+)\">\n(.*?)\n<passage>", user, re.DOTALL)
        said = [(int(number), "no" if "dock" in text else "yes") for number, text in shown]
        return {"answers": [{"number": number, "reason": "r", "verdict": verdict} for number, verdict in said]}
    assert body["response_format"]["json_schema"]["name"] == "judges_reply_correctness"
    cases = re.findall(r"<case number=\"(\d+)\">(.*?)</case>", user, re.DOTALL)
    verdicts = [
        {
            "number": int(number),
            "reason": "It speaks of it.",
            "verdict": "correct" if "sensor" in text.partition("<suggestion>")[2] else "incorrect",
        }
        for number, text in cases
    ]
    return {"answers": verdicts}


@pytest.fixture
def model(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> Any:
    with StubServer(judge) as server:
        set_model(hand_made, server, monkeypatch)
        yield server


def test_a_model_judges_what_refusals_do_not_settle(hand_made: Workspace, cases: Path, model: StubServer) -> None:
    answer = evaluate(hand_made, cases, "autokb", judge=True, model="openai:scripted")
    ours = answer["systems"]["autokb"]
    assert (answer["judge"], ours["verdicts"]["not judged"]) == ("openai:scripted", 0)
    # rain: correct by the judge; dock: incorrect by the judge; pizza: refused, as it should be
    assert values(answer, "autokb", "accuracy") == {"rain": 1.0, "dock": 0.0, "pizza": 1.0}
    rates = [ours["metrics"][name]["value"] for name in ("accuracy", "hallucination_rate", "missing_rate")]
    assert rates == pytest.approx([2 / 3, 1 / 3, 0])
    assert values(answer, "autokb", "consistency_judged@1") == {"rain": 1.0, "dock": 0.0}
    asked = "".join(str(body["messages"]) for body in model.bodies)
    assert "pizza" not in asked and answer["calls"] == model.requests > 0
    again = evaluate(hand_made, cases, "autokb", judge=True, model="openai:scripted")
    assert (again["calls"], again["systems"]["autokb"]["verdicts"]) == (0, ours["verdicts"])


def test_no_model_is_asked_without_judge_and_a_budget_holds(
    hand_made: Workspace, cases: Path, model: StubServer
) -> None:
    evaluate(hand_made, cases, "autokb", model="openai:scripted")
    assert model.requests == 0
    with pytest.raises(StoppedOnPurposeError):
        evaluate(hand_made, cases, "autokb", judge=True, model="openai:scripted", budget=0.0)
    assert model.requests == 0


def test_a_judge_that_fails_judges_nothing(hand_made: Workspace, cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(lambda _body: "no JSON") as server:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        settings = {"base_url": server.url, "retries": 1}
        (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump(settings))
        answer = evaluate(hand_made, cases, "autokb", judge=True, model="openai:scripted")
    assert answer["systems"]["autokb"]["verdicts"]["not judged"] == 2 and len(answer["failures"]) == 4
    assert answer["systems"]["autokb"]["metrics"]["accuracy"] == {"value": None, "low": None, "high": None}


def test_offline_only_refusals_are_judged_and_that_is_said(hand_made: Workspace, cases: Path) -> None:
    answer = evaluate(hand_made, cases, "autokb", judge=True)
    ours = answer["systems"]["autokb"]
    assert (answer["judge"], ours["verdicts"]["correct"], ours["verdicts"]["not judged"]) == ("offline", 1, 2)
    assert ours["metrics"]["accuracy"]["value"] is None and "No model is set" in answer["notes"][0]


def test_the_retrievers_own_encoder_compares_no_replies(hand_made: Workspace, cases: Path) -> None:
    with pytest.raises(BadInputError, match="packaged is the encoder that finds the suggestions"):
        evaluate(hand_made, cases, "autokb", similarity="packaged")
    with pytest.raises(BadInputError, match="is not known to this version"):
        evaluate(hand_made, cases, "autokb", similarity="word2vec")


def test_another_encoder_compares_replies(hand_made: Workspace, cases: Path, model: StubServer) -> None:
    answer = evaluate(hand_made, cases, "autokb", similarity="openai:other")
    found = values(answer, "autokb", "semantic_similarity@1")
    assert found.keys() == {"rain", "dock"} and all(-1 <= cosine <= 1.0001 for cosine in found.values())
    assert (answer["calls"], model.requests) == (1, 0)  # all texts in one request for vectors; no model is asked
    assert "semantic_similarity@3" in answer["systems"]["autokb"]["metrics"]


def test_people_fill_in_a_sheet_beside_the_judge(
    hand_made: Workspace, cases: Path, model: StubServer, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.csv"
    evaluate(hand_made, cases, sheet=sheet)
    key = json.loads(key_path(sheet).read_text(encoding="utf-8"))["items"]
    with sheet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        ours = next(side for side in "ab" if key[row["item"]][side] == "autokb")
        row["preference"] = ours
        row[f"correctness_{ours}"] = "correct"
    with sheet.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    answer = evaluate(hand_made, cases, read=sheet, judge=True, model="openai:scripted")
    people = answer["sheet"]
    assert people["systems"]["autokb"]["metrics"]["preferred"]["value"] == 1.0
    assert (people["agreement"]["preference"]["agreement"], people["agreement"]["preference"]["pairs"]) == (1.0, 3)
    # both people say correct three times; the judge says incorrect of the dock
    assert people["judge_and_people"]["pairs"] == 6
    assert people["judge_and_people"]["agreement"] == pytest.approx(4 / 6)


def test_a_sheet_in_the_workspaces_folder_is_judged_in_a_browser_and_the_note_says_where(
    hand_made: Workspace, cases: Path, tmp_path: Path
) -> None:
    elsewhere = evaluate(hand_made, cases, sheet=tmp_path / "sheet.csv")["notes"][-1]
    assert f"put it into {hand_made.folder}/sheets" in elsewhere
    here = evaluate(hand_made, cases, sheet=hand_made.folder / "sheets" / "june.csv")["notes"][-1]
    assert "in a browser at /evaluation/suggestions" in here and here.endswith(f"autokb serve {hand_made.folder}")
    assert (hand_made.folder / "sheets").stat().st_mode & 0o777 == 0o700
    assert SupportKB(hand_made).evaluate.sheet_case("june", "ann").cases == 3


def test_unknown_systems_and_baselines_are_refused(hand_made: Workspace, cases: Path) -> None:
    with pytest.raises(BadInputError, match="'bert' is no system"):
        evaluate(hand_made, cases, "bert")
    with pytest.raises(BadInputError, match="'incumbent' is not among the systems: autokb"):
        evaluate(hand_made, cases, "autokb", baseline="incumbent")
