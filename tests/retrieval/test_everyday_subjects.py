"""What a question opens with, and whether the knowledge base speaks of it."""

from __future__ import annotations

import pytest

from autokb.retrieval.everyday_subjects import (
    COMPANIES,
    OPENING,
    everyday_subjects,
    find_foreign_subject,
    is_of_company,
    subjects_in,
)


def test_the_packaged_list_has_many_kinds_and_no_subject_twice() -> None:
    subjects = everyday_subjects("en")
    names = [name for some in subjects.values() for name in some]
    assert len(subjects) >= 8 and len(names) >= 1400
    assert sorted({name for name in names if names.count(name) > 1}) == []


@pytest.mark.parametrize(
    "text",
    [
        "My soundbar has gone silent",
        "soundbars: which should I get",
        "Dishwasher shows E15",
        "the dishwasher's door is stuck",
        "How much is a new lid?",
        "Hearing-aid whistles",
        "Is my Bang & Olufsen too old?",
    ],
)
def test_subjects_are_found_in_the_opening(text: str) -> None:
    assert find_foreign_subject(text, (), "en")


def test_a_known_subject_and_no_subject_at_all_are_not_foreign() -> None:
    assert not find_foreign_subject("My soundbar has gone silent", {"soundbar"}, "en")
    assert not find_foreign_subject("it has gone silent", (), "en")
    assert not find_foreign_subject("", (), "en")


@pytest.mark.parametrize("text", ["My lips are swelling", "My husband is blind", "The lip of the jug is chipped"])
def test_a_word_with_many_senses_is_no_subject(text: str) -> None:
    assert not find_foreign_subject(text, (), "en")


def test_what_comes_later_is_where_or_since_when_it_happens() -> None:
    before = " ".join(["silent"] * (OPENING - 1))
    assert find_foreign_subject(f"{before} dishwasher", (), "en")
    assert not find_foreign_subject(f"{before} again dishwasher", (), "en")


def test_the_longest_name_counts() -> None:
    assert find_foreign_subject("the car radio hisses", {"radio", "car"}, "en") == "car radio"
    assert not find_foreign_subject("the car radio hisses", {"car radio"}, "en")
    assert {"car", "radio", "car radio"} <= subjects_in("The radio in the hall and the car radios", "en")


@pytest.mark.parametrize(
    ("text", "of_company"),
    [
        ("Is my Bang & Olufsen too old?", True),
        ("How much is a new lid?", True),
        ("My soundbar has gone silent", False),
        ("Dishwasher shows E15", False),
    ],
)
def test_makers_and_what_one_asks_a_company_for_are_told_from_things(text: str, of_company: bool) -> None:
    subject = find_foreign_subject(text, (), "en")
    assert subject is not None and is_of_company(subject, "en") is of_company
    assert not is_of_company(subject, "de") and not is_of_company("no subject", "en")


def test_the_kinds_of_companies_are_in_the_list() -> None:
    assert set(COMPANIES) < set(everyday_subjects("en"))


def test_a_language_without_a_list_finds_nothing() -> None:
    assert everyday_subjects("de") == {}
    assert not find_foreign_subject("my soundbar has gone silent", (), "de")
