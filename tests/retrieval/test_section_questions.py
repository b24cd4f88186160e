"""What stands in for questions where nobody has asked yet."""

from __future__ import annotations

from autokb.core.nouns import Document
from autokb.retrieval.gate_fitting import section_questions

RAIN = Document("rain.md", "Rain sensor", "# Rain sensor\n\nThe battery stops working and the phone shows an error.\n")


def test_a_section_is_asked_by_its_heading_and_its_first_sentence() -> None:
    asked = [text for _, _, text in section_questions(RAIN, "en")]
    assert asked == ["Rain sensor", "The battery stops working and the phone shows an error."]
