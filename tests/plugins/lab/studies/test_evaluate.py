"""Evaluations of a workspace, with a scripted model behind them: paraphrases, the LLM-only baseline, quality."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

import hand_made_kb
from autokb.app import SupportKB
from autokb.core.errors import AutokbError, BadInputError, StoppedOnPurposeError
from autokb.exchange.import_kb import import_file
from autokb.pipeline.model_session import ModelOptions
from autokb.plugins.lab.studies import evaluate
from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import Workspace, create_workspace, open_workspace
from autokb.tasks.issues.check_rules.task import NOTHING_NAMED
from stub_server import StubServer
from tiny_cross_encoder import save_tiny_cross_encoder

OFFLINE = {"calls": 0, "cached": 0, "tokens": {"input": 0, "output": 0, "reasoning": 0}, "cost": 0.0}


def asked_of(workspace: Workspace, server: StubServer, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = {"base_url": server.url, "retries": 1, "prices": {"scripted": {"input": 1.0, "output": 2.0}}}
    (workspace.folder / "settings.yaml").write_text(yaml.safe_dump(settings))
    return open_workspace(workspace.folder, model="openai:scripted")


def paraphrases(workspace: Workspace, *words: Any, **options: Any) -> dict[str, Any]:
    return evaluate.evaluate_workspace_paraphrases(workspace, *words, **options).as_json()


def retrieval(workspace: Workspace, *words: Any, **options: Any) -> dict[str, Any]:
    return evaluate.evaluate_workspace_retrieval(workspace, *words, **options).as_json()


def quality(workspace: Workspace, *words: Any, **options: Any) -> dict[str, Any]:
    return evaluate.evaluate_workspace_quality(workspace, *words, **options).as_json()


def items(body: dict[str, Any], tag: str) -> list[str]:
    """Return what stands in the user's turn between the tags, item by item."""
    user = body["messages"][1]["content"]
    return re.findall(rf"<{tag} number=\"\d+\">\n(.*?)\n</{tag}>", user, re.DOTALL)


SPENDING = ["failures", "calls", "cached", "tokens", "cost"]


def test_answers_have_the_keys_of_the_interface(hand_made: Workspace, questions: tuple[Path, Path]) -> None:
    assert list(retrieval(hand_made, *questions, ["raw"])) == [
        *("systems", "differences", "relevant", "queries", "seconds"),
        *SPENDING,
    ]
    answer = paraphrases(hand_made, ["raw"], sample=1)
    assert list(answer) == ["systems", "differences", "queries", "seconds", "made_by", "model", "sample", *SPENDING]
    assert list(answer["systems"]["raw"]) == ["metrics", "levels", "origins", "per_query"]
    answer = quality(hand_made, judge=True)
    assert list(answer) == ["q_m", "q_d", "q_c", "solutions", "judged", *SPENDING]
    assert list(answer["judged"]) == ["correctness", "compliance", "model"]
    assert list(answer["judged"]["compliance"]) == [
        *("value", "low", "high", "judged", "not_judged", "failed", "broken", "model")
    ]


# -- paraphrases ----------------------------------------------------------------------------------------------------


def test_mechanical_variations_measure_every_level(hand_made: Workspace) -> None:
    answer = paraphrases(hand_made, ["raw", "autokb+hr"], sample=3)
    assert list(answer["systems"]) == ["raw", "autokb+hr"]
    for body in answer["systems"].values():
        assert list(body["levels"]) == ["easy", "medium", "hard"]
        for level in body["levels"].values():
            assert set(level["metrics"]["hit_rate@1"]) == {"value", "low", "high"}
    assert (answer["made_by"], answer["model"], answer["sample"]) == ("mechanical", "offline", 3)
    assert (answer["queries"]["nodes"], answer["queries"]["chunks"]) == (3, 3)
    assert OFFLINE.items() <= answer.items()
    assert {d["baseline"] for d in answer["differences"]} == {"raw"}
    again = paraphrases(hand_made, ["raw", "autokb+hr"], sample=3)
    assert {**again, "seconds": 0} == {**answer, "seconds": 0}


