"""What stands in for questions where nobody has asked yet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from autokb.app.ask import OpenIndex, open_index
from autokb.core.nouns import Document
from autokb.retrieval import section_questions
from autokb.retrieval.section_questions import ask_paraphrases
from autokb.stores.workspace import Workspace


@pytest.fixture
def opened(hand_made: Workspace) -> Iterator[OpenIndex]:
    found = open_index(hand_made)
    yield found
    found.close()


RAIN = Document("rain.md", "Rain sensor", "# Rain sensor\n\nThe battery stops working and the phone shows an error.\n")


def test_a_section_is_asked_by_its_heading_and_its_first_sentence() -> None:
    asked = [text for _, _, text in section_questions.section_questions(RAIN, "en")]
    assert asked == ["Rain sensor", "The battery stops working and the phone shows an error."]


def test_paraphrases_are_asked_and_the_right_document_is_known(
    opened: OpenIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = Document("charging.md", "Charging", "# Charging\n\nThe dock does not charge the robot, it shows an error.\n")
    away = Document("gone.md", "Charging", here.text)
    scores, right = ask_paraphrases(opened.index, [here])
    assert len(scores) >= 1 and right.all() and (scores > 0.3).all()
    assert not ask_paraphrases(opened.index, [away])[1].any()
    monkeypatch.setattr(section_questions, "MOST_ASKED", 2)
    assert len(ask_paraphrases(opened.index, [here] * 5)[0]) <= 2
    assert len(ask_paraphrases(opened.index, [])[0]) == 0
