"""How a model's draft of attributes and rules is read."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.model_requests import ModelReply
from autokb.heuristics.spec.proposal import DraftedAttribute, DraftedRule, DraftedSpec, DraftSpec, Synonyms
from autokb.tasks.asking import read_reply
from autokb.tasks.issues.draft_spec.task import TASK
from autokb.tasks.task import ReplyError

ASKED = DraftSpec("x", ("one", "two"), (), (("os", ("iOS",)),), (("no-shop", "No shops."),))


def attribute(**changes: Any) -> dict[str, Any]:
    plain = {"name": "brake", "kind": "closed", "values": ["Disc", "Rim"], "synonyms": [], "examples": []}
    return {**plain, "why": "It differs.", "issues": [1], **changes}


def read(*attributes: dict[str, Any], rules: tuple[dict[str, str], ...] = ()) -> tuple[DraftedSpec, tuple[str, ...]]:
    entry = {"number": 1, "attributes": list(attributes), "rules": list(rules)}
    (found,) = read_reply(TASK, (ASKED,), ModelReply(json.dumps({"answers": [entry]}), 1, 1))
    assert found.answer is not None, found.error
    assert found.complaints == tuple(f"{p.part}: {p.reason}" for p in found.answer.left_out)
    return found.answer, found.complaints


def test_a_right_reply_is_taken_as_it_is() -> None:
    words = [{"value": "Rim", "words": ["v-brake", "&lt;caliper>"]}]
    found, complaints = read(
        attribute(synonyms=words), rules=({"id": "no-oil", "text": "No oil.", "why": "It slips."},)
    )
    assert complaints == ()
    assert found.attributes[0].synonyms == (Synonyms(value="Rim", words=("v-brake", "<caliper>")),)
    assert found.rules == (DraftedRule(id="no-oil", text="No oil.", why="It slips."),)


@pytest.mark.parametrize(
    ("changes", "values", "complaint"),
    [
        ({"values": ["Disc", "Rim", "Any"]}, ("Disc", "Rim"), "'Any' is no value"),
        ({"values": ["NONE", "Disc", "Rim"]}, ("Disc", "Rim"), "'NONE' is no value"),
        ({"values": ["Disc", "disc ", "Rim"]}, ("Disc", "Rim"), "'disc' stands twice"),
        ({"values": ["Disc", "Other"]}, None, "less than two values"),
        ({"values": []}, None, "less than two values"),
        ({"name": "OS"}, None, "taken already"),
        ({"name": "12"}, None, "empty or taken"),
        ({"issues": [1, 3]}, ("Disc", "Rim"), "they are 1 to 2"),
        ({"synonyms": [{"value": "Drum", "words": ["d"]}]}, ("Disc", "Rim"), "'Drum' has synonyms"),
        ({"synonyms": [{"value": "Disc", "words": ["rim"]}]}, ("Disc", "Rim"), "'rim' stands for two values"),
    ],
)
def test_what_domain_yaml_cannot_take_is_left_out(
    changes: dict[str, Any], values: tuple[str, ...] | None, complaint: str
) -> None:
    found, complaints = read(attribute(**changes))
    assert [a.values for a in found.attributes] == ([] if values is None else [values])
    assert any(complaint in said for said in complaints)


def test_names_get_the_spelling_of_domain_yaml_and_invisible_marks_go() -> None:
    found, _ = read(
        attribute(name="Brake type", why="Two\nlines\u202e."),
        rules=({"id": "No Oil!", "text": "No\u200b oil.", "why": "w"},),
    )
    assert (found.attributes[0].name, found.attributes[0].why) == ("brake_type", "Two lines.")
    assert (found.rules[0].id, found.rules[0].text) == ("no-oil", "No oil.")


def test_an_open_attribute_has_examples() -> None:
    found, _ = read(attribute(kind="open", values=[], examples=["Asthma", "Diabetes"]))
    assert (found.attributes[0].values, found.attributes[0].examples) == ((), ("Asthma", "Diabetes"))


@pytest.mark.parametrize(
    ("draft", "words"),
    [
        ({"name": "os"}, "'os' stands twice"),
        ({"name": "Big name"}, "small letters"),
        ({"values": ("One",)}, "at least two values"),
        ({"values": ("One", "None")}, "'None' is no value"),
        ({"values": ("One", "ONE")}, "'ONE' stands twice"),
        ({"synonyms": (Synonyms(value="Three", words=("x",)),)}, "is none of its values"),
        ({"issues": (3,)}, "numbers 1 to 2"),
    ],
)
def test_the_check_refuses_what_domain_yaml_cannot_take(draft: dict[str, Any], words: str) -> None:
    plain: dict[str, Any] = {"name": "brake", "kind": "closed", "values": ("One", "Two"), "why": "w"}
    with pytest.raises(ReplyError, match=words):
        TASK.check(ASKED, DraftedSpec(attributes=(DraftedAttribute(**{**plain, **draft}),), rules=()))
    with pytest.raises(ReplyError, match="'no-shop' stands twice"):
        TASK.check(ASKED, DraftedSpec(attributes=(), rules=(DraftedRule(id="no-shop", text="x", why="w"),)))
