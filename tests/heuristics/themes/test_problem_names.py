"""Themes are named by what their customers write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autokb.heuristics.themes.problem_names import LONGEST_NAME, Titles

CRACKLING, LAG, PAIRING = np.eye(3)


def rename(*groups: Sequence[tuple[str, np.ndarray]], names: Sequence[str] = (), product: str = "") -> list[str]:
    """Name groups of issues that are their titles and what they are about."""
    lines = [line for group in groups for line, _ in group]
    vectors = np.array([vector for group in groups for _, vector in group])
    starts = np.cumsum([0, *map(len, groups)])
    places = [range(start, start + len(group)) for start, group in zip(starts, groups, strict=False)]
    own = names or [f"Terms of {n}" for n in range(len(groups))]
    return Titles(lines, vectors).rename(own, places, lines, vectors, product, "en")


PAIRED = [("Pairing fails", PAIRING), ("Pairing fails again", PAIRING)]


def test_a_theme_is_named_by_the_line_nearest_to_what_its_issues_say() -> None:
    noise = [("Sound crackles", CRACKLING)] * 3 + [("Sound lags behind", (CRACKLING + LAG) / np.sqrt(2))]
    assert rename(noise, PAIRED) == ["Sound crackles", "Pairing fails"]


def test_a_theme_of_two_problems_names_both() -> None:
    two = [("Sound crackles!", CRACKLING)] * 3 + [("Lags behind video.", LAG)] * 2
    assert rename(two, PAIRED)[0] == "Sound crackles / Lags behind video"


def test_a_name_is_short() -> None:
    two = [("Sound crackles " + "and crackles " * 3, CRACKLING)] * 3 + [("Lags behind the video picture", LAG)] * 2
    endless = [("Video lags " + "and lags " * 10, LAG)] * 2
    first, second = rename(two, endless)
    assert len(first) <= LONGEST_NAME and "/" not in first
    assert second == "Terms of 1"


def test_what_one_customer_alone_writes_names_no_theme() -> None:
    group = [
        ("Miss Appleby hears crackling", CRACKLING),
        ("Crackling", LAG),
        ("Crackling sound", CRACKLING),
        ("Sound", LAG),
    ]
    assert rename(group, PAIRED)[0].startswith("Crackling")
    assert rename([("Crackling, call 0151 22", CRACKLING)] * 2, PAIRED)[0] == "Terms of 0"
    assert rename([("Crackling, write to joe@example.org", CRACKLING)] * 2, PAIRED)[0] == "Terms of 0"


def test_what_every_theme_says_and_what_names_the_product_names_none() -> None:
    one = [("Buds again", CRACKLING), ("Sound crackles", LAG), ("Sound crackles", LAG), ("Buds again", LAG)]
    one.append(("Buds again", CRACKLING))
    other = [("Buds again", CRACKLING)] * 4
    assert rename(one, other, product="Sound") == ["Sound crackles", "Terms of 1"]


def test_no_two_themes_have_one_name() -> None:
    names = rename([("Pairing fails", PAIRING)] * 2, [("Crackling", LAG)] * 4, names=["Other", "pairing fails"])
    assert names == ["Other", "Crackling"]


def test_an_issue_without_a_title_names_nothing() -> None:
    assert rename([("", CRACKLING), ("Crackling", LAG), ("Crackling", LAG)], PAIRED)[0] == "Crackling"
