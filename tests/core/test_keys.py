"""The one JSON spelling of a question's input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from autokb.core.domain import Attribute, Rule
from autokb.core.ids import canonical_json, key_json, only_if_other_than, outside_key


@dataclass(frozen=True)
class Question:
    text: str
    values: frozenset[str]
    parts: tuple[tuple[str, int], ...] = ()
    vector: Any = outside_key()


@dataclass(frozen=True)
class QuestionInLanguage:
    text: str
    language: str = only_if_other_than("en")


def test_a_default_that_came_later_leaves_older_keys_as_they_are() -> None:
    assert key_json(QuestionInLanguage("x")) == {"text": "x"}
    assert key_json(QuestionInLanguage("x", "de")) == {"text": "x", "language": "de"}
    assert QuestionInLanguage("x") != QuestionInLanguage("x", "de")


def test_sets_are_sorted_and_what_follows_from_the_rest_is_left_out() -> None:
    spelled = key_json(Question("x", frozenset({"b", "a"}), (("y", 1),), vector=[0.5]))
    assert spelled == {"text": "x", "values": ["a", "b"], "parts": [["y", 1]]}


def test_what_is_outside_the_key_makes_no_difference() -> None:
    assert Question("x", frozenset(), vector=1) == Question("x", frozenset(), vector=2)


def test_a_configuration_is_spelled_by_what_it_holds() -> None:
    one, other = ({"os": Attribute("os", "closed", ("A", "B"))} for _ in range(2))
    more = {"os": Attribute("os", "closed", ("A", "B", "C"))}
    assert canonical_json(key_json(one)) == canonical_json(key_json(other))
    assert key_json(one) is key_json(other)  # the same configuration in thousands of inputs is spelled once
    assert key_json(one) != key_json(more)


def test_a_configuration_that_changed_is_spelled_anew() -> None:
    configuration = {"os": Attribute("os", "closed", ("A", "B"))}
    before = key_json(configuration)
    configuration["os"] = Attribute("os", "closed", ("A", "B"), synonyms={"A": ("first",)})
    assert key_json(configuration)["os"]["synonyms"] == {"A": ["first"]} != before["os"]["synonyms"]


def test_phrases_are_in_the_key_of_a_rule_that_has_any_and_of_no_other() -> None:
    assert key_json(Rule("r", "x", ("p",))) == {"id": "r", "text": "x", "patterns": ["p"]}
    assert key_json(Rule("r", "x", ("p",), ("call us",))) == {
        "id": "r",
        "text": "x",
        "patterns": ["p"],
        "forbid": ["call us"],
    }
