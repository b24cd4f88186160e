"""The attribute reader: what is said, what is denied, what works and what follows."""

from __future__ import annotations

import importlib.resources
from typing import Any

import pytest
import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.heuristics.attributes.extract import extract_attributes

FILE = importlib.resources.files("autokb.tasks.issues.extract_attributes").joinpath("examples.yaml")
HEADPHONES, MEDICAL = (read_domain({"attributes": part["domain"]}) for part in yaml.safe_load(FILE.read_text("utf-8")))
MAIL = read_domain(
    {
        "attributes": {
            "account_type": {"values": ["IMAP", "POP3"]},
            "mail_provider": {"kind": "open", "examples": ["Gmail", "Yahoo", "Outlook"]},
        }
    }
)


def read(text: str, spec: DomainSpec, kind: Any = "question") -> dict[str, list[str]]:
    return extract_attributes(text, kind, spec.attributes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("They work with my laptop but not my phone.", {"device": ["Phone"]}),
        ("It doesn't work on my phone but works on my laptop", {"device": ["Phone"]}),
        ("My laptop connects fine, my phone doesn't see them", {"device": ["Phone"]}),
        ("While it works on my laptop, my phone refuses to connect", {"device": ["Phone"]}),
        ("It crashes on Windows but not on Android", {"os": ["Windows"]}),
        ("works on everything except my iPad", {"device": ["Tablet"], "os": ["iOS"]}),
        ("Volume is low on the Galaxy phone, fine on my wife's iPhone.", {"device": ["Phone"], "os": ["Android"]}),
        ("I have a laptop and a phone. The phone is fine. The laptop is not.", {"device": ["Laptop"]}),
        ("Neither my phone nor my laptop connects", {"device": ["Laptop", "Phone"]}),
        ("I have neither a tablet nor a laptop, just a phone", {"device": ["Phone"]}),
        ("fine on my tablet, on my phone it lags", {"device": ["Phone"]}),
        ("no problem on Android, on Windows there is no sound", {"os": ["Windows"]}),
        ("they won't connect to my phone but they do connect to my laptop", {"device": ["Phone"]}),
        ("not only on Windows but also on Android", {"os": ["Android", "Windows"]}),
        ("I don't have a tablet, just a phone", {"device": ["Phone"]}),
        ("I can't use my phone", {"device": ["Phone"]}),
        ("not using bluetooth, wired only", {"link": ["Wired"]}),
        ("Instead of bluetooth I use the cable", {"link": ["Wired"]}),
        ("No bluetooth connection on my phone", {"link": ["Wireless"], "device": ["Phone"]}),
        ("The wireless one works great", {"link": ["Wireless"]}),
        ("happens on any device", {"device": ["Any"]}),
        ("on my phone, my tablet and my laptop", {"device": ["Any"]}),
        ("Is there no way out?", {}),
    ],
)
def test_negation_and_contrast(text: str, expected: dict[str, list[str]]) -> None:
    assert read(text, HEADPHONES) == expected


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("my 3 year old has a fever", "Child"),
        ("6-month-old baby", "Infant"),
        ("six weeks old and coughing", "Infant"),
        ("72 yo, dizzy", "Elderly"),
        ("a 72 y/o, dizzy", "Elderly"),
        ("72 year old man", "Elderly"),
        ("45F with headache", "Adult"),
        ("my son, 15, fell", "Adolescent"),
        ("my daughter (7) coughs", "Child"),
        ("twenty-two year old", "Adult"),
        ("in my late 70s", "Elderly"),
        ("I'm 45 and tired", "Adult"),
        ("Mum is 81 and tired", "Elderly"),
        ("aged 67", "Elderly"),
        ("age 12", "Child"),
        ("a teenager", "Adolescent"),
        ("79, and I take something for it", "Elderly"),
        ("34 here, heartburn", "Adult"),
        ("14 an earache", "Adolescent"),
        ("my son is 14 an his ear hurts", "Adolescent"),
        ("he's nearly 70 and coughs", "Elderly"),
        ("my 5 mth old coughs", "Infant"),
        ("52 male with heartburn", "Adult"),
    ],
)
def test_ages(text: str, age: str) -> None:
    assert read(text, MEDICAL)["age"] == [age]


