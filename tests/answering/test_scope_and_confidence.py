"""A question on its way: refused where it is out of scope or off topic, else answered with a calibrated confidence."""

from __future__ import annotations

from pathlib import Path

import pytest

import hand_made_kb
from autokb.answering.answer import Answer
from autokb.answering.ask import OFF_TOPIC
from autokb.app.ask import OpenIndex, open_index
from autokb.app.import_kb import import_file
from autokb.core.attributes import Attributes
from autokb.core.settings import Settings
from autokb.pipeline.embedding import encoder_name
from autokb.stores.workspace import create_workspace

PAIR = "my robot does not pair with the app"


def opened(folder: Path, scope: str, confidence: dict[str, object] | None = None, **gate: object) -> OpenIndex:
    """Import the hand-made knowledge base with a scope, perhaps a curve of confidence and the words of a gate."""
    lines = hand_made_kb.lines()
    lines[0]["yaml"] = hand_made_kb.DOMAIN + scope
    if confidence:
        lines.append({"kind": "setting", "id": "confidence", **confidence})
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


def test_confidence_is_the_published_curve_at_the_best_document(tmp_path: Path) -> None:
    index = opened(tmp_path, "", {"slope": 2.0, "offset": -1.5, "source": "a test"})
    answer = ask(index, PAIR)
    assert answer.confidence == round(index.index.confidence.of(answer.documents[0].score), 4)
    assert index.index.confidence.source == "a test"
    assert 0 < ask(index, "the battery").confidence < 1
    assert ask(index, "What is the capital of France?").confidence == 0.0
