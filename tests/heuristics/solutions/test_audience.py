"""For whom a heading says that its section is."""

from __future__ import annotations

import pytest

from autokb.core.domain import DomainSpec, read_domain
from autokb.heuristics.solutions.audience import attributes_distinguished

ATTRIBUTES = {
    "os": {"values": ["Android", "iOS", "Windows"], "synonyms": {"iOS": ["iphone", "ipad"]}},
    "device": {"values": ["Phone", "Laptop"]},
    "model": {"kind": "open", "examples": ["Hopper", "Glider"]},
}


def spec(language: str = "en") -> DomainSpec:
    return read_domain({"language": language, "attributes": ATTRIBUTES})


@pytest.mark.parametrize(
    ("heading", "names"),
    [
        ("On Android", ("os",)),
        ("On an iPad", ("os",)),
        ("On an iPhone", ("device", "os")),
        ("Android", ("os",)),
        ("If you have an Android phone", ("device", "os")),
        ("For the Hopper", ("model",)),
        ("The earbuds fall out when you run", ()),
        ("The Android app does not find the robot", ()),
        ("Pair with Windows", ()),  # half of its words say what it is about
        ("First steps", ()),
        ("", ()),
        ("…", ()),
    ],
)
def test_a_heading_that_mostly_names_values_distinguishes_readers(heading: str, names: tuple[str, ...]) -> None:
    assert attributes_distinguished(heading, spec()) == names


def test_words_without_content_are_those_of_the_language() -> None:
    assert attributes_distinguished("Auf dem iPhone", spec("de")) == ("os",)
    assert attributes_distinguished("Das iPhone findet den Roboter nicht", spec("de")) == ()
