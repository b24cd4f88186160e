"""What a question is read to say, with the domains that ship and those of the benchmark."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.core.attributes import as_lists
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import BadInputError
from autokb.domains import domain_text
from autokb.retrieval.read_question import read_question, read_values, spec_for_question_in

KNOWLEDGE_BASES = Path(__file__).parents[2] / "benchmarks" / "data" / "knowledge_bases"
ANY_DEVICE = {"secondary_device": ["Any"]}
MAC = {"os": ["Mac"], "secondary_device": ["Laptop"]}
LAPTOP = {"os": ["Windows"], "secondary_device": ["Laptop"]}
IPHONE = {"os": ["iOS"], "secondary_device": ["Phone"]}


@cache
def domain(name: str) -> DomainSpec:
    file = KNOWLEDGE_BASES / name / "domain.yaml"
    return read_domain(yaml.safe_load(file.read_text(encoding="utf-8") if file.exists() else domain_text(name)))


def read(name: str, text: str, **overrides: str) -> dict[str, list[str]]:
    given = read_values(domain(name), {n: [v] for n, v in overrides.items()})
    return as_lists(read_question(text, given, domain(name)).attributes)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It happens on whatever device I use.", ANY_DEVICE),
        ("No matter which device I connect them to, they crackle.", ANY_DEVICE),
        ("They are too quiet regardless of the device.", ANY_DEVICE),
        ("The stutter is there with all of my devices.", ANY_DEVICE),
        ("On whatever OS I try, the microphone is dead.", {"os": ["Any"]}),
        ("It crackles on every operating system.", {"os": ["Any"]}),
        ("Are there any devices that can charge them?", {}),
        ("My Apple headphones keep falling out.", {"headphone_type": ["Headphone"]}),
        ("I have a Dell monitor with speakers, can I use both?", {}),
        ("Google says I should clean them with water.", {}),
        ("Do they work with Microsoft Teams?", {}),
        ("My Samsung TV does not find them.", {}),
        ("My Samsung laptop does not find them.", {"secondary_device": ["Laptop"]}),
        ("My Samsung won't find them.", {"os": ["Android"]}),
        ("My iPhone says not supported when I plug in the adapter.", IPHONE),
        ("My MacBook tells me the device is not found.", MAC),
        ("The buds sound thin on my wife's tablet.", {"headphone_type": ["Earbud"], "secondary_device": ["Tablet"]}),
        ("My Windows tablet does not find them.", {"os": ["Windows"], "secondary_device": ["Laptop", "Tablet"]}),
        ("My Surface Pro is silent.", {"os": ["Windows"], "secondary_device": ["Laptop", "Tablet"]}),
        ("I go from Windows to iPad and lose sound.", {"os": ["Windows", "iOS"], "secondary_device": ["Tablet"]}),
        ("On Windows the left side is silent.", LAPTOP),
        ("Sound is fine on my Mac, but my iPhone stays silent.", IPHONE),
        ("The app asks for an update on Android.", {"os": ["Android"]}),
    ],
)  # fmt: skip
def test_headphones(text: str, expected: dict[str, list[str]]) -> None:
    assert read("headphones", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("No known illness, but I cough.", {"condition": ["NONE"]}),
        ("I have no known illnesses and feel dizzy.", {"condition": ["NONE"]}),
        ("Without any underlying disease, why do I feel sick?", {"condition": ["NONE"]}),
        ("I'm otherwise healthy and have heartburn.", {"condition": ["NONE"]}),
        ("No health problems apart from this itch.", {"condition": ["NONE"]}),
        ("I don't have any illness.", {"condition": ["NONE"]}),
        ("Could any illness be behind a cough?", {}),
        ("I have asthma, otherwise healthy, and now a rash.", {"condition": ["Asthma"]}),
        ("Can heartburn come at any age?", {"age": ["Any"]}),
        ("What helps against constipation regardless of age?", {"age": ["Any"]}),
        ("Is honey good for a cough no matter what age?", {"age": ["Any"]}),
        ("Do people of all ages get it?", {"age": ["Any"]}),
        ("I'm 72 and have had a cough for 2 months.", {"age": ["Elderly"], "symptom_onset": ["Prolonged"]}),
        ("For 2 months I have had a cough, I am 72.", {"age": ["Elderly"], "symptom_onset": ["Prolonged"]}),
        ("A cough for 3 weeks, man of 40.", {"age": ["Adult"], "sex": ["Male"], "symptom_onset": ["Prolonged"]}),
        ("My baby, 2 months, has a fever since yesterday.", {"age": ["Infant"], "symptom_onset": ["Recent"]}),
        ("My 5 month old has had a rash for 2 days.", {"age": ["Infant"], "symptom_onset": ["Recent"]}),
        (
            "I had a kidney transplant two years ago. Since this morning it burns when I swallow.",
            {"condition": ["Weak Immune System"], "symptom_onset": ["Recent"]},
        ),
        (
            "I was diagnosed with diabetes ten years ago and since yesterday I feel dizzy.",
            {"condition": ["Diabetes"], "symptom_onset": ["Recent"]},
        ),
        ("Operated on my knee five years ago. For two days my belly hurts.", {"symptom_onset": ["Recent"]}),
        ("I have had asthma for ten years.", {"condition": ["Asthma"], "symptom_onset": ["Chronic"]}),
        ("She turned 16 and has headaches.", {"age": ["Adolescent"], "sex": ["Female"]}),
        ("My grandson is 9 months and has a runny nose.", {"age": ["Infant"], "sex": ["Male"]}),
        ("I'm 39.5 degrees hot.", {}),
        ("My doctor says I have eczema.", {"condition": ["Eczema"]}),
        ("My wife says the rash looks bad.", {}),
    ],
)
def test_medical(text: str, expected: dict[str, list[str]]) -> None:
    assert read("medical", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thunderbird for Android shows no mail.", {"os": ["Android"], "app": ["Android"]}),
        ("On my Android phone new mail comes late.", {"os": ["Android"], "app": ["Android"]}),
        ("K-9 lost my folders.", {"os": ["Android"], "app": ["Android"]}),
        ("On Linux the fonts are tiny.", {"os": ["Linux"], "app": ["Desktop"]}),
        ("My laptop shows an empty inbox.", {"app": ["Desktop"]}),
        ("I have an Android phone and a PC, how do I copy the accounts over?", {"os": ["Android"], "app": ["Any"]}),
        (
            "How do I get accounts from Windows to the mobile app?",
            {"os": ["Android", "Windows"], "app": ["Any"]},
        ),
        ("A window pops up all the time.", {}),
        ("It pops a message about the certificate.", {}),
        ("Two POPs and an IMAP account in one inbox", {"account_type": ["IMAP", "POP3"]}),
        ("I exchange many mails with her.", {}),
        ("I closed all apps and nothing helped.", {}),
        ("The Microsoft sign-in page stays blank.", {}),
        ("Since the update an orange bar is above my mail.", {}),
        ("My Orange account asks for the password.", {"mail_provider": ["Orange"]}),
        ("My macOS says that the disk is full.", {"os": ["macOS"], "app": ["Desktop"]}),
    ],
)
def test_thunderbird(text: str, expected: dict[str, list[str]]) -> None:
    assert read("thunderbird", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("There is a hard milk crust on the wand.", {"milk_system": ["Steam wand"]}),
        ("It is hard to get the water tank out.", {}),
        ("The portafilter is hard to turn.", {}),
        ("I like a medium roast with soft foam.", {}),
        ("Our water is very hard, how often do I descale?", {"water_hardness": ["very hard"]}),
        ("With hard water, how often do I descale?", {"water_hardness": ["hard"]}),
        ("The water here is quite soft, is descaling needed?", {"water_hardness": ["soft"]}),
        ("Water hardness: medium. When does the light come on?", {"water_hardness": ["medium"]}),
        ("It is set to H3, is that right?", {"water_hardness": ["H3"]}),
        ("Two boilers and no steam", {"model_type": ["Dual boiler"]}),
    ],
)
def test_espresso(text: str, expected: dict[str, list[str]]) -> None:
    assert read("espresso", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I'm a normal team member and cannot see the reports.", {"role": ["Member"]}),
        ("We are on Team and need a third seat.", {"plan": ["Team"]}),
        ("we're on the team plan", {"plan": ["Team"]}),
        ("Feel free to tell me where the export is.", {}),
        ("Can I try it for free?", {}),
        ("I'm on Free, how many invoices can I send?", {"plan": ["Free"]}),
        ("The text runs over the edge of the page.", {}),
        ("in edge the page stays blank", {"browser": ["Edge"], "platform": ["Web"]}),
        ("My iPad says that I am offline.", {"platform": ["iOS"]}),
        ("Do you have any plans for a dark mode?", {}),
        ("Is there any plan to support Swiss francs?", {}),
        ("Is that so on all plans?", {"plan": ["Any"]}),
        ("The same in whichever role I sign in.", {"role": ["Any"]}),
    ],
)
def test_cashbook(text: str, expected: dict[str, list[str]]) -> None:
    assert read("cashbook", text) == expected


def test_an_override_replaces_what_was_read_and_what_follows_from_it() -> None:
    assert read("headphones", "No sound on Windows", os="Android") == {"os": ["Android"]}
    assert read("headphones", "No sound on my MacBook", os="iOS") == {"os": ["iOS"]}
    assert read("headphones", "No sound on my Windows tablet", os="Android") == {
        "os": ["Android"],
        "secondary_device": ["Tablet"],
    }
    assert read("thunderbird", "Thunderbird on my Android phone", os="Linux") == {"os": ["Linux"], "app": ["Desktop"]}
    assert read("thunderbird", "no mail on Linux", os="Any") == {"os": ["Any"]}


def _spec(**attributes: Any) -> DomainSpec:
    return read_domain({"attributes": attributes})


def test_a_phrase_that_fits_two_values_gives_both() -> None:
    spec = _spec(
        device={
            "values": ["Phone", "Tablet", "Laptop"],
            "synonyms": {"Phone": ["mobile device"], "Tablet": ["mobile device"]},
        }
    )
    both = frozenset({"Phone", "Tablet"})
    assert read_question("on my mobile devices", {}, spec).attributes == {"device": both}
    assert read_question("on a moblie device", {}, spec).attributes == {}
    assert read_values(spec, {"device": ["mobile device"]}) == {"device": both}


def test_a_value_that_there_is_not_is_refused_in_words_that_can_be_written() -> None:
    spec = _spec(device={"values": ["Phone", "Tablet"]})
    with pytest.raises(BadInputError) as refused:
        read_values(spec, {"device": ["Fax"]})
    said = "'Fax' is not a value of device; write Phone, Tablet, any (all of them) or none (it does not apply)."
    assert str(refused.value) == said
    for written, value in (("any", "Any"), ("none", "NONE")):
        assert as_lists(read_values(spec, {"device": [written]})) == {"device": [value]}


def test_an_attribute_is_known_in_another_case_where_only_one_has_its_name() -> None:
    spec = _spec(Device={"values": ["Phone", "Tablet"]}, os={"values": ["A", "B"]}, OS={"values": ["C", "D"]})
    assert as_lists(read_values(spec, {"dEVICE": ["phone"], "OS": ["c"]})) == {"Device": ["Phone"], "OS": ["C"]}
    with pytest.raises(BadInputError, match=r"Unknown attribute 'Os'\. The domain has: Device, OS, os"):
        read_values(spec, {"Os": ["A"]})
    with pytest.raises(BadInputError, match="Device is given twice"):
        read_values(spec, {"device": ["Phone"], "Device": ["Tablet"]})


def test_a_slip_in_two_words_names_both_values() -> None:
    spec = _spec(model={"values": ["Marola", "Marila", "Other maker"]})
    assert read_question("my marrola", {}, spec).attributes == {"model": frozenset({"Marola"})}
    assert read_question("my marla", {}, spec).attributes == {"model": frozenset({"Marola", "Marila"})}


def test_every_value_is_meant_in_german_too() -> None:
    spec = read_domain({"language": "de", "attributes": {"gerät": {"values": ["Handy", "Tablet"]}}})
    for text in ("unabhängig vom Gerät", "Es rauscht, egal welches Gerät ich nehme"):
        assert read_question(text, {}, spec).attributes == {"gerät": frozenset({"Any"})}
    water = read_domain({"language": "de", "attributes": {"wasser": {"kind": "open", "examples": ["hart", "weich"]}}})
    assert read_question("Unser Wasser ist hart", {}, water).attributes == {"wasser": frozenset({"hart"})}


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("de", "Wie kann man das behandeln?", {}),
        ("de", "Das Baby hat seit gestern Fieber", {"age": ["Infant"]}),
        ("fr", "Ma grand-mère est tombée, son poignet est gonflé", {}),
        ("es", "he estado resfriado", {}),
    ],
)
def test_grammar_of_the_question_s_language_names_no_value(
    language: str, text: str, expected: dict[str, list[str]]
) -> None:
    spec = spec_for_question_in(language, domain("medical"))
    assert as_lists(read_question(text, {}, spec).attributes) == expected


def test_products_are_read_in_any_language() -> None:
    spec = spec_for_question_in("fr", domain("headphones"))
    found = as_lists(read_question("sous Windows 11 mon casque Lumo Over ne se connecte pas", {}, spec).attributes)
    assert found == {"headphone_type": ["Headphone"], **LAPTOP}


@pytest.mark.parametrize(
    ("text", "beside"),
    [
        ("back pain since yesterday", {"symptom_onset": ["Immediate", "Ongoing"]}),
        ("diarrhoea for half a year", {"symptom_onset": ["Prolonged"]}),
        ("back pain for three months", {"symptom_onset": ["Chronic"]}),
        ("a rash for two years", {}),
        ("a cough, I am 17", {"age": ["Adult"]}),
        ("a cough, I am 40", {}),
        ("my 11 months old coughs", {}),
        ("the baby coughs", {}),
    ],
)
def test_the_values_next_to_a_stated_one_may_as_well_be_meant(text: str, beside: dict[str, list[str]]) -> None:
    found = read_question(text, {}, domain("medical"))
    assert as_lists({n: values - found.attributes[n] for n, values in found.beside.items()}) == beside


def test_what_a_caller_says_is_meant_exactly() -> None:
    given = read_values(domain("medical"), {"symptom_onset": ["Recent"]})
    assert read_question("back pain since yesterday", given, domain("medical")).beside == {}
