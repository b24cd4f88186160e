"""How a model's reply becomes attribute values."""

from __future__ import annotations

import json
from typing import Any

import pytest

from autokb.core.domain import read_domain
from autokb.core.model_requests import ModelReply
from autokb.tasks.asking import read_reply, reply_schema, request_for
from autokb.tasks.issues.attribute_fields import describe_attributes, field_names
from autokb.tasks.issues.extract_attributes.task import TASK, ExtractAttributes
from autokb.tasks.task import Read

SPEC = read_domain(
    {
        "attributes": {
            "os": {"values": ["iOS", "Mac"], "synonyms": {"iOS": ["iphone"]}, "implies": {"Mac": {"kit": ["Laptop"]}}},
            "kit": {"values": ["Laptop", "Phone"]},
            "illness": {"kind": "open", "examples": ["Diabetes"], "synonyms": {"Asthma": ["wheezing"]}},
        }
    }
).attributes
TEXT = "My epileptic aunt's Mac is slow"
SILENT: dict[str, list[str]] = {"os": [], "kit": [], "illness": []}


def read(values: Any, text: str = TEXT, kind: Any = "issue") -> Read[Any]:
    reply = json.dumps({"answers": [{"number": 1, "attributes": values}]})
    (found,) = read_reply(TASK, [ExtractAttributes(text, kind, SPEC)], ModelReply(reply, 1, 1))
    return found


def said(**values: list[str]) -> Any:
    return {**SILENT, **values}


@pytest.mark.parametrize(
    ("values", "attributes"),
    [
        (said(), {}),
        (said(os=["iOS"]), {"os": ["iOS"]}),
        (said(os=["iOS", "iOS"]), {"os": ["iOS"]}),
        (said(os=["Mac"]), {"os": ["Mac"], "kit": ["Laptop"]}),  # a Mac settles it
        (said(os=["Mac"], kit=["Phone"]), {"os": ["Mac"], "kit": ["Phone"]}),  # what is said stays
        (said(os=["iOS", "Mac"]), {"os": ["Any"]}),  # all there are
        (said(os=["Any"], kit=["NONE"]), {"os": ["Any"], "kit": ["NONE"]}),
        (said(illness=["Diabetes"]), {"illness": ["Diabetes"]}),  # configured ones may be inferred
        (said(illness=["Asthma"]), {"illness": ["Asthma"]}),
        (said(illness=["Epilepsy"]), {"illness": ["Epilepsy"]}),  # a plain form of what the text says
        (said(illness=["  Epilepsy "]), {"illness": ["Epilepsy"]}),
        (said(illness=["NONE"]), {"illness": ["NONE"]}),
    ],
)
def test_good_values(values: Any, attributes: dict[str, list[str]]) -> None:
    found = read(values)
    assert (found.error, found.complaints) == ("", ())
    assert found.answer.attributes == attributes


def test_what_a_model_copied_from_the_escaped_text_is_unescaped() -> None:
    found = read(said(illness=["A&lt;B fever"]), "I have the A<B fever")
    assert found.answer.attributes == {"illness": ["A<B fever"]}


def test_a_solution_that_holds_for_all_says_nothing() -> None:
    assert read(said(os=["Any"], kit=["Phone"]), kind="solution").answer.attributes == {"kit": ["Phone"]}


@pytest.mark.parametrize(
    "values", [said(os=[" ios\u00a0"], mood=["bad"]), {"os": ["iOS"]}, {"os": ["IOS"], "kit": None, "illness": []}]
)
def test_values_that_are_plain_need_no_repair(values: Any) -> None:
    found = read(values)
    assert found.answer.attributes == {"os": ["iOS"]}
    assert found.complaints == ()


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        (said(os=["Windows"]), "Input should be 'iOS', 'Mac', 'Any' or 'NONE'"),
        (said(os=["iOS 17"]), "Input should be 'iOS'"),
        (said(os=[""]), "Input should be 'iOS'"),
        (said(os="iOS"), "valid array"),  # type: ignore[arg-type]
        (said(os=["iOS", "Mac", "Any"]), "at most 2"),
        (said(os=["Any", "iOS"]), "Any and NONE stand alone"),
        (said(illness=["NONE", "Epilepsy"]), "Any and NONE stand alone"),
        (said(illness=[""]), "at least 1 character"),
        (said(illness=["   "]), "needs each value once"),
        (said(illness=["x" * 61]), "at most 60 characters"),
        (said(illness=[f"illness {n}" for n in range(9)]), "at most 8"),
        ({"mood": ["bad"], "os": []}, "Field required"),
        (None, "object"),
        ([], "object"),
    ],
)
def test_wrong_values(values: Any, reason: str) -> None:
    found = read(values)
    assert found.answer is None
    assert reason in found.error


