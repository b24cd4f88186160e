"""A question on its way: refused where it is out of scope or off topic, else answered with a calibrated confidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hand_made_kb
from autokb.answering.answer import Answer
from autokb.answering.ask import OFF_TOPIC
from autokb.answering.confidence import confidence_of, features_of, probability
from autokb.app.ask import OpenIndex, open_index
from autokb.app.import_kb import import_file
from autokb.core.attributes import Attributes
from autokb.core.settings import Settings
from autokb.pipeline.embedding import encoder_name
from autokb.stores.workspace import create_workspace

PAIR = "my robot does not pair with the app"


def opened(folder: Path, scope: str, **gate: object) -> OpenIndex:
    """Import the hand-made knowledge base with a scope, perhaps the words of a gate."""
    lines = hand_made_kb.lines()
    lines[0]["yaml"] = hand_made_kb.DOMAIN + scope
    if gate:
        cosines = {"intercept": -5.0, "documents": 10.0, "issues": 5.0}
        lines.append(
            {
                "kind": "setting",
                "id": "gate",
                "encoder": encoder_name(Settings()),
                "coefficients": cosines,
                "words": gate,
            }
        )
    folder.mkdir(exist_ok=True)
    workspace = create_workspace(folder / "kb", "name: fresh\n")
    assert import_file(workspace, hand_made_kb.write(folder / "kb.jsonl", lines)).skipped == ()
    return open_index(workspace)


@pytest.fixture(scope="module")
def for_android(tmp_path_factory: pytest.TempPathFactory) -> OpenIndex:
    return opened(tmp_path_factory.mktemp("scope"), "scope: {os: [Android], model: [Hopper, Glider]}\n")


def ask(index: OpenIndex, text: str, **said: str) -> Answer:
    overrides: Attributes = {name: frozenset(value.split("+")) for name, value in said.items()}
    return index.ask(text, overrides)


def test_a_question_about_a_value_out_of_scope_is_refused_and_both_values_are_named(for_android: OpenIndex) -> None:
    answer = ask(for_android, PAIR + " on my iPad")
    assert (answer.outcome, answer.matches, answer.passages, answer.confidence) == ("abstains", (), (), 0.0)
    assert answer.reason == "The question is about iOS; everything here is for operating system Android."
    assert answer.documents
    badger = ask(for_android, "the blades of my Badger do not cut")
    assert badger.reason == "The question is about Badger; everything here is for model Glider, Hopper."


@pytest.mark.parametrize("said", [{}, {"os": "Android"}, {"os": "Android+iOS"}, {"os": "Any"}, {"os": "NONE"}])
def test_what_the_scope_holds_or_leaves_open_is_answered(for_android: OpenIndex, said: dict[str, str]) -> None:
    answer = ask(for_android, PAIR, **said)
    assert answer.outcome != "abstains"
    assert answer.reason is None


def test_off_topic_is_said_before_the_scope(for_android: OpenIndex) -> None:
    assert ask(for_android, "What is the capital of France?", os="iOS").reason == OFF_TOPIC


def test_the_reason_names_the_subject_that_no_document_speaks_of(tmp_path: Path) -> None:
    index = opened(tmp_path, "", unknown=0.0, foreign=-30.0, known=["robot"])
    assert ask(index, PAIR).reason is None
    refused = ask(index, "my dishwasher does not pair with the app")
    assert (refused.outcome, refused.reason) == (
        "abstains",
        'The documents say nothing of "dishwasher"; the question looks off topic.',
    )
    assert ask(index, "What is the capital of France, where my dishwasher is?").reason == OFF_TOPIC


def test_the_reason_says_that_too_few_words_are_known(tmp_path: Path) -> None:
    index = opened(tmp_path, "", unknown=-60.0, foreign=0.0, known=[])
    refused = ask(index, "my robot does not pair with the app of my quuxling zorblax")
    assert refused.reason == "Too few of the question's words are in any document; it looks off topic."


def test_a_scope_of_all_values_refuses_nothing(tmp_path: Path) -> None:
    assert ask(opened(tmp_path, "scope: {os: [Android, iOS]}\n"), PAIR, os="iOS").outcome == "answered"


def test_confidence_is_that_of_the_first_thing_shown_whatever_is_listed(tmp_path: Path) -> None:
    index = opened(tmp_path, "")
    answer = ask(index, PAIR)
    features = features_of(answer)
    assert features is not None and answer.confidence == round(probability(features), 4)
    assert features[1] == answer.matches[0].similarity and features[2] == 0.0
    assert [index.ask(PAIR, k=k).confidence for k in (1, 2, 5, 9)] == [answer.confidence] * 4
    assert 0 < ask(index, "the battery").confidence < 1
    assert ask(index, "What is the capital of France?").confidence == 0.0


def test_what_is_ahead_and_whose_problem_is_near_is_surer(tmp_path: Path) -> None:
    answer = ask(opened(tmp_path, ""), PAIR)
    (first, *others) = (one.id for match in answer.matches for one in match.solutions)
    assert others, "something follows"
    told = dict.fromkeys(others, 0.3)
    close, ahead = (replace(answer, fit={**told, first: fit}) for fit in (0.3, 0.7))
    assert features_of(close)[0] == 0.0 and features_of(ahead)[0] == pytest.approx(0.4)  # type: ignore[index]
    far = replace(ahead, matches=tuple(replace(match, similarity=-0.1) for match in answer.matches))
    assert 0 < confidence_of(far) < confidence_of(close) < confidence_of(ahead) < 1
    assert confidence_of(replace(answer, matches=())) == 0.0
