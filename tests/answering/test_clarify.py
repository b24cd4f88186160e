"""The clarifying question: asked where a manual, or a node's children, keep readers apart and it does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.answering.clarify import Clarification, clarify, information_gain, wording
from autokb.answering.present import Choice
from autokb.core.attributes import Attributes
from autokb.core.domain import Attribute
from autokb.core.nouns import Passage
from autokb.heuristics.question_kind import asks_fact
from small_index import ATTRIBUTES, fixed, node, passage, presentation, solution

PARENT = node("p")
ON_MAC = passage("on-mac", "Sound", "On a Mac", at=20, os="Mac")
ON_WINDOWS = passage("on-windows", "Sound", "On Windows", at=40, os="Windows")
FOR_ALL = passage("for-all", "Sound", "First steps", at=60)
SECTIONS = (ON_MAC, ON_WINDOWS, FOR_ALL)


def asks(
    *sections: Passage,
    cosines: dict[str, float] | None = None,
    within: Attributes | None = None,
    text: str = "It will not pair again",
    **said: str,
) -> Clarification | None:
    """Ask back about the first of a guide's passages."""
    other = solution("x", "p", "faq.md")
    scores = {"x": 0.0, **(cosines or {})}
    question = presentation([PARENT], [other], sections, scores=scores, within=within, **said)
    found = replace(question.scored.evidence, asks_fact=asks_fact(text))
    question = replace(question, scored=replace(question.scored, read=text, evidence=found))
    first = question.choose(1)
    return clarify(question, first[0]) if first and first[0].solution.id != "x" else None


def test_sections_for_different_readers_lead_to_a_question() -> None:
    asked = asks(*SECTIONS, cosines={"on-mac": 0.9, "on-windows": 0.8})
    assert asked == Clarification(
        "os", ("Linux", "Mac", "Windows"), "Which operating system is it: Linux, Mac, Windows, or something else?"
    )


def test_a_solution_of_a_node_asks_by_the_section_that_it_stands_in() -> None:
    child = node("m", "p", os="Mac")
    some = [solution("s", "m", at=20, os="Mac")]
    question = presentation([PARENT, child], some, SECTIONS)
    (first,) = question.choose(1)
    asked = clarify(question, first)
    assert asked is not None and asked.attribute == "os"
    elsewhere = presentation([PARENT, child], [solution("s", "m", at=500, os="Mac")], SECTIONS, scores={"s": 0.9})
    (first,) = elsewhere.choose(1)
    assert clarify(elsewhere, first) is None


def test_what_holds_whatever_the_answer_needs_no_question() -> None:
    assert asks(*SECTIONS, cosines={"for-all": 0.9}) is None


def test_what_the_question_says_is_not_asked() -> None:
    assert asks(*SECTIONS, os="Mac") is None
    assert asks(*SECTIONS, os="Any") is None


def test_a_value_of_the_document_s_title_distinguishes_nobody() -> None:
    titled = replace(ON_MAC, distinguishes=())
    assert asks(titled, ON_WINDOWS, cosines={"on-mac": 0.9, "on-windows": 0.1}) is None


def test_one_section_alone_is_no_choice() -> None:
    assert asks(ON_MAC, FOR_ALL, cosines={"on-mac": 0.9}) is None
    other = passage("on-windows", "Picture", "Brighter colours on Windows", at=40, os="Windows")
    assert asks(ON_MAC, other, cosines={"on-mac": 0.9}) is None


def test_headings_that_name_a_matter_and_a_reader_together_lead_to_a_question() -> None:
    wand = passage("wand", "Milk", "Frothing with the wand", at=20, device="wand")
    carafe = passage("carafe", "Milk", "Frothing with the carafe", at=60, device="carafe")
    leak = passage("leak", "Milk", "Which to use", at=40)
    asked = asks(wand, leak, carafe, cosines={"wand": 0.9})
    assert asked is not None and (asked.attribute, asked.values) == ("device", ("carafe", "wand"))


def test_a_section_far_from_the_question_asks_nothing() -> None:
    assert asks(*SECTIONS, cosines={"on-mac": 0.39, "on-windows": 0.3, "for-all": 0.1}) is None
    assert asks(*SECTIONS, cosines={"on-mac": 0.41, "on-windows": 0.3, "for-all": 0.1}) is not None


