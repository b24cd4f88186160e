"""For whom a heading says that its section is."""

from __future__ import annotations

import pytest

from autokb.core.domain import DomainSpec, read_domain
from autokb.heuristics.solutions.audience import mask_values

ATTRIBUTES = {
    "os": {"values": ["Android", "iOS", "Windows"], "synonyms": {"iOS": ["iphone", "ipad"]}},
    "device": {"values": ["Phone", "Laptop"]},
    "model": {"kind": "open", "examples": ["Hopper", "Glider"]},
}


def spec(language: str = "en") -> DomainSpec:
    return read_domain({"language": language, "attributes": ATTRIBUTES})


@pytest.mark.parametrize(
    ("heading", "masked"),
    [
        ("On Android", ("<os>",)),
        ("On an iPad", ("<os>",)),
        ("If you have an Android phone", ("<device>", "<os>")),
        ("Cleaning the Hopper", ("<model>", "clean")),
        ("The earbuds fall out when you run", ("earbud", "fall", "run")),
        ("First steps", ("first",)),
        ("", ()),
        ("…", ()),
    ],
)
def test_a_heading_is_masked_by_the_attributes_of_its_values(heading: str, masked: tuple[str, ...]) -> None:
    assert mask_values(heading, spec()) == masked


def test_headings_that_differ_by_values_alone_are_masked_alike() -> None:
    assert mask_values("Cleaning the Hopper", spec()) == mask_values("Clean your Glider", spec())
    assert mask_values("Auf dem iPhone", spec("de")) == mask_values("Mit Android", spec("de"))
