"""Themes are named by what their customers write."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from autokb.heuristics.themes.problem_names import VALUE_COST, Titles

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


def test_a_theme_of_two_problems_has_the_name_of_the_one_that_most_have() -> None:
    two = [("Lags behind video.", LAG)] * 2 + [("Sound crackles!", CRACKLING)] * 3
    assert rename(two, PAIRED)[0] == "Sound crackles"


def test_a_name_is_short() -> None:
    """Words beyond the third must bring the line nearer to the issues than they cost."""
    long = "Sound crackles whenever the cable moves"
    near, nearer = (np.array([x, np.sqrt(1 - x * x), 0.0]) for x in (0.5, 0.9))
    assert rename([(long, CRACKLING)] * 3 + [("Sound crackles", near)] * 2, PAIRED)[0] == long
    assert rename([(long, CRACKLING)] * 3 + [("Sound crackles", nearer)] * 2, PAIRED)[0] == "Sound crackles"
    endless = [("Video lags " + "and lags " * 10, LAG)] * 2
    assert rename(PAIRED, endless)[1] == "Terms of 1"


def test_a_line_that_names_a_value_must_be_nearer_by_what_that_costs() -> None:
    """The issues' own words come without values, so what only the line has is one: the left side of an earbud."""

    def named(general: float) -> str:
        lines = ["Left earbud silent", "Left earbud silent", "Left silent", "Pairing fails", "Pairing fails"]
        issues = ["Left silent", "Left silent", "Left silent", "Pairing fails", "Pairing fails"]
        vectors = np.array([CRACKLING] * 3 + [PAIRING] * 2)
        of_lines = np.array([CRACKLING, CRACKLING, [general, np.sqrt(1 - general**2), 0], PAIRING, PAIRING])
        groups = [range(3), range(3, 5)]
        return Titles(lines, of_lines).rename(["Terms", "Others"], groups, issues, vectors, "", "en")[0]

    assert VALUE_COST == 0.1
    assert named(general=0.92) == "Left silent"
    assert named(general=0.88) == "Left earbud silent"


def test_a_line_that_is_near_to_hardly_any_issue_names_no_theme() -> None:
    group = [("Sound crackles", LAG), ("Sound crackles", LAG)]
    issues, far = ["Sound crackles"] * 2, np.array([CRACKLING, CRACKLING])
    assert Titles([line for line, _ in group], np.array([LAG, LAG])).rename(
        ["Own"], [range(2)], issues, far, "", "en"
    ) == ["Own"]


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
