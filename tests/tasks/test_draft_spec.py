"""The task that drafts attributes and rules."""

from __future__ import annotations

from typing import Any

import pytest

from autokb.core.domain import Rule
from autokb.domains import examples_folder
from autokb.sources import Fields, read_documents, read_issues
from autokb.tasks.issues.draft_spec.families import RULES
from autokb.tasks.issues.draft_spec.model import ASKING
from autokb.tasks.issues.draft_spec.shapes import Synonyms
from autokb.tasks.issues.draft_spec.task import TASK, DraftedAttribute, DraftedRule, DraftedSpec, DraftSpec
from autokb.tasks.task import ReplyError


def shipped(domain: str) -> DraftSpec:
    folder = examples_folder(domain)
    assert folder is not None
    issues = [r.item.full_text for r in read_issues([folder / "issues"], Fields()).records]
    documents = [(r.item.title, r.item.text) for r in read_documents([folder / "documents"], Fields()).records]
    return DraftSpec(domain, tuple(issues), tuple(documents))


def test_offline_finds_what_the_shipped_domains_have() -> None:
    headphones = {a.name: set(a.values) for a in TASK.answer_offline(shipped("headphones")).attributes}
    assert headphones == {
        "headphone_type": {"Earbud", "Earphone", "Headphone"},
        "os": {"Windows", "Mac", "Android", "iOS"},
        "device": {"Phone", "Tablet", "Laptop"},
        "connectivity": {"Wired", "Wireless"},
    }
    medical = {a.name: a for a in TASK.answer_offline(shipped("medical")).attributes}
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


def test_offline_counts_issues_that_are_about_a_value_and_documents_that_name_it() -> None:
    draft = TASK.answer_offline(ROBOTS)
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


def test_offline_proposes_nothing_that_is_configured() -> None:
    known = DraftSpec(
        ROBOTS.domain, ROBOTS.issues, ROBOTS.documents, (("phone_os", ("iOS", "Android")),), (("no-support", "x"),)
    )
    draft = TASK.answer_offline(known)
    assert [a.name for a in draft.attributes] == ["hopper_version"]
    assert "no-support" not in [rule.id for rule in draft.rules]


def test_offline_labels_that_documents_switch_on() -> None:
    pages = (
        "# Blades\n\nPicker: turn them.\n\nGlider: pull them.\n",
        "# Dock\n\nOn the Picker\n\nOn the Glider, push.\n",
    )
    issues = ("my picker is blunt", "Picker stops", "glider hums", "The glider is lost", "red: what is it")
    draft = TASK.answer_offline(DraftSpec("x", issues, tuple(("", page) for page in pages)))
    assert [(a.name, a.values) for a in draft.attributes] == [("variant", ("Glider", "Picker"))]


def test_offline_without_material_only_general_rules_are_left() -> None:
    draft = TASK.answer_offline(DraftSpec("x", (), ()))
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
    drafted = {r.id: Rule(r.id, r.text, r.patterns) for r in RULES}[rule]
    assert drafted.broken_by(broken)
    assert not drafted.broken_by(kept)


# -- a model's reply ------------------------------------------------------------------------------------------------

ASKED = DraftSpec("x", ("one", "two"), (), (("os", ("iOS",)),), (("no-shop", "No shops."),))


def attribute(**changes: Any) -> dict[str, Any]:
    plain = {"name": "brake", "kind": "closed", "values": ["Disc", "Rim"], "synonyms": [], "examples": []}
    return {**plain, "why": "It differs.", "issues": [1], **changes}


def read(*attributes: dict[str, Any], rules: tuple[dict[str, str], ...] = ()) -> tuple[DraftedSpec, tuple[str, ...]]:
    entry = ASKING.entry((ASKED,)).model_validate({"number": 1, "attributes": list(attributes), "rules": list(rules)})
    found, complaints = ASKING.read((ASKED,), 0, entry, {})
    TASK.check(ASKED, found)
    assert complaints == tuple(f"{p.part}: {p.reason}" for p in found.left_out)
    return found, complaints


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
