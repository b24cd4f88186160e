"""Headings that are about a release or variant, and questions that name one."""

from __future__ import annotations

import pytest

from autokb.retrieval.releases import OLD, releases_in, releases_named


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("After upgrading to 78", {"78"}),
        ("No sound (Windows XP)", {"xp"}),
        ("Sync stops on Windows 7", {"7"}),
        ("If you are on a version older than 60.9", {"60.9"}),
        ("What happens if I keep an older version?", {OLD}),
        ("Step 1: turn it on", set()),
        ("Update of March 2026", set()),
        ("Printing (for the selected account)", set()),
        ("Connect to a wired (Ethernet) network", set()),
        ("Type 2 diabetes", set()),
        ("The battery lasts 12 hours", set()),
    ],
)
def test_a_heading_names_its_releases(heading: str, expected: set[str]) -> None:
    assert releases_in((heading,)) == expected


def test_german_headings_name_theirs() -> None:
    assert releases_in(("Nach dem Update auf Version 7",), "de") == {"7"}
    assert releases_in(("In einer älteren Version",), "de") == {OLD}
    assert releases_in(("Schritt 2: Stecker ziehen",), "de") == set()


@pytest.mark.parametrize(
    ("question", "release", "is_named"),
    [
        ("since 78.2 my folders are gone", "78", True),
        ("no sound on XP", "xp", True),
        ("I run an older version", OLD, True),
        ("my folders are gone", "78", False),
        ("178 folders are gone", "78", False),
        ("how old is the battery", OLD, False),
    ],
)
def test_a_question_names_a_release_by_its_number_or_word(question: str, release: str, is_named: bool) -> None:
    assert (release in releases_named(question)) is is_named
