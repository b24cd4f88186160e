"""The roles of sections: which introduce, which state or explain a problem, and which remedy it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from autokb.heuristics.section_roles import is_bookkeeping, roles_of

ARTICLE = [
    (("Mail stays in the outbox",), 1),
    (("Mail stays in the outbox", "Symptoms"), 3),
    (("Mail stays in the outbox", "Cause"), 1),
    (("Mail stays in the outbox", "Resolution"), 4),
    (("Mail stays in the outbox", "Resolution", "Method 1"), 2),
    (("Mail stays in the outbox", "More information"), 1),
]


def _roles(sections: Sequence[tuple[Sequence[str], int]], language: str = "en") -> list[str]:
    return [role for role, _ in roles_of(sections, language)]


def test_the_sections_of_a_pattern() -> None:
    assert _roles(ARTICLE) == ["introduction", "symptoms", "cause", "remedy", "remedy", "reference"]
    assert {article for _, article in roles_of(ARTICLE)} == {1}


def test_a_heading_with_its_own_cause_and_fix_is_an_article_inside_its_page() -> None:
    page = [
        (("Errors",), 3),
        (("Errors", "Issue 1: no login"), 1),
        (("Errors", "Issue 1: no login", "Cause"), 1),
        (("Errors", "Issue 1: no login", "Fix"), 2),
    ]
    assert roles_of(page) == [("", 1), ("symptoms", 2), ("cause", 2), ("remedy", 2)]


def test_without_a_remedy_beside_it_a_problem_is_a_matter_like_others() -> None:
    page = [(("Sound",), 1), (("Sound", "Problems with Bluetooth"), 4), (("Sound", "Reasons to upgrade"), 1)]
    assert _roles(page) == ["introduction", "", ""]


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("RESOLUTION", "remedy"),
        ("2. Workaround for Windows", "remedy"),
        ("Solution: clear the cache", "remedy"),
        ("Fixing the clock", ""),
        ("Solutions Inc. partners", ""),
    ],
)
def test_headings_that_name_a_remedy(heading: str, role: str) -> None:
    assert _roles([(("Page",), 2), (("Page", heading), 2)])[1] == role


def test_in_german() -> None:
    page = [
        (("Kein Ton",), 1),
        (("Kein Ton", "Fehlerbild"), 1),
        (("Kein Ton", "Ursache"), 1),
        (("Kein Ton", "Abhilfe"), 2),
    ]
    assert _roles(page, "de") == ["introduction", "symptoms", "cause", "remedy"]
    assert _roles(page, "tr") == ["introduction", "", "", ""]


def test_a_page_that_instructs_at_once_introduces_nothing_and_neither_does_one_alone() -> None:
    assert _roles([(("Reset",), 3), (("Reset", "On the case"), 2)]) == ["", ""]
    assert _roles([(("Reset",), 1)]) == [""]


def test_lines_that_only_number_or_date_an_article() -> None:
    assert is_bookkeeping(["Original KB number: 2847732"])
    assert is_bookkeeping(["*Last updated:* 3 May 2024", "Author: Support"])
    assert not is_bookkeeping(["Battery life: 20 hours"])
    assert not is_bookkeeping([])


def test_long_headings_take_no_time() -> None:
    assert _roles([(("Page",), 1), (("Page", "1." * 100_000), 1), (("Page", "solution " * 20_000), 1)])
    assert not is_bookkeeping(["author: " * 50_000])
