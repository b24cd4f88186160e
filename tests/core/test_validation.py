"""One place reads what people wrote by the types of dataclasses, and says what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from autokb.core.errors import BadEntryError
from autokb.core.validation import (
    Entry,
    Name,
    Share,
    Switch,
    Word,
    one_of,
    read_as,
    sentence_of,
    sentence_without_values,
    whole_number,
)


@dataclass(frozen=True)
class Tea:
    steep: Annotated[int, whole_number(1, 9)] = 3
    milk: Switch = False


@dataclass(frozen=True)
class Kitchen:
    name: Word = "ours"
    tea: Tea = field(default_factory=Tea)
    shares: tuple[Share, ...] = ()
    prices: Mapping[Name, Annotated[str, Entry("a price; such as 2.50", lambda value: value)]] = field(
        default_factory=dict
    )
    style: Annotated[Literal["a", "b", "c"], one_of("a", "b", "c")] = "a"


def test_a_dataclass_is_read_from_the_names_of_its_fields() -> None:
    given = {
        "name": " mine ",
        "tea": {"steep": "5", "milk": "TRUE"},
        "shares": ["0.5"],
        "prices": {7: "2"},
        "style": "B",
    }
    assert read_as(Kitchen, given, "k.yaml") == Kitchen("mine", Tea(5, True), (0.5,), {"7": "2"}, "b")
    assert read_as(Kitchen, None, "k.yaml") == Kitchen() and read_as(Kitchen, {"tea": None}, "k.yaml") == Kitchen()


@pytest.mark.parametrize(
    ("given", "sentence", "without_values"),
    [
        (
            {"tea": {"stepe": 1}},
            "k.yaml: tea takes steep, milk, not 'stepe'. Did you mean steep?",
            "k.yaml: tea takes steep, milk. Did you mean steep?",
        ),
        ({"quokka": 1}, "k.yaml takes name, tea, shares, prices, style, not 'quokka'.", None),
        ({"tea": []}, "k.yaml: tea must be a mapping, not [].", "k.yaml: tea must be a mapping."),
        (
            {"tea": {"steep": 10}},
            "k.yaml: tea: steep must be a whole number of at least 1 and at most 9, not 10.",
            None,
        ),
        ({"tea": {"milk": "cold"}}, "k.yaml: tea: milk must be true or false, not 'cold'.", None),
        (
            {"shares": [0, 2]},
            "k.yaml: shares: 2 must be a share, a number from 0 to 1, not 2.",
            "k.yaml: shares: 2 must be a share, a number from 0 to 1.",
        ),
        ({"shares": "all"}, "k.yaml: shares must be a list, not 'all'.", None),
        (
            {"prices": {"quokka": 2}},
            "k.yaml: the price of quokka must be a price, not 2; such as 2.50.",
            "k.yaml: the price of HIDDEN must be a price; such as 2.50.",
        ),
        ({"prices": {None: "2"}}, "k.yaml: prices: a name must be a word, not None.", None),
        ({"style": "d"}, "k.yaml: style must be a, b or c, not 'd'.", None),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_what_is_wanted(
    given: Any, sentence: str, without_values: str | None
) -> None:
    with pytest.raises(BadEntryError) as refused:
        read_as(Kitchen, given, "k.yaml")
    assert str(refused.value) == sentence
    if without_values:
        assert refused.value.without_values == without_values


class Sent(BaseModel):
    model_config = ConfigDict(extra="forbid")
    text: str = Field(min_length=1)
    many: int = Field(default=1, ge=1)
    kind: Literal["ask", "tell"] = "ask"


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        ({}, "body: text is missing."),
        ({"text": 1}, "body: text must be text."),
        ({"text": ""}, "body: text must have at least 1 character."),
        ({"text": "a", "many": "x"}, "body: many must be a whole number."),
        ({"text": "a", "many": 0}, "body: many must be greater than or equal to 1."),
        ({"text": "a", "kind": "sing"}, "body: kind must be 'ask' or 'tell'."),
        ({"text": "a", "manny": 1}, "body: manny is not known."),
    ],
)
def test_errors_of_other_models_of_pydantic_are_said_alike(sent: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Sent.model_validate(sent)
    error = refused.value.errors()[0]
    assert sentence_without_values({**error}, "body") == sentence


def test_a_key_that_a_model_does_not_have_is_named_with_the_one_that_was_meant() -> None:
    with pytest.raises(ValidationError) as refused:
        Sent.model_validate({"text": "a", "manny": 1})
    error = refused.value.errors()[0]
    said = BadEntryError(sentence_of({**error}, "n.yaml", known=tuple(Sent.model_fields)))
    assert str(said) == "n.yaml: unknown key 'manny'. Did you mean many?"