def test_a_short_question_may_be_farther_from_its_section() -> None:
    some = {"on-mac": 0.35, "on-windows": 0.3, "for-all": 0.1}
    assert asks(*SECTIONS, cosines=some, text="no sound") is not None
    assert asks(*SECTIONS, cosines=some, text="there is no sound any more") is None


INTRODUCTION = replace(passage("intro", "Sound"), role="introduction")


def test_behind_an_introduction_the_sections_for_readers_decide() -> None:
    mac, windows = (
        passage("mac", "Sound", "Mac", at=20, os="Mac"),
        passage("win", "Sound", "Windows", at=40, os="Windows"),
    )
    some = {"intro": 0.9, "for-all": 0.6, "mac": 0.5, "win": 0.4}
    asked = asks(INTRODUCTION, mac, windows, FOR_ALL, cosines=some)
    assert asked is not None and asked.attribute == "os"
    assert asks(INTRODUCTION, FOR_ALL, cosines=some) is None
    assert asks(INTRODUCTION, cosines=some) is None
    assert asks(INTRODUCTION, mac, windows, FOR_ALL, cosines=some, os="Mac") is None
    assert asks(INTRODUCTION, mac, windows, FOR_ALL, cosines=some, text="Is it loud?") is None
    assert asks(replace(INTRODUCTION, role=""), mac, windows, FOR_ALL, cosines=some) is None


def test_a_question_for_a_fact_is_answered_and_not_asked_back() -> None:
    some = {"on-mac": 0.9, "on-windows": 0.8}
    assert asks(*SECTIONS, cosines=some, text="How long does it take?") is None
    assert asks(*SECTIONS, cosines=some, text="How do I pair it?") is not None


def test_readers_by_another_attribute_are_others_too() -> None:
    cable = passage("cable", "Sound", "Cable", at=40, device="Cable")
    asked = asks(ON_MAC, cable, cosines={"on-mac": 0.9, "cable": 0.8})
    assert asked is not None and asked.attribute == "os"
    asked = asks(ON_MAC, cable, cosines={"on-mac": 0.8, "cable": 0.9})
    assert asked is not None and (asked.attribute, asked.values) == ("device", ("Cable", "NONE"))


def test_who_has_said_for_whom_it_is_is_not_asked_for_more() -> None:
    cable, radio = (passage(d, "Sound", d, at=at, device=d) for d, at in (("Cable", 40), ("Radio", 80)))
    mac = passage("mac", "Sound", "Mac", at=20, os="Mac")
    assert asks(cable, radio, mac, cosines={"Cable": 0.9}, os="Mac") is None
    assert asks(cable, radio, mac, cosines={"Cable": 0.9}) is not None
    assert (
        asks(cable, radio, replace(mac, headings=("Sound", "Mac", "More")), cosines={"Cable": 0.9}, os="Mac")
        is not None
    )


def test_pages_of_one_topic_for_two_readers_lead_to_a_question() -> None:
    mac = replace(passage("mac", "Pairing on Mac", "Steps", os="Mac"), distinguishes=())
    windows = passage("windows", "Pairing on Windows", "Steps", document="faq.md", os="Windows")
    asked = asks(mac, windows, cosines={"mac": 0.9, "windows": 0.8})
    assert asked is not None and asked.attribute == "os"
    other = passage("windows", "Colours with Windows", "Steps", document="faq.md", os="Windows")
    assert asks(mac, other, cosines={"mac": 0.9, "windows": 0.8}) is None
    title = replace(passage("title", "Pairing on Mac", os="Mac"), distinguishes=(), role="introduction")
    asked = asks(title, mac, windows, cosines={"title": 0.95, "mac": 0.9, "windows": 0.8})
    assert asked is not None and asked.attribute == "os"


def test_a_section_for_two_readers_asks_nothing_for_the_sake_of_one_of_them() -> None:
    both = passage("both", "Sound", "On Mac Windows", at=40, os="Mac+Windows")
    assert asks(ON_MAC, both, cosines={"both": 0.9}) is None
    assert asks(ON_MAC, both, cosines={"on-mac": 0.9}) is not None


def test_sections_in_conflict_with_the_question_are_no_choice() -> None:
    phone_only = passage("on-windows", "Sound", "On Windows", at=40, os="Windows", device="Phone")
    assert asks(ON_MAC, phone_only, cosines={"on-mac": 0.9}, device="Laptop") is None


def test_only_values_that_are_still_possible_are_offered() -> None:
    asked = asks(*SECTIONS, cosines={"on-mac": 0.9}, within={"os": frozenset({"Mac", "Windows"})})
    assert asked is not None and asked.values == ("Mac", "Windows")