def test_the_source_node_counts_over_the_same_children_for_every_system(hand_made: Workspace) -> None:
    names = ["raw", "autokb", "autokb+hr", "children", "literal"]
    answer = paraphrases(hand_made, names, sample=100)
    assert answer["queries"]["nodes"] == 7
    assert "node_hit@1" not in answer["systems"]["raw"]["metrics"]
    for name in names[1:]:
        body = answer["systems"][name]
        assert len(body["per_query"]["node_hit@1"]) == len(body["per_query"]["levels.easy.tree_hit@5"]) == 7
        for part in (body, *body["levels"].values(), body["origins"]["nodes"]):
            metrics = {name: part["metrics"][name]["value"] for name in part["metrics"]}
            for k in (1, 3, 5, 10):
                assert 0 <= metrics[f"node_hit@{k}"] <= metrics[f"tree_hit@{k}"] <= 1
            assert metrics["node_hit@1"] <= metrics["node_hit@3"] <= metrics["node_hit@10"]
    assert answer["systems"]["children"]["metrics"]["tree_hit@10"]["value"] == 1  # it ranks all seven


def varied(body: dict[str, Any]) -> dict[str, Any]:
    levels = ("easy", "medium", "hard")
    return {
        "answers": [
            {"number": n, **{level: [f"{text} {level} {k}" for k in range(5)] for level in levels}}
            for n, text in enumerate(items(body, "text"), 1)
        ]
    }


