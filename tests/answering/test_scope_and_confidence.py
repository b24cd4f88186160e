"""A question on its way: refused where it is out of scope or off topic, else answered with a calibrated confidence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import hand_made_kb
from autokb.answering.answer import Answer
from autokb.answering.ask import ask as answer_question
from autokb.core.attributes import Attributes
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC
from autokb.core.settings import Settings
from autokb.exchange.import_kb import import_file
from autokb.pipeline.embedding import encoder_name
from autokb.pipeline.open_index import OpenIndex, open_index
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
    badger = ask(for_android, PAIR + " on my Badger")
    assert badger.reason == "The question is about Badger; everything here is for model Glider, Hopper."


@pytest.mark.parametrize("said", [{}, {"os": "Android"}, {"os": "Android+iOS"}, {"os": "Any"}, {"os": "NONE"}])
def test_what_the_scope_holds_or_leaves_open_is_answered(for_android: OpenIndex, said: dict[str, str]) -> None:
    answer = ask(for_android, PAIR, **said)
    assert answer.outcome != "abstains"
    assert answer.reason is None


def test_off_topic_is_said_before_the_scope(for_android: OpenIndex) -> None:
    assert ask(for_android, "What is the capital of France?", os="iOS").reason == OFF_TOPIC


def test_a_question_that_is_near_but_not_answered_is_said_to_be_left_open(tmp_path: Path) -> None:
    index = opened(tmp_path, "").index
    assert answer_question(index, PAIR).reason is None
    refused = answer_question(replace(index, caution=1.0), PAIR)
    assert (refused.outcome, refused.reason, refused.matches) == ("abstains", LEFT_OPEN, ())
    assert refused.documents, "what is nearest can be read"


def test_a_scope_of_all_values_refuses_nothing(tmp_path: Path) -> None:
    assert ask(opened(tmp_path, "scope: {os: [Android, iOS]}\n"), PAIR, os="iOS").outcome == "answered"


def test_confidence_is_that_of_the_first_thing_shown_whatever_is_listed(tmp_path: Path) -> None:
    index = opened(tmp_path, "")
    answer = ask(index, PAIR)
    assert 0 < answer.confidence < 1
    assert [index.ask(PAIR, k=k).confidence for k in (1, 2, 5, 9)] == [answer.confidence] * 4
    assert ask(index, "What is the capital of France?").confidence == 0.0


def test_an_urgent_warning_is_never_refused(tmp_path: Path) -> None:
    urgent = "urgent: [{name: smoke, when: [smoke], section: Rain sensor}]\n"
    index = opened(tmp_path, "scope: {os: [Android]}\n" + urgent)
    answer = ask(index, "Smoke! And I have an iPhone, by the way", os="iOS")
    assert answer.outcome == "answered"