def test_an_open_attribute_offers_what_the_sections_name() -> None:
    phone = passage("phone", "Sound", "Phone", at=20, device="Phone")
    tablet = passage("tablet", "Sound", "Tablet", at=40, device="Tablet")
    asked = asks(phone, tablet, cosines={"phone": 0.9})
    assert asked is not None and (asked.attribute, asked.values) == ("device", ("Phone", "Tablet"))


def test_information_gain_is_mutual_information() -> None:
    mac, windows, both = frozenset({"Mac"}), frozenset({"Windows"}), frozenset({"Mac", "Windows"})
    assert information_gain([(mac, 1.0), (windows, 1.0)]) == pytest.approx(1.0)
    # H(answer) = 1 bit, of which the last leaves its own third open: 1 - 1/3.
    assert information_gain([(mac, 1.0), (windows, 1.0), (both, 1.0)]) == pytest.approx(2 / 3)
    assert information_gain([(mac, 1.0), (mac, 1.0)]) == 0.0
    # Weights 3 to 1: -(3/4 log2 3/4 + 1/4 log2 1/4).
    assert information_gain([(mac, 3.0), (windows, 1.0)]) == pytest.approx(0.8112781)


@pytest.mark.parametrize(
    ("attribute", "values", "text"),
    [
        (Attribute("mail-provider", "open"), ["Gmail"], "Which mail provider is it: Gmail, or something else?"),
        (Attribute("condition", "open"), ["NONE", "Asthma"], "Which condition is it: Asthma, none, or something else?"),
        (
            Attribute("os", "closed", ("Mac",), ask="What does your computer run?", labels={"Mac": "an Apple system"}),
            ["Mac"],
            "What does your computer run: an Apple system, or something else?",
        ),
    ],
)  # fmt: skip
def test_the_question_in_words(attribute: Attribute, values: list[str], text: str) -> None:
    assert wording(attribute, values) == text


def test_a_solution_without_a_place_asks_nothing() -> None:
    question = presentation([PARENT], [solution("by-hand", "p", document="")], SECTIONS)
    row = question.candidates.row_of["by-hand"]
    assert clarify(question, Choice(row, question.candidates.rows[row].solution, "by-hand", None)) is None
    assert set(ATTRIBUTES) == set(fixed())


CHILDREN = (node("p"), node("w", "p", os="Windows"), node("m", "p", os="Mac"))
ON_CHILDREN = [solution("w1", "w", at=20, os="Windows"), solution("m1", "m", at=40, os="Mac")]


def test_children_apart_ask_where_their_node_shows_nothing_for_everybody() -> None:
    question = presentation(CHILDREN, ON_CHILDREN)
    (first, _) = question.choose(5)
    asked = clarify(question, first)
    assert asked is not None and (asked.attribute, asked.values) == ("os", ("Linux", "Mac", "Windows"))


def test_a_short_question_is_near_by_its_node_where_its_section_says_little_of_it() -> None:
    for node_cosine, asked in ((0.9, True), (0.25, False)):
        cosines = {s.id: 0.2 for s in ON_CHILDREN}
        question = presentation(CHILDREN, ON_CHILDREN, scores=cosines, nodes={i.id: node_cosine for i in CHILDREN})
        (first, *_) = question.choose(5)
        assert (clarify(question, first) is not None) is asked


def test_children_apart_ask_nothing_where_their_node_shows_something_for_everybody() -> None:
    question = presentation(CHILDREN, [*ON_CHILDREN, solution("p1", "p", "faq.md")])
    (first, *_) = question.choose(5)
    assert first.solution.issue_id == "m"
    assert clarify(question, first) is None


def test_children_that_show_the_same_steps_need_no_question() -> None:
    same = [replace(s, steps=("Do it.",)) for s in ON_CHILDREN]
    question = presentation(CHILDREN, same)
    (first,) = question.choose(5)
    assert clarify(question, first) is None
    linux = solution("l1", "l", at=60, os="Linux")
    other = presentation([*CHILDREN, node("l", "p", os="Linux")], [*same, linux])
    (first, *_) = other.choose(5)
    assert clarify(other, first) is not None


def test_sections_with_the_same_steps_need_no_question() -> None:
    same = [replace(s, solution=replace(s.solution, steps=("Do it.",))) for s in (ON_MAC, ON_WINDOWS)]
    assert asks(*same, cosines={"on-mac": 0.9}) is None