def test_a_model_makes_the_variations_once(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(varied) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        answer = paraphrases(workspace, ["bm25"], sample=4)
        asked = server.requests
        again = paraphrases(workspace, ["bm25"], sample=4)
        assert (server.requests, again["calls"]) == (asked, 0)
    assert asked < 8  # several texts in a request
    assert (answer["made_by"], answer["model"], answer["calls"]) == ("model", "openai:scripted", asked)
    assert answer["queries"]["variations"] == {"easy": 40, "medium": 40, "hard": 40}
    assert answer["cost"] > 0 and answer["failures"] == []
    assert again["systems"] == answer["systems"]


def test_nodes_are_the_matches_of_ask(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(varied) as server:
        answer = paraphrases(asked_of(hand_made, server, monkeypatch), ["autokb+hr"], sample=100)
    body = answer["systems"]["autokb+hr"]
    kb = SupportKB.open(hand_made.folder)
    for node, text in (
        ("pair-ios", "The robot does not pair with the app on an iPhone or iPad"),
        ("pair-ipad", "The robot does not pair with an iPad"),
    ):
        ranks = []
        for k in range(5):
            matched = [match["issue"]["id"] for match in kb.ask(f"{text} easy {k}", k=10).as_json()["matches"]]
            ranks.append(matched.index(node) + 1 if node in matched else 99)
        for k in (1, 3, 10):
            assert body["per_query"][f"levels.easy.node_hit@{k}"][node] == sum(rank <= k for rank in ranks) / 5
    assert body["metrics"]["node_hit@1"]["value"] > 0


def test_texts_without_variations_are_failures_and_the_rest_is_measured(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(body: dict[str, Any]) -> dict[str, Any]:
        right = varied(body)
        right["answers"] = [a for a in right["answers"] if "dock" not in a["easy"][0]]
        return right

    with StubServer(odd) as server:
        answer = paraphrases(asked_of(hand_made, server, monkeypatch), ["bm25"], sample=100)
    failed = {f["item"] for f in answer["failures"]}
    assert "charge-glider" in failed
    assert answer["queries"]["nodes"] == 6 and all(f["stage"] == "variations" for f in answer["failures"])


# -- what is shown --------------------------------------------------------------------------------------------------


@pytest.fixture
def questions(tmp_path: Path) -> tuple[Path, Path]:
    """Two questions with their documents."""
    queries, qrels = tmp_path / "q.jsonl", tmp_path / "q.tsv"
    queries.write_text('{"id": "1", "text": "it halts in drizzle"}\n{"id": "2", "text": "the dock does not load it"}\n')
    qrels.write_text("1\train.md\t1\n2\tcharging.md\t1\n")
    return queries, qrels


def test_what_counts_as_shown_is_what_ask_shows(hand_made: Workspace, questions: tuple[Path, Path]) -> None:
    systems = retrieval(hand_made, *questions, ["raw", "autokb", "autokb+hr"])["systems"]
    assert not any("shown@1" in systems[name]["metrics"] for name in ("raw", "autokb"))
    kb = SupportKB.open(hand_made.folder)
    asked = {"1": ("it halts in drizzle", "rain.md"), "2": ("the dock does not load it", "charging.md")}
    for k in (1, 3, 5, 10):
        for query, (text, document) in asked.items():
            answer = kb.ask(text, k=k).as_json()
            shown = [s for match in answer["matches"] for s in match["solutions"]] + answer["passages"]
            hit = document in {e["document"] for s in shown for e in s["evidence"]}
            assert systems["autokb+hr"]["per_query"][f"shown@{k}"][query] == hit, (k, query)
        assert set(systems["autokb+hr"]["metrics"][f"shown@{k}"]) == {"value", "low", "high"}


def test_a_reader_of_the_settings_is_a_system_beside_the_one_without(
    hand_made: Workspace, questions: tuple[Path, Path], tmp_path: Path
) -> None:
    with pytest.raises(BadInputError, match=r"autokb\+reader needs a reranker; .* reranker: local:FOLDER"):
        retrieval(hand_made, *questions, ["autokb+reader"])
    folder = save_tiny_cross_encoder(tmp_path / "tiny", words=("blade", "rain"))  # the later words count for more
    (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump({"reranker": f"local:{folder}"}))
    systems = retrieval(open_workspace(hand_made.folder), *questions)["systems"]
    asked = {"1": "it halts in drizzle", "2": "the dock does not load it"}
    kb = SupportKB.open(hand_made.folder)
    for query, text in asked.items():
        documents = [hit.id for hit in kb.ask(text, k=3).documents]
        assert systems["autokb+reader"]["rankings"][query][: len(documents)] == documents
    assert "reader" in kb.ask(asked["1"], explain=True).as_json()["explain"]["features"]
    assert "shown@1" in systems["autokb+reader"]["metrics"]


# -- llm-wk ---------------------------------------------------------------------------------------------------------


def solved(body: dict[str, Any]) -> dict[str, Any]:
    known = {"rain": "Dry the rain sensor of the robot", "charge": "Wipe the contacts of the dock with a dry cloth"}
    answers = []
    for n, issue in enumerate(items(body, "issue"), 1):
        title = next((t for word, t in known.items() if word in issue), "Restart everything")
        answers.append({"number": n, "solutions": [{"title": title, "steps": [title]}]})
    return {"answers": answers}


def test_what_the_model_knows_ranks_the_documents_nearest_to_them(
    hand_made: Workspace, questions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(solved) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        answer = retrieval(workspace, *questions, ["raw", "llm-wk"])
        asked = [issue for body in server.bodies for issue in items(body, "issue")]
        again = retrieval(workspace, *questions, ["llm-wk"])
        assert again["calls"] == 0
    assert len(asked) == 8 and "blunt blades on my Hopper" in asked  # every raw issue, once
    rankings = answer["systems"]["llm-wk"]["rankings"]
    assert (rankings["1"][0], rankings["2"][0]) == ("rain.md", "charging.md")
    assert len(set(rankings["1"])) == 5
    assert answer["calls"] == server.requests and answer["cost"] > 0
    assert again["systems"]["llm-wk"] == answer["systems"]["llm-wk"]


def test_without_a_model_the_llm_only_baseline_is_refused(hand_made: Workspace, questions: tuple[Path, Path]) -> None:
    for names in (["llm-wk"], ["raw", "llm-wk"]):
        with pytest.raises(BadInputError, match=r"--model.*probes/unaided_solutions: openai:NAME"):
            retrieval(hand_made, *questions, names)
        with pytest.raises(BadInputError, match="--model"):
            paraphrases(hand_made, names)


def test_a_model_of_the_task_alone_is_enough(
    hand_made: Workspace, questions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with StubServer(solved) as server:
        tasks = {"probes/unaided_solutions": "openai:scripted"}
        (hand_made.folder / "settings.yaml").write_text(yaml.safe_dump({"base_url": server.url, "tasks": tasks}))
        answer = retrieval(open_workspace(hand_made.folder), *questions, ["llm-wk"])
    assert (answer["calls"], answer["cost"]) == (server.requests, None)  # its price is not known, and never 0


def test_a_model_that_solves_nothing_is_said(
    hand_made: Workspace, questions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(lambda _body: "No idea.") as server, pytest.raises(AutokbError, match="none of the 8 raw issues"):
        retrieval(asked_of(hand_made, server, monkeypatch), *questions, ["llm-wk"])


def test_the_budget_stops_before_it_is_passed(
    hand_made: Workspace, questions: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    with StubServer(solved) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        with pytest.raises(StoppedOnPurposeError):
            retrieval(workspace, *questions, ["llm-wk"], options=ModelOptions(budget=0.000001))
        assert server.requests == 0


# -- quality --------------------------------------------------------------------------------------------------------


def judge(body: dict[str, Any]) -> dict[str, Any]:
    user = body["messages"][1]["content"]
    schema = body["response_format"]["json_schema"]["name"]
    many = len(re.findall(r"<solution number", user))
    if schema == "judges_correctness":
        titles = re.findall(r"<title>\n(.*)\n</title>", user)
        said = {"Gloves": "no", "iPad": "unsure"}
        verdicts = [{"reason": "Seen.", "verdict": said.get(title, "yes")} for title in titles]
        return {"answers": [{"number": n, **v} for n, v in enumerate(verdicts, 1)]}
    return {"answers": [{"number": n, "broken": [], "doubted": [], "kept": []} for n in range(1, many + 1)]}


def test_a_model_judges_beside_people(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with StubServer(judge) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        answer = quality(workspace, judge=True)
    judged = answer["judged"]
    assert (judged["model"], answer["q_c"]["value"], answer["q_d"]["by"]) == ("openai:scripted", None, "patterns")
    # 10 displayed solutions: one no, one unsure
    correct = judged["correctness"]
    assert correct["value"] == pytest.approx(8 / 9)
    assert (correct["judged"], correct["not_judged"], correct["unsure"]) == (9, 1, 1)
    assert correct["low"] < 8 / 9 < correct["high"]
    assert (judged["compliance"]["value"], judged["compliance"]["judged"]) == (1.0, 10)
    assert (answer["failures"], answer["calls"]) == ([], server.requests)
    asked = "".join(b["messages"][1]["content"] for b in server.bodies if "<for>" in str(b))
    assert "- model: Glider, Hopper" in asked and "Any" not in asked
    assert json.loads(json.dumps(answer)) == answer


def test_q_d_names_the_model_that_checked_the_rules_in_the_build_and_not_the_judge(tmp_path: Path) -> None:
    lines = hand_made_kb.lines()
    for line in lines:
        for verdict in line.get("rules", ()):
            verdict["reason"] = NOTHING_NAMED
    workspace = create_workspace(tmp_path / "kb", "name: fresh\n")
    import_file(workspace, hand_made_kb.write(tmp_path / "kb.jsonl", lines))
    assert quality(open_workspace(workspace.folder, model="openai:judge"))["q_d"]["by"] == "a model"
    (workspace.folder / "settings.yaml").write_text("model: openai:builder\n")
    assert quality(open_workspace(workspace.folder, model="openai:judge"))["q_d"]["by"] == "openai:builder"


def test_no_model_is_asked_unless_one_is_told_to_judge(hand_made: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    with StubServer(judge) as server:
        answer = quality(asked_of(hand_made, server, monkeypatch))
        assert ("judged" in answer, server.requests) == (False, 0)


def test_offline_nothing_is_judged_to_be_correct(hand_made: Workspace) -> None:
    answer = quality(hand_made, judge=True)
    assert answer["judged"]["correctness"]["value"] is None
    assert answer["judged"]["correctness"]["not_judged"] == 10
    assert answer["judged"]["compliance"]["model"] == "offline"


def test_people_and_the_model_judge_the_same_sample(
    hand_made: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with hand_made.file() as file:
        published = read_published(file)
    assert published_spec(hand_made, published).name == "lawn"
    with StubServer(judge) as server:
        workspace = asked_of(hand_made, server, monkeypatch)
        answer = quality(workspace, tmp_path / "s.csv", most=3, judge=True)
        asked = "".join(b["messages"][1]["content"] for b in server.bodies)
    assert answer["judged"]["correctness"]["judged"] + answer["judged"]["correctness"]["not_judged"] == 3
    with (tmp_path / "s.csv").open(encoding="utf-8", newline="") as file:
        sampled = {row["item"] for row in csv.DictReader(file)}
    assert len(sampled) == 3
    assert all(published.kb.solutions[i].steps[0] in asked for i in sampled)
