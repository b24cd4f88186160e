"""The lexicon reads values out of headings, steps and switches."""

from __future__ import annotations

import pytest

from autokb.core.attributes import as_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.text.lexicon import conditional_attributes, lexicon, text_attributes
from autokb.text.words import READ_AT_MOST
from work_count import python_lines

SPEC = read_domain(
    {
        "attributes": {
            "link": {"values": ["Wired", "Wireless"], "synonyms": {"Wireless": ["bluetooth", "bt"]}},
            "device": {"values": ["Laptop", "Phone", "Tablet"]},
            "os": {
                "values": ["Android", "iOS", "Windows", "Mac", "Other"],
                "synonyms": {"iOS": ["iphone", "ipad"]},
                "implies": {"iOS": {"device": ["Phone", "Tablet"]}, "Mac": {"device": ["Laptop"]}},
            },
            "person": {"values": ["Child", "Adult"]},
            "provider": {
                "kind": "open",
                "examples": ["Gmail", "AT&T"],
                "synonyms": {"Outlook": ["hotmail", "live.com"]},
            },
            "country": {"values": ["US", "IT", "France"]},
            "water_hardness": {"kind": "open", "examples": ["soft", "hard"]},
        }
    }
)


def said(text: str) -> dict[str, list[str]]:
    return as_lists(text_attributes(text, SPEC))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("On Windows", {"os": ["Windows"]}),
        ("macOS:", {"os": ["Mac"]}),
        ("Windows and Mac", {"os": ["Mac", "Windows"]}),
        ("WINDOWS", {"os": ["Windows"]}),
        ("win10", {"os": ["Windows"]}),
        ("Windows 11", {"os": ["Windows"]}),
        ("windows11", {"os": ["Windows"]}),
        ("your laptops", {"device": ["Laptop"]}),
        ("the laptop's port", {"device": ["Laptop"]}),
        ("tablet-mode", {"device": ["Tablet"]}),
        ("smart-phone", {"device": ["Phone"]}),
        ("blue tooth and blue-tooth", {"link": ["Wireless"]}),
        ("with bt on", {"link": ["Wireless"]}),
        ("doubt and subtitle", {}),
        ("a machine, machinery", {}),
        ("the children", {"person": ["Child"]}),
        ("Children’s hour", {"person": ["Child"]}),
        ("the other one", {}),
        ("give it to us", {}),
        ("our IT people in the US", {"country": ["IT", "US"]}),
        ("a hotmail.com address", {"provider": ["Outlook"]}),
        ("at live.com", {"provider": ["Outlook"]}),
        ("we live in France", {"country": ["France"]}),
        ("the hard crust, hard to remove", {}),
        ("With hard tap water", {"water_hardness": ["hard"]}),
        ("the water is very hard", {"water_hardness": ["hard"]}),
        ("Water hardness: soft", {"water_hardness": ["soft"]}),
        ("Pour in the water. Soft foam follows.", {}),
        ("AT&T mail", {"provider": ["AT&T"]}),
        ("at the end", {}),
        ("the MAC address", {}),
        ("a phone number", {}),
        ("close all windows", {}),
        ("two windows open", {}),
        ("I use windows", {"os": ["Windows"]}),
        ("andriod", {"os": ["Android"]}),
        ("bluetoth", {"link": ["Wireless"]}),
        ("iPads", {"device": ["Tablet"], "os": ["iOS"]}),
        ("Straße in FRANCE", {"country": ["France"]}),
        ("", {}),
    ],
)
def test_what_a_text_says(text: str, expected: dict[str, list[str]]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize("text", ["Not on Mac", "without Bluetooth", "(except on the iPad)", "unless you use Windows"])
def test_what_is_plainly_denied_is_not_said(text: str) -> None:
    assert said(text) == {}


def test_a_denial_ends_with_its_sentence() -> None:
    assert said("Do not. Windows users go on.") == {"os": ["Windows"]}


def test_naming_every_value_of_a_closed_attribute_says_nothing() -> None:
    assert said("For wired and wireless models") == {}


def test_values_in_a_script_without_spaces_are_found() -> None:
    spec = read_domain({"attributes": {"device": {"values": ["手机", "电脑"]}}})
    assert as_lists(text_attributes("我的手机无法连接", spec)) == {"device": ["手机"]}


@pytest.mark.parametrize(
    ("names", "negated", "expected"),
    [
        (["win"], False, {"os": ["Windows"]}),
        (["win7", "win10"], False, {"os": ["Windows"]}),
        (["winxp"], False, {"os": ["Windows"]}),
        (["mac", "win"], False, {"os": ["Mac", "Windows"]}),
        (["mac", "linux"], False, {"os": ["Mac"]}),
        (["=tb78"], False, {}),
        (["tb115", "mac"], False, {"os": ["Mac"]}),
        (["mac"], True, {"os": ["Android", "Other", "Windows", "iOS"]}),
        (["tb60"], True, {}),
        (["gmail"], False, {"provider": ["Gmail"]}),
        (["gmail"], True, {}),
        (["machine"], False, {}),
        ([], False, {}),
    ],
)
def test_switches(names: list[str], negated: bool, expected: dict[str, list[str]]) -> None:
    assert as_lists(conditional_attributes(names, negated, SPEC)) == expected


def test_a_domain_without_such_an_attribute_knows_no_switch() -> None:
    assert conditional_attributes(["win", "mac"], False, DomainSpec("cooking")) == {}


def test_a_person_s_synonym_beats_common_knowledge() -> None:
    spec = read_domain({"attributes": {"os": {"values": ["iOS", "Watch"], "synonyms": {"Watch": ["ipad"]}}}})
    assert as_lists(text_attributes("my iPad", spec)) == {"os": ["Watch"]}


def test_a_lexicon_is_compiled_once_for_equal_attributes() -> None:
    def device(*words: str) -> DomainSpec:
        return read_domain({"attributes": {"device": {"values": ["Case", "Plug"], "synonyms": {"Plug": list(words)}}}})

    assert lexicon(device("jack")) is lexicon(device("jack")) is lexicon(device("jack").attributes)
    assert lexicon(device("jack")) is not lexicon(device("pin"))
    assert as_lists(text_attributes("the pin", device("pin"))) == {"device": ["Plug"]}
    assert as_lists(text_attributes("the pin", device("jack"))) == {}


def test_a_lexicon_speaks_the_language_of_its_domain() -> None:
    attributes = {"os": {"values": ["Windows", "Mac", "Linux"]}, "gerät": {"values": ["Handy", "Laptop"]}}
    german = read_domain({"language": "de", "attributes": attributes})
    assert as_lists(text_attributes("Unter Ubuntu, nicht auf dem MacBook", german)) == {"os": ["Linux"]}
    assert as_lists(text_attributes("Ohne Handy", german)) == {}
    assert as_lists(text_attributes("Ohne Handy", read_domain({"attributes": attributes}))) == {"gerät": ["Handy"]}


@pytest.mark.parametrize("piece", ["windows ", "a", "i phone ", "- ", "'", "blue-tooth-", "{for win}"])
def test_of_a_hostile_text_only_the_beginning_is_read(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert text_attributes(f"{text} On Linux, with an Android phone", SPEC) == text_attributes(
        text[:READ_AT_MOST], SPEC
    )


@pytest.mark.parametrize(
    "piece", ["windows ", "not on windows, ", "i phone ", "- ", "blue-tooth-", "on ", "{for win}", "is hard "]
)
def test_four_times_the_words_are_four_times_the_work(piece: str) -> None:
    text_attributes(piece, SPEC)  # the lexicon is compiled before anything is counted

    def work(count: int) -> int:
        return python_lines(lambda: text_attributes(piece * count, SPEC))

    assert work(2_000) < 6 * work(500)
