"""How much neighbouring pieces of a text share, and where it turns."""

from __future__ import annotations

from autokb.heuristics.cohesion import cohesions, first_shift, section_ends, topic_boundaries


def test_cohesion_is_the_share_of_words_on_either_side() -> None:
    # before: {radio, wheel}; after: {radio, light} -> one of two words each: 1 / sqrt(2 * 2)
    assert cohesions(["radio wheel", "radio light"]) == [0.5]
    # two pieces on either side count: {radio, wheel} against {light, wheel} in the middle
    assert cohesions(["radio", "wheel", "light", "wheel"])[1] == 0.5
    assert cohesions(["radio", "## radio", "radio"]) == [-1.0, 1.0]
    assert cohesions(["", "radio"]) == [0.0]


def test_boundaries_are_headings_and_gaps_of_low_cohesion() -> None:
    assert topic_boundaries(["wheel", "wheel", "wheel", "parcel", "parcel", "parcel"]) == [3]
    assert topic_boundaries(["wheel", "## wheel", "wheel"]) == [1]


def test_a_lone_heading_opens_what_follows_and_ends_nothing() -> None:
    pieces = ("# Radio", "## Light", "It glows.", "## Sound", "It hums.")
    assert section_ends(pieces) == (3,)
    assert first_shift(pieces) == 4
