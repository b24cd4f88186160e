"""Honest replies in odd clothes: what is plain is put right, what is not stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.tasks.asking import normalize_reply

TEXTS: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
SCHEMA: dict[str, Any] = {
    "$defs": {
        "Entry": {
            "type": "object",
            "properties": {
                "number": {"type": "integer", "enum": [1, 2]},
                "os": {"type": "array", "items": {"type": "string", "enum": ["iOS", "Wi-Fi", "it's on"]}},
                "places": {"type": "array", "items": {"type": "integer", "minimum": 1}, "minItems": 1},
                "text": {"type": "string", "maxLength": 20},
                "title": {"type": "string", "minLength": 1},
                "odd": {"type": "boolean"},
            },
        }
    },
    "type": "object",
    "properties": {"notes": TEXTS, "answers": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Entry"}}},
}
WHOLE: dict[str, Any] = {"number": 1, "os": ["iOS"], "places": [1], "text": "a", "title": "t", "odd": True}


def entry(**change: Any) -> Any:
    given = {name: value for name, value in {**WHOLE, **change}.items() if value != "left out"}
    return normalize_reply({"answers": [given], "notes": []}, SCHEMA)["answers"][0]


def test_a_reply_that_has_the_form_comes_back_as_it_is() -> None:
    assert entry() == WHOLE


@pytest.mark.parametrize(
    ("change", "read"),
    [
        ({"number": "1"}, {"number": 1}),
        ({"number": " 2 "}, {"number": 2}),
        ({"number": 1.0}, {"number": 1}),
        ({"places": ["12", 3]}, {"places": [12, 3]}),
        ({"odd": "False"}, {"odd": False}),
        ({"os": None}, {"os": []}),
        ({"text": None}, {"text": ""}),
        ({"os": "left out", "text": "left out"}, {"os": [], "text": ""}),
        ({"os": [" IOS", "Wi\u2011Fi\u00a0", "it\u2019s  ON"]}, {"os": ["iOS", "Wi-Fi", "it's on"]}),
    ],
)
def test_what_is_plain_is_put_right(change: dict[str, Any], read: dict[str, Any]) -> None:
    assert entry(**change) == {**WHOLE, **read}


def test_fields_that_nobody_asked_for_are_dropped_beside_all_that_were() -> None:
    assert entry(confidence=0.9) == WHOLE
    assert normalize_reply({"answers": [WHOLE], "notes": [], "thoughts": "hm"}, SCHEMA) == {
        "answers": [WHOLE],
        "notes": [],
    }


def test_a_field_under_another_name_is_not_an_empty_one() -> None:
    odd = {**{name: value for name, value in WHOLE.items() if name != "os"}, "system": ["iOS"]}
    assert normalize_reply({"answers": [odd]}, SCHEMA) == {"answers": [odd], "notes": []}


@pytest.mark.parametrize(
    "change",
    [
        {"number": True},
        {"number": "one"},
        {"number": 1.5},
        {"number": "9" * 30},
        {"places": None},
        {"places": "left out"},
        {"title": None},
        {"title": "left out"},
        {"odd": "perhaps"},
        {"os": ["Linux"]},
        {"os": {"first": "iOS"}},
    ],
)
def test_what_is_not_plain_stays_for_the_reader_to_refuse(change: dict[str, Any]) -> None:
    assert entry(**change) == {name: value for name, value in {**WHOLE, **change}.items() if value != "left out"}


def test_an_entry_that_says_nothing_of_its_item_is_not_an_empty_one() -> None:
    assert normalize_reply({"answers": [{"number": 1}]}, SCHEMA)["answers"] == [{"number": 1}]
