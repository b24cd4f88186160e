"""Asking the hand-made knowledge base: the whole contract of an answer."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from benchmarks.decisions import ISSUES, PAGES, Sources

import hand_made_kb
from autokb.app.support_kb import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.settings import Settings
from autokb.pipeline.embedding import encoder_name
from autokb.pipeline.open_index import QUESTION_CHARACTERS, OpenIndex, open_index
from autokb.retrieval.read_question import read_pairs, read_values
from autokb.stores.workspace import Workspace, create_workspace

PAIR = "my robot does not pair with the app"
ACCEPTED = {"exact", "broader"}


@pytest.fixture
def opened(hand_made: Workspace) -> OpenIndex:
    return open_index(hand_made)


def ask(opened: OpenIndex, text: str, *pairs: str, k: int = 5) -> dict:
    return opened.ask(text, read_values(opened.index.spec, read_pairs(pairs)), k).as_json()


def ids(answer: dict) -> list[str]:
    return [m["issue"]["id"] for m in answer["matches"]]


@pytest.mark.parametrize("question", [PAIR, "blades of my Hopper", "the battery does not charge", "who won the cup"])
def test_an_answer_has_the_shape_of_the_contract_to_the_letter(opened: OpenIndex, question: str) -> None:
    answer = ask(opened, question)
    json.dumps(answer, allow_nan=False)
    names = "query attributes outcome question matches passages documents confidence reason seconds"
    assert list(answer) == names.split()
    assert answer["query"] == question
    assert answer["outcome"] in ("answered", "asks", "abstains")
    assert (answer["question"] is not None) == (answer["outcome"] == "asks")
    for match in answer["matches"]:
        assert list(match) == ["issue", "match", "similarity", "solutions"]
        assert list(match["issue"]) == ["id", "text", "parent_id", "attributes"]
        assert match["match"] in ACCEPTED
        assert 0.0 <= match["similarity"] <= 1.0
        assert match["solutions"]
        for solution in match["solutions"]:
            assert list(solution) == ["id", "text", "steps", "attributes", "evidence"]
            for e in solution["evidence"]:
                text = hand_made_kb.DOCUMENTS[e["document"]][1]
                assert list(e) == ["document", "start", "end", "quote"]
                assert text[e["start"] : e["end"]] == e["quote"]
    assert all(list(d) == ["document", "score"] for d in answer["documents"])
    assert len(answer["documents"]) == (0 if question == "who won the cup" else 5)
    scores = [d["score"] for d in answer["documents"]]
    assert scores == sorted(scores, reverse=True)
    assert answer["seconds"] >= 0


def test_a_question_of_the_value_gets_the_exact_child(opened: OpenIndex) -> None:
    answer = ask(opened, "my robot does not pair with my iPad")
    assert answer["attributes"] == {"device": ["Tablet"], "os": ["iOS"]}
    assert answer["outcome"] == "answered"
    assert (ids(answer)[0], answer["matches"][0]["match"]) == ("pair-ipad", "exact")


def test_no_exact_child_takes_the_most_specific_broader_one_and_never_a_conflict(opened: OpenIndex) -> None:
    answer = ask(opened, "my robot does not pair with the app on my iPhone")
    assert (ids(answer)[0], answer["matches"][0]["match"]) == ("pair-ios", "broader")
    assert not {"pair-ipad", "pair-android", "rain-noapp"} & set(ids(answer))


def test_a_solution_that_holds_whatever_the_answer_is_no_reason_to_ask(opened: OpenIndex) -> None:
    answer = ask(opened, PAIR)
    assert (answer["outcome"], answer["question"]) == ("answered", None)
    assert (ids(answer)[0], answer["matches"][0]["match"]) == ("pair", "exact")
    assert answer["matches"][0]["solutions"][0]["attributes"].get("os", ["Any"]) == ["Any"]


def test_answering_the_question_back_settles_it(opened: OpenIndex) -> None:
    answer = ask(opened, PAIR, "os=Android")
    assert answer["outcome"] == "answered"
    assert ids(answer)[0] == "pair-android"


def test_children_that_say_the_same_are_not_asked_for(opened: OpenIndex) -> None:
    answer = ask(opened, "the battery does not charge in the dock")
    assert answer["outcome"] == "answered"
    assert [s["id"] for s in answer["matches"][0]["solutions"]] == ["s-contacts"]  # s-socket is rejected


def test_a_parent_with_nothing_displayed_asks_and_shows_what_its_children_do(opened: OpenIndex) -> None:
    answer = ask(opened, "the blades do not cut the grass cleanly")
    assert answer["outcome"] == "asks"
    assert answer["question"]["attribute"] == "model"
    assert ids(answer)[0] == "blades"
    assert {"Hopper"} in [set(s["attributes"]["model"]) for s in answer["matches"][0]["solutions"]]


def test_a_model_without_a_node_of_its_own_gets_nothing_that_is_for_others(opened: OpenIndex) -> None:
    answer = ask(opened, "the blades of my Badger do not cut cleanly")
    assert not {"blades", "blades-hopper", "blades-both"} & set(ids(answer))
    assert "s-support" not in json.dumps(answer["matches"])


def test_two_values_are_a_set_like_any_other(opened: OpenIndex) -> None:
    question = "the blades do not cut cleanly"
    both = ask(opened, question, "model=Hopper", "model=Glider")
    assert both["attributes"] == {"model": ["Glider", "Hopper"]}
    assert (ids(both)[0], both["matches"][0]["match"]) == ("blades-both", "exact")
    assert ask(opened, question, "model=Hopper|Glider")["matches"] == both["matches"]
    glider = ask(opened, question, "model=Glider")
    assert (ids(glider)[0], glider["matches"][0]["match"]) == ("blades-both", "broader")


def test_none_agrees_with_none_and_any_only(opened: OpenIndex) -> None:
    none = ask(opened, "the robot stops in the rain", "os=NONE")
    assert none["attributes"]["os"] == ["NONE"]
    assert (ids(none)[0], none["matches"][0]["match"]) == ("rain-noapp", "exact")
    ios = ask(opened, "the robot stops in the rain", "os=iOS")
    assert (ids(ios)[0], ios["matches"][0]["match"]) == ("rain", "broader")


def test_any_is_said_to_be_any_and_asks_no_more(opened: OpenIndex) -> None:
    answer = ask(opened, PAIR, "os=Any")
    assert answer["attributes"] == {"os": ["Any"]}
    assert (answer["outcome"], ids(answer)[0]) == ("answered", "pair")


def test_every_value_of_a_closed_attribute_is_any(opened: OpenIndex) -> None:
    answer = ask(opened, "the battery does not charge", "model=Hopper", "model=Glider", "model=badger")
    assert answer["attributes"] == {"model": ["Any"]}


def test_an_override_replaces_what_was_read(opened: OpenIndex) -> None:
    answer = ask(opened, "my robot does not pair with my iPhone", "os=android")
    assert answer["attributes"]["os"] == ["Android"]
    assert ids(answer)[0] == "pair-android"


@pytest.mark.parametrize("k", [1, 2, 50])
def test_k_bounds_both_lists(opened: OpenIndex, k: int) -> None:
    answer = ask(opened, "the robot stops in the rain", k=k)
    assert len(answer["documents"]) == min(k, len(hand_made_kb.DOCUMENTS))
    assert 1 <= len(answer["matches"]) <= k
    trees = [m["issue"]["parent_id"] or m["issue"]["id"] for m in answer["matches"]]
    assert len(set(trees)) == len(trees)
    assert trees[0] == "rain"


def test_far_from_everything_abstains_and_names_no_document(opened: OpenIndex) -> None:
    answer = ask(opened, "What is the capital of France?")
    assert (answer["outcome"], answer["matches"], answer["question"]) == ("abstains", [], None)
    assert answer["documents"] == []  # none is near enough to be worth reading


def test_a_document_that_no_solution_cites_is_among_the_documents(opened: OpenIndex) -> None:
    assert ask(opened, "a garage roof against the sun")["documents"][0]["document"] == "garage.md"


def test_edits_are_laid_over_what_was_built(opened: OpenIndex) -> None:
    answer = ask(opened, "the robot stops in the rain")
    assert answer["matches"][0]["solutions"][0]["text"] == "Dry it\nDry the rain sensor well."
    assert answer["matches"][0]["solutions"][0]["steps"] == ["Dry the rain sensor well."]


@pytest.mark.parametrize("pair", ["os", "=iOS", "os=", "planet=Mars", "os=Symbian"])
def test_a_wrong_attribute_is_said(opened: OpenIndex, pair: str) -> None:
    with pytest.raises(BadInputError):
        read_values(opened.index.spec, read_pairs([pair]))


@pytest.mark.parametrize("text", ["", "  \n\t"])
def test_an_empty_question_is_refused(opened: OpenIndex, text: str) -> None:
    with pytest.raises(BadInputError, match="empty"):
        ask(opened, text)


@pytest.mark.parametrize(
    "text", ["🔋🔋🔋", "\x00", "rain\x00rain", "\udcff\udc80 rain", "???", "雨が降ると止まる", "a" * 5000]
)
def test_odd_questions_get_an_answer(opened: OpenIndex, text: str) -> None:
    answer = ask(opened, text)
    assert answer["outcome"] in ("answered", "asks", "abstains")
    json.dumps(answer, ensure_ascii=False).encode("utf-8")


def test_nobody_reads_more_of_a_very_long_question_than_its_beginning(opened: OpenIndex) -> None:
    long = "it rains and the iPhone app is lost. " * 30_000
    answer = ask(opened, long)
    assert answer["documents"]
    assert answer["query"] == long[:QUESTION_CHARACTERS]


def test_a_changed_domain_counts_from_the_next_build_on(hand_made: Workspace) -> None:
    changed = create_workspace(hand_made.folder.with_name("other"), "name: other\n")
    assert changed.spec.attributes == {}
    stale = Workspace(hand_made.folder, changed.spec, hand_made.settings, changed.domain_text)
    assert open_index(stale).ask(PAIR + " on Android").as_json()["attributes"] == {"os": ["Android"]}


def test_nothing_published_names_the_next_command(hand_made: Workspace) -> None:
    empty = create_workspace(hand_made.folder.with_name("empty"), hand_made_kb.DOMAIN)
    with pytest.raises(BadInputError, match="autokb build"):
        open_index(empty)


def test_the_caution_of_the_settings_decides_what_is_answered(tmp_path: Path) -> None:
    coefficients = {"intercept": -9.0, "documents": 9.0, "issues": 9.0}  # one half where the two cosines add up to 1
    gate = {"kind": "setting", "id": "gate", "encoder": encoder_name(Settings()), "coefficients": coefficients}
    lines = [*(line for line in hand_made_kb.lines() if line["id"] != "gate"), gate | {"threshold": None}]
    kb = SupportKB.create(tmp_path / "kb")
    kb.import_(hand_made_kb.write(tmp_path / "in.jsonl", lines))
    outcomes = {}
    for caution in ("0", "0.5", "1"):
        (tmp_path / "kb" / "settings.yaml").write_text(f"answer: {{caution: {caution}}}\n", encoding="utf-8")
        opened = SupportKB.open(tmp_path / "kb")
        outcomes[caution] = [opened.ask(text).outcome for text in (PAIR, "who won the cup")]
    assert outcomes["1"] == ["abstains", "abstains"]
    assert outcomes["0.5"] == [outcomes["0"][0], "abstains"] and outcomes["0"][0] != "abstains"


def test_the_nearest_section_about_another_fault_is_not_told_as_sure(tmp_path: Path) -> None:
    kb = Sources(tmp_path / "source", copy.deepcopy(PAGES), dict(ISSUES)).make_workspace(tmp_path / "kb")
    kb.build()
    answer = kb.ask("the K2 never stops boiling")  # of which no page says anything
    assert answer.confidence < 0.5
    kb.close()
