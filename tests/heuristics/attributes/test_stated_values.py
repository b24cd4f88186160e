"""Whether a text states a value."""

from __future__ import annotations

import pytest

from autokb.core.domain import read_domain
from autokb.heuristics.attributes.extract import states_value

SPEC = read_domain(
    {
        "attributes": {
            "os": {"values": ["iOS", "Mac"], "synonyms": {"iOS": ["iphone"]}, "implies": {"Mac": {"kit": ["Laptop"]}}},
            "kit": {"values": ["Laptop", "Phone"]},
            "illness": {"kind": "open", "examples": ["Diabetes"], "synonyms": {"Asthma": ["wheezing"]}},
        }
    }
).attributes


@pytest.mark.parametrize(
    ("text", "name", "value", "shown"),
    [
        ("on my iPhone", "os", "iOS", True),
        ("on two iPhones", "os", "iOS", True),
        ("on my Mac", "os", "iOS", False),
        ("she is diabetic", "illness", "Diabetes", True),
        ("he keeps wheezing", "illness", "Asthma", True),
        ("high blood pressure", "illness", "Blood pressure", True),
        ("heart trouble", "illness", "Heart disease", False),
        ("an asthmatic boy", "illness", "Asthma", True),
        ("his ear", "illness", "Early fever", False),
        ("", "illness", "Gout", False),
    ],
)
def test_a_text_states_a_value_by_its_name_a_word_for_it_or_another_form(
    text: str, name: str, value: str, shown: bool
) -> None:
    assert states_value(text, SPEC[name], value, SPEC) is shown
