"""The domain specification reads what people write and says which entry is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.core.attributes import ANY, NONE
from autokb.core.domain import AudienceFrom, DomainSpec, Urgent, read_domain
from autokb.core.errors import BadInputError
from autokb.core.ids import key_json

DEVICES: dict[str, Any] = {
    "name": "devices",
    "attributes": {
        "device": {"kind": "closed", "values": ["Laptop", "Phone"]},
        "os": {
            "kind": "closed",
            "values": ["iOS", "Windows"],
            "synonyms": {"iOS": ["iphone"]},
            "implies": {"iOS": {"device": ["Phone"]}},
        },
        "condition": {"kind": "open", "examples": ["Asthma"]},
    },
    "rules": [{"id": "no-calls", "text": "Do not send to support.", "patterns": [r"call (our|the) support"]}],
}


@pytest.fixture
def devices() -> DomainSpec:
    return read_domain(DEVICES)


def test_attributes_and_rules_are_read(devices: DomainSpec) -> None:
    assert list(devices.attributes) == ["device", "os", "condition"]
    assert devices.attributes["os"].synonyms == {"iOS": ("iphone",)}
    assert devices.attributes["os"].implies == {"iOS": {"device": frozenset({"Phone"})}}
    assert devices.attributes["condition"].kind == "open"
    assert devices.rules[0].match_patterns("Please CALL the support now") == "CALL the support"
    assert devices.rules[0].match_patterns("Restart the phone") is None


@pytest.mark.parametrize(
    ("values", "normal"),
    [
        ({"iOS"}, {"iOS"}),
        ({"iOS", "Windows"}, ANY),
        ({"iOS", "Any"}, ANY),
        ({"iOS", "NONE"}, {"iOS"}),
        ({"NONE"}, NONE),
    ],
)
def test_a_value_set_has_one_spelling(devices: DomainSpec, values: set[str], normal: set[str]) -> None:
    assert devices.attributes["os"].normal(frozenset(values)) == normal


def test_an_open_attribute_is_never_whole(devices: DomainSpec) -> None:
    assert devices.attributes["condition"].normal(frozenset({"Asthma"})) == {"Asthma"}


@pytest.mark.parametrize(
    ("device", "os", "allowed"),
    [("Phone", "iOS", True), ("Laptop", "iOS", False), ("Laptop", "Windows", True), ("Any", "iOS", True)],
)
def test_a_value_rules_out_what_it_does_not_imply(devices: DomainSpec, device: str, os: str, allowed: bool) -> None:
    assert devices.allows({"device": frozenset({device}), "os": frozenset({os})}) is allowed


PEOPLE = {
    "attributes": {
        "age": {"values": ["Infant", "Child", "Adult"]},
        "state": {"kind": "open", "examples": ["Pregnancy"]},
    }
}


@pytest.mark.parametrize(
    ("age", "state", "allowed"),
    [
        ({"Infant"}, {"Pregnancy"}, False),
        ({"Infant", "Child"}, {"Pregnancy"}, False),
        ({"Adult"}, {"Pregnancy"}, True),
        ({"Child", "Adult"}, {"Pregnancy"}, True),  # some of them can be
        ({"Infant"}, {"Pregnancy", "Allergy"}, True),
        ({"Infant"}, {"Any"}, True),
        ({"Any"}, {"Pregnancy"}, True),
    ],
)
def test_an_impossible_combination_is_not_allowed(age: set[str], state: set[str], allowed: bool) -> None:
    spec = read_domain({**PEOPLE, "impossible": [{"age": ["Infant", "Child"], "state": ["Pregnancy"]}]})
    assert spec.allows({"age": frozenset(age), "state": frozenset(state)}) is allowed


def test_what_is_impossible_is_in_no_key_of_a_reply() -> None:
    plain = read_domain(PEOPLE)
    stricter = read_domain({**PEOPLE, "impossible": [{"age": ["Infant"], "state": ["Pregnancy"]}]})
    assert plain != stricter
    assert key_json(plain.attributes) == key_json(stricter.attributes)


@pytest.mark.parametrize(
    ("impossible", "sentence"),
    [
        ({"age": ["Infant"]}, "impossible must be a list of combinations"),
        ([["Infant", "Pregnancy"]], "impossible, combination 1 must be a mapping"),
        ([{"age": ["Infant"]}], "combination 1 needs values of two attributes or more, for example impossible:"),
        ([{"age": ["Infant"], "planet": ["Mars"]}], "combination 1 names the attribute 'planet', which is not conf"),
        ([{"age": ["Baby"], "state": ["Pregnancy"]}], "combination 1: 'Baby' is not a value of 'age'"),
        ([{"age": [], "state": ["Pregnancy"]}], r"age needs its values, for example \{age: \[One\]\}"),
        ([{"age": ["Infant", "Child", "Adult"], "state": ["Pregnancy"]}], "names every value of an attribute"),
    ],
)
def test_a_wrong_impossible_combination_is_named(impossible: Any, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({**PEOPLE, "impossible": impossible})


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"os": {"kind": "closed"}}, "needs its values"),
        ({"os": {"kind": "maybe", "values": ["A"]}}, "closed or open"),
        ({"os": {"values": ["A", "Any"]}}, "leave them out"),
        ({"os": {"values": ["A"], "synonyms": {"B": ["b"]}}}, "'B' is not one of its values"),
        ({"os": {"values": ["A"], "implies": {"A": {"device": ["X"]}}}}, "which is not configured"),
        ({"os": {"values": ["A"], "implies": {"A": {"os": ["X"]}}}}, "'X' is not a value"),
        ({"os": {"values": {"A": 1}}}, "list of strings"),
        ({"os": {"values": "EU, US"}}, r"values must be a list; write it as \[EU, US\]\."),
        ({"os": "A"}, "mapping"),
    ],
)
def test_a_wrong_entry_is_named(attributes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({"attributes": attributes})


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ([{"id": "x"}], "needs a text"),
        ([{"text": "x", "patterns": ["("]}], "not a valid regular expression"),
        ([{"id": "x", "text": "a"}, {"id": "x", "text": "b"}], "same id"),
        ({"x": 1}, "must be a list"),
    ],
)
def test_a_wrong_rule_is_named(rules: Any, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({"rules": rules})


@pytest.mark.parametrize(
    ("data", "meant"),
    [
        ({"attributs": {}}, "attributes"),
        ({"attributes": {"os": {"value": ["a", "b"]}}}, "values"),
        ({"attributes": {"os": {"values": ["a", "b"], "synonym": {}}}}, "synonyms"),
        ({"rules": [{"text": "No.", "pattern": "x"}]}, "patterns"),
    ],
)
def test_a_misspelt_entry_is_refused_and_not_missed_in_silence(data: dict[str, object], meant: str) -> None:
    with pytest.raises(BadInputError, match=rf"Did you mean {meant}\?"):
        read_domain(data)


def test_entries_of_ones_own_are_left_alone() -> None:
    assert read_domain({"owner": "me", "attributes": {"os": {"values": ["a"], "note": "x"}}}).attributes[
        "os"
    ].values == ("a",)


@pytest.mark.parametrize(
    ("data", "language"),
    [({}, "en"), ({"language": "de"}, "de"), ({"language": "DE "}, "de"), ({"language": False}, "no")],
)
def test_a_domain_has_a_language(data: dict[str, object], language: str) -> None:
    assert read_domain(data).language == language


@pytest.mark.parametrize("language", ["english", "d", "en-US", 7, ["de"]])
def test_a_language_is_a_code_of_two_letters(language: object) -> None:
    with pytest.raises(BadInputError, match="two letters such as en or de"):
        read_domain({"language": language})


def test_a_question_back_and_labels_are_read_and_change_no_key() -> None:
    plain = {"values": ["iOS", "Windows"]}
    spoken = {**plain, "ask": "What runs on it?", "labels": {"iOS": "an iPhone or iPad"}}
    attribute = read_domain({"attributes": {"os": spoken}}).attributes["os"]
    assert (attribute.ask, attribute.labels) == ("What runs on it?", {"iOS": "an iPhone or iPad"})
    bare = read_domain({"attributes": {"os": plain}}).attributes["os"]
    assert (bare.ask, bare.labels) == ("", {})
    assert key_json({"os": attribute}) == key_json({"os": bare})


def test_an_open_attribute_may_label_any_value() -> None:
    found = read_domain({"attributes": {"condition": {"kind": "open", "labels": {"Asthma": "asthma", "NONE": "none"}}}})
    assert found.attributes["condition"].labels == {"Asthma": "asthma", "NONE": "none"}


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"ask": ["Which?"]}, "'os': ask must be text"),
        ({"labels": {"Mac": "a Mac"}}, "labels: 'Mac' is not one of its values"),
        ({"labels": {"iOS": ["a", "b"]}}, "the label of iOS must be text"),
        ({"labels": ["iPhone"]}, "labels must be a mapping"),
        ({"label": {}}, r"Did you mean labels\?"),
    ],
)
def test_a_wrong_question_back_or_label_is_named(more: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({"attributes": {"os": {"values": ["iOS", "Windows"], **more}}})


@pytest.mark.parametrize(
    ("scope", "read"),
    [
        (None, {}),
        ({"os": "iOS"}, {"os": {"iOS"}}),
        ({"os": ["iOS"], "condition": ["Gout"]}, {"os": {"iOS"}, "condition": {"Gout"}}),
        ({"os": ["iOS", "Windows"]}, {"os": ANY}),
    ],
)
def test_a_scope_says_what_holds_for_everything(scope: Any, read: dict[str, set[str]]) -> None:
    assert read_domain({**DEVICES, "scope": scope}).scope == read


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"scope": {"planet": ["Mars"]}}, "scope names the attribute 'planet', which is not configured"),
        ({"scope": {"os": ["Symbian"]}}, "scope: 'Symbian' is not a value of 'os'"),
        ({"scope": {"os": []}}, r"os needs its values, for example \{os: \[One\]\}"),
        ({"scope": {"os": {"iOS": True}}}, "scope: os must be a list of strings"),
        ({"scope": ["iOS"]}, "scope must be a mapping"),
        ({"scopes": {}}, r"Did you mean scope\?"),
    ],
)
def test_a_wrong_scope_is_named(data: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({**DEVICES, **data})


def test_a_rule_may_forbid_phrases() -> None:
    (rule,) = read_domain({"rules": [{"id": "r", "text": "No calls.", "forbid": ["call support", "ring us"]}]}).rules
    assert rule.forbid == ("call support", "ring us") and rule.is_checked_offline
    assert read_domain({"rules": [{"text": "No calls.", "forbid": "call support"}]}).rules[0].forbid == (
        "call support",
    )
    assert not read_domain({"rules": ["No calls."]}).rules[0].is_checked_offline
    for forbid, sentence in (
        (["- !"], "has no word in it"),
        ([["call"]], "must be a list of strings"),
        (["a/b/c/d/e/f/g/h/i/j " * 4], "too many alternatives"),
    ):
        with pytest.raises(BadInputError, match=sentence):
            read_domain({"rules": [{"text": "x", "forbid": forbid}]})
    with pytest.raises(BadInputError, match="Did you mean forbid"):
        read_domain({"rules": [{"text": "x", "forbidd": ["call"]}]})


def test_urgent_warnings_are_read_and_change_no_key() -> None:
    entry = {
        "when": ["smoke"],
        "with": "machine",
        "unless": ["smoke taste"],
        "section": "Fire",
        "document": "safety.md",
    }
    read = read_domain({"urgent": [{"name": "smoke", **entry}, {"when": "flames", "section": "Fire"}]})
    assert read.urgent == (
        Urgent("smoke", ("smoke",), "Fire", "safety.md", ("machine",), ("smoke taste",)),
        Urgent("urgent-2", ("flames",), "Fire"),
    )
    assert key_json(read) == key_json(read_domain({}))


@pytest.mark.parametrize(
    ("urgent", "sentence"),
    [
        ({"when": ["smoke"]}, "urgent must be a list"),
        (["smoke"], "urgent 1 must be a mapping"),
        ([{"section": "Fire"}], "needs what customers write"),
        ([{"name": "fire", "when": ["smoke"]}], "urgent 'fire' needs the heading of its section"),
        ([{"when": ["smoke", "..."], "section": "Fire"}], "when: '...' has no word in it"),
        ([{"when": {"a": 1}, "section": "Fire"}], "when must be a list of strings"),
        ([{"when": ["smoke"], "sections": "Fire"}], r"Did you mean section\?"),
        (
            [{"when": ["smoke"], "heading": "Fire"}],
            "urgent 'urgent-1' takes name, when, with, unless, section, document, not 'heading'",
        ),
        ([{"name": "a", "when": ["b"], "section": "C"}] * 2, "two entries of urgent have the same name"),
    ],
)
def test_a_wrong_urgent_entry_is_named(urgent: Any, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        read_domain({"urgent": urgent})


def test_audience_from_names_attributes_that_there_are() -> None:
    attributes = {"version": {"values": ["1", "2"]}}
    read = read_domain(
        {"attributes": attributes, "audience_from": {"path": "v{version}/", "front_matter": {"v": "version"}}}
    )
    assert read.audience_from == AudienceFrom(("v{version}/",), {"v": "version"})
    assert read_domain({"attributes": attributes}).audience_from is None
    for entry in ({"path": "{os}/"}, {"front_matter": {"system": "os"}}):
        with pytest.raises(BadInputError, match="audience_from names the attribute 'os', which is not configured"):
            read_domain({"attributes": attributes, "audience_from": entry})
    with pytest.raises(BadInputError, match="audience_from: unknown key 'paths'"):
        read_domain({"attributes": attributes, "audience_from": {"paths": "v{version}/"}})