@pytest.mark.parametrize(
    "text",
    [
        "I'm 5 months pregnant",
        "a fever of 39",
        "39, and rising",
        "102, what should I do",
        "3 days, and no better",
        "20 and more times today",
        "30 minutes ago",
        "I am 3 days late",
        "take 2 tablets",
        "since I was a child",
    ],
)
def test_numbers_that_are_no_age(text: str) -> None:
    assert "age" not in read(text, MEDICAL)


@pytest.mark.parametrize(
    ("text", "onset"),
    [
        ("it began ten minutes ago", "Immediate"),
        ("sick since last night", "Recent"),
        ("for two days", "Recent"),
        ("for ten days", "Ongoing"),
        ("three weeks and counting", "Prolonged"),
        ("has not slept in weeks", "Prolonged"),
        ("over the last two months", "Prolonged"),
        ("for half a year", "Chronic"),
        ("sore for months", "Chronic"),
        ("every spring", "Chronic"),
        ("it is chronic", "Chronic"),
    ],
)
def test_durations(text: str, onset: str) -> None:
    assert read(text, MEDICAL) == {"symptom_onset": [onset]}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("my wife says I snore", {}),
        ("pregnant with our first child and a headache", {"sex": ["Female"]}),
        ("I expect rain, my child has a headache", {"age": ["Child"]}),
        ("a rash on his belly", {"sex": ["Male"]}),
        ("my doctor is away, she told me nothing", {}),
        ("No medical conditions.", {"condition": ["NONE"]}),
        ("history of gallstones, what now", {"condition": ["Gallstones"]}),
        ("Condition: Wilson disease", {"condition": ["Wilson disease"]}),
        ("he has eczema", {"sex": ["Male"], "condition": ["Eczema"]}),
        ("diagnosed with it last week", {"symptom_onset": ["Ongoing"]}),
    ],
)
def test_people_and_conditions(text: str, expected: dict[str, list[str]]) -> None:
    assert read(text, MEDICAL) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My mail provider is Posteo, what port?", {"mail_provider": ["Posteo"]}),
        ("My provider is slow today", {}),
        ("provider: GMX", {"mail_provider": ["GMX"]}),
        ("someone@gmail.com gets nothing", {"mail_provider": ["Gmail"]}),
        ("I want POP instead of IMAP", {"account_type": ["Any"]}),
        ("importing from Outlook", {}),
        ("a pop-up opens", {}),
        ("Gmail and Yahoo stopped, Outlook is fine", {"mail_provider": ["Gmail", "Yahoo"]}),
    ],
)
def test_open_values(text: str, expected: dict[str, list[str]]) -> None:
    assert read(text, MAIL) == expected


def test_a_listed_synonym_beats_what_is_worked_out() -> None:
    spec = read_domain({"attributes": {"age": {"values": ["Child", "Adult"], "synonyms": {"Adult": ["12 year old"]}}}})
    assert read("a 12 year old", spec) == {"age": ["Adult"]}
    assert read("an 11 year old", spec) == {"age": ["Child"]}


def test_a_solution_that_holds_for_every_value_says_nothing() -> None:
    assert read("Works on any device", HEADPHONES, "solution") == {}


def test_no_configuration_reads_nothing() -> None:
    assert read("my iPhone", DomainSpec("empty")) == {}


@pytest.mark.parametrize("text", ["", "   ", "\x00\ud800", "!!!", "¿?"])
def test_texts_without_words_read_nothing(text: str) -> None:
    assert read(text, MEDICAL) == {}


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        ("windows ", {"os": ["Windows"]}),
        ("i phone ", {"device": ["Phone"], "os": ["iOS"]}),
        ("30 year old man ", {"age": ["Adult"], "sex": ["Male"]}),
        ("no not but, ", {}),
        ("for 3 weeks, ", {"symptom_onset": ["Prolonged"]}),
        ("a" * 50, {}),
    ],
)
def test_a_hostile_text_is_read_as_far_as_any(piece: str, expected: dict[str, list[str]]) -> None:
    spec = DomainSpec("both", attributes={**HEADPHONES.attributes, **MEDICAL.attributes})
    assert read(piece * (1_000_000 // len(piece)), spec) == expected
