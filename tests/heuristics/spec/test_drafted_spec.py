"""What is proposed for a domain by counting."""

from __future__ import annotations

import pytest

from autokb.core.domain import Rule
from autokb.domains import examples_folder
from autokb.heuristics.spec.draft import draft_spec
from autokb.heuristics.spec.families import general_rules
from autokb.heuristics.spec.proposal import DraftSpec, Synonyms
from autokb.sources import Fields, read_documents, read_issues


def shipped(domain: str) -> DraftSpec:
    folder = examples_folder(domain)
    assert folder is not None
    issues = [r.item.full_text for r in read_issues([folder / "issues"], Fields()).records]
    documents = [(r.item.title, r.item.text) for r in read_documents([folder / "documents"], Fields()).records]
    return DraftSpec(domain, tuple(issues), tuple(documents))


def test_it_finds_what_the_shipped_domains_have() -> None:
    headphones = {a.name: set(a.values) for a in draft_spec(shipped("headphones")).attributes}
    assert headphones == {
        "headphone_type": {"Earbud", "Earphone", "Headphone"},
        "os": {"Windows", "Mac", "Android", "iOS"},
        "device": {"Phone", "Tablet", "Laptop"},
        "connectivity": {"Wired", "Wireless"},
    }
    medical = {a.name: a for a in draft_spec(shipped("medical")).attributes}
    assert medical["age"].values == ("Infant", "Child", "Adolescent", "Adult", "Elderly")
    assert (medical["condition"].kind, "Asthma" in medical["condition"].examples) == ("open", True)


ROBOTS = DraftSpec(
    "lawn robots",
    (
        "Hopper 2 does not start from my iPhone",
        "The Hopper 2 stops on my iPad, but Android works fine",
        "Hopper 3 stops in the rain, iPad app",
        "On Windows the app is empty",
        "My Hopper 3 tears the grass, android phone",
        "Android app crashes",
    ),
    (("Start", "Hopper 2: press the knob. Hopper 3: say go. On iOS or Android, tap Go."), ("Rain", "Dry it.")),
)


def test_it_counts_issues_that_are_about_a_value_and_documents_that_name_it() -> None:
    draft = draft_spec(ROBOTS)
    os, version = draft.attributes
    # What works on Android is not what the second issue is about; Windows stands in one issue and in no document.
    assert (os.name, os.values) == ("os", ("Android", "iOS"))
    assert os.why == "Named so often: Android in 2 issues and 1 document, iOS in 3 issues and 1 document"
    assert os.issues == (1, 2, 3, 5, 6)
    assert os.synonyms == (
        Synonyms(value="Android", words=("android phone",)),
        Synonyms(value="iOS", words=("ipad", "iphone")),
    )
    assert (version.name, version.values) == ("hopper_version", ("Hopper 2", "Hopper 3"))


def test_it_proposes_nothing_that_is_configured() -> None:
    known = DraftSpec(
        ROBOTS.domain, ROBOTS.issues, ROBOTS.documents, (("phone_os", ("iOS", "Android")),), (("no-support", "x"),)
    )
    draft = draft_spec(known)
    assert [a.name for a in draft.attributes] == ["hopper_version"]
    assert "no-support" not in [rule.id for rule in draft.rules]


def test_labels_are_names_that_documents_switch_on() -> None:
    pages = (
        "# Blades\n\nPicker: turn them.\n\nGlider: pull them.\n",
        "# Dock\n\nOn the Picker\n\nOn the Glider, push.\n",
    )
    issues = ("my picker is blunt", "Picker stops", "glider hums", "The glider is lost", "red: what is it")
    draft = draft_spec(DraftSpec("x", issues, tuple(("", page) for page in pages)))
    assert [(a.name, a.values) for a in draft.attributes] == [("variant", ("Glider", "Picker"))]


def test_without_material_only_general_rules_are_left() -> None:
    draft = draft_spec(DraftSpec("x", (), ()))
    assert draft.attributes == ()
    assert [rule.id for rule in draft.rules] == ["no-support", "no-service-centre", "no-manual", "no-secrets"]
    assert draft.rules[0].why == "General, of any support desk; there are no documents yet."


@pytest.mark.parametrize(
    ("rule", "broken", "kept"),
    [
        ("no-support", "Please contact our friendly support.", "Headsets that support Bluetooth connect at once."),
        ("no-service-centre", "Bring it to a service centre.", "Clean the centre of the disc."),
        ("no-manual", "Refer to the printed user manual.", "Choose Manual in the menu."),
        ("no-secrets", "Send us your e-mail password.", "Type your password."),
    ],
)
def test_the_general_rules_find_what_they_forbid(rule: str, broken: str, kept: str) -> None:
    drafted = {r.id: Rule(r.id, r.text, r.patterns) for r in general_rules()}[rule]
    assert drafted.match_patterns(broken)
    assert not drafted.match_patterns(kept)