def test_a_value_that_the_text_does_not_show_is_left_out_and_worth_a_repair() -> None:
    found = read(said(os=["Mac"], illness=["Scurvy", "Epilepsy"]))
    assert found.answer.attributes == {"os": ["Mac"], "kit": ["Laptop"], "illness": ["Epilepsy"]}
    assert found.complaints == ("Number 1: illness: the text does not say 'Scurvy'.",)
    assert read(said(illness=["Scurvy"])).answer.attributes == {}


def test_fields_have_names_that_providers_take_and_no_two_the_same() -> None:
    names = ["os", "ear tip", "ear-tip", "Größe", "", "???", "x" * 70]
    spec = read_domain({"attributes": {name: {"kind": "open"} for name in names}}).attributes
    fields = field_names(spec)
    assert list(fields.values()) == ["os", "ear_tip", "ear_tip_2", "Gr_e", "attribute", "attribute_2", "x" * 40]
    assert 'ear_tip_2 (that is "ear-tip"): open' in describe_attributes(spec)


def test_texts_share_a_request_when_kind_and_configuration_are_the_same() -> None:
    one = ExtractAttributes("a", "issue", SPEC)
    assert TASK.together(one) == TASK.together(ExtractAttributes("b", "issue", dict(SPEC)))
    assert TASK.together(one) != TASK.together(ExtractAttributes("a", "solution", SPEC))
    assert TASK.together(one) != TASK.together(ExtractAttributes("a", "issue", {"os": SPEC["os"]}))


def test_a_model_is_told_the_domain_and_one_request_is_about_one_domain() -> None:
    one = ExtractAttributes("a", "issue", SPEC, domain="Headphones of the <Lumo> family.")
    system = request_for(TASK, [one], "openai:any").messages[0].text
    assert "<domain>\nHeadphones of the &lt;Lumo> family.\n</domain>" in system
    assert TASK.together(one) != TASK.together(ExtractAttributes("a", "issue", SPEC, domain="Kettles."))
    assert TASK.key(one) == TASK.key(ExtractAttributes("a", "issue", SPEC))  # no rule reads it, so no answer is lost


def test_with_a_scratchpad_an_entry_begins_with_reasoning_that_nobody_keeps() -> None:
    plain, one = ExtractAttributes(TEXT, "issue", SPEC), ExtractAttributes(TEXT, "issue", SPEC, scratchpad=True)
    entry = reply_schema(TASK, [one])["$defs"]["Entry"]
    assert list(entry["properties"]) == ["number", "reasoning", "attributes"]
    reply = {"answers": [{"number": 1, "reasoning": "The Mac is slow.", "attributes": said(os=["Mac"])}]}
    (found,) = read_reply(TASK, [one], ModelReply(json.dumps(reply), 1, 1))
    assert found.answer is not None
    assert found.answer.attributes == {"kit": ["Laptop"], "os": ["Mac"]}
    with_it, without = request_for(TASK, [one], "openai:any"), request_for(TASK, [plain], "openai:any")
    assert "`reasoning`" in with_it.messages[0].text
    assert '"reasoning": "72 is Elderly' in with_it.messages[0].text
    assert "reasoning" not in without.messages[0].text
    assert with_it.max_tokens > without.max_tokens
    assert TASK.key(one) == TASK.key(plain)
    assert TASK.together(one) != TASK.together(plain)


@pytest.mark.parametrize(("kind", "words"), [("issue", "reported"), ("question", "asks now"), ("solution", "steps")])
def test_each_kind_is_told_what_to_read(kind: Any, words: str) -> None:
    request = request_for(TASK, [ExtractAttributes("x", kind, SPEC)], "openai:any")
    (line,) = [line for line in request.messages[0].text.splitlines() if line.startswith("Each text is")]
    assert words in line


def test_of_a_long_text_the_beginning_is_read() -> None:
    request = request_for(TASK, [ExtractAttributes("ab" * TASK.text_characters, "issue", SPEC)], "openai:any")
    assert "ab" * (TASK.text_characters // 2) in request.messages[1].text
    assert "ab" * (TASK.text_characters // 2 + 1) not in request.messages[1].text
