"""Durations, ages and temperatures as ranges, and whether a customer's suit those of a section."""

from __future__ import annotations

from math import inf

import pytest

from autokb.heuristics.quantities import Quantity, compare_quantities, read_quantities

WEEK, MONTH, YEAR = 7.0, 30.5, 365.0  # days


def duration(low: float, high: float) -> tuple[Quantity, ...]:
    return (Quantity("duration", low, high),)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("since I lifted a box two days ago", 2, 2),
        ("since yesterday", 0, 1),
        ("for three weeks", 3 * WEEK, 3 * WEEK),
        ("it has hurt for half a year", YEAR / 2, YEAR / 2),
        ("since last Monday", 0, 7),
        ("Back pain since a few days", 0, 7),  # a few days began with hours
        ("ill for a few weeks", 2 * WEEK, 7 * WEEK),
        ("Diarrhoea for weeks or months", 2 * WEEK, inf),
        ("Back pain for more than six weeks", 6 * WEEK, inf),
        ("longer than a month", MONTH, inf),
        ("under 3 months", 0, 3 * MONTH),
        ("no more than 10 days", 0, 10),
        ("it passes within two days", 0, 2),
        ("three to five days", 3, 5),
        ("zero to five days", 0, 5),
        ("for 2-4 weeks", 2 * WEEK, 4 * WEEK),
        ("for 3 days or less", 0, 3),
    ],
)
def test_durations_are_ranges_of_days(text: str, low: float, high: float) -> None:
    assert read_quantities(text) == duration(low, high)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("my 9 month old", 9 / 12, 9 / 12),
        ("I'm 30", 30, 30),
        ("Infants under one year", 0, 1),
        ("children under 12", 0, 12),
        ("4 to 12 years old", 4, 12),
        ("adults over 65", 65, inf),
        ("Adults 65 or older", 65, inf),
        ("after the age of 60", 60, inf),
    ],
)
def test_ages_are_ranges_of_years(text: str, low: float, high: float) -> None:
    assert read_quantities(text) == (Quantity("age", low, high),)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("she has 38.9", 38.9, 38.9),
        ("it is 93 degrees", 93, 93),
        ("101 F", (101 - 32) / 1.8, (101 - 32) / 1.8),
        ("38 degrees Celsius or more", 38, inf),
        ("over 39,5 °C", 39.5, inf),
        ("below 50°", -inf, 50),
    ],
)
def test_temperatures_are_ranges_of_degrees_celsius(text: str, low: float, high: float) -> None:
    assert read_quantities(text) == (Quantity("temperature", low, high),)


@pytest.mark.parametrize(
    "text",
    [
        "pain on more than 15 days a month",  # how often
        "over 25 weeks pregnant",
        "version 38.5.1",
        "version 68 and above",
        "Thunderbird 52 or older",
        "36 g takes about 34 seconds",
        "wait till Monday",
        "bar 9.5, 39 messages",
        "",
    ],
)
def test_other_numbers_are_none_of_these(text: str) -> None:
    assert read_quantities(text) == ()


def test_german_is_read_by_its_own_words() -> None:
    assert read_quantities("seit mehr als sechs Wochen", "de") == duration(6 * WEEK, inf)
    assert read_quantities("Kinder unter 12 Jahren", "de") == (Quantity("age", 0, 12),)
    assert read_quantities("38,5 Grad", "de") == (Quantity("temperature", 38.5, 38.5),)


@pytest.mark.parametrize(
    ("customer", "section", "verdict"),
    [
        ("since I lifted a box two days ago", "Back pain for more than six weeks", -1),
        ("since I lifted a box two days ago", "Back pain since a few days", 1),
        ("for six weeks", "for more than six weeks", 1),  # the limit is within
        ("my 2 year old", "Infants under one year", -1),
        ("I'm 30, for two days", "Infants under one year, ill for more than a day", -1),  # one kind decides
        ("all day, for four months now", "since a few days", 0),  # one is within, the other is not
        ("for a few weeks", "for more than six weeks", 0),  # it may be and may not be
        ("for two days", "Rest for two weeks", 0),  # an instruction
        ("I'm 30", "for more than six weeks", 0),
        ("it hurts", "Infants under one year", 0),
    ],
)
def test_a_customers_quantity_is_compared_with_the_ranges_of_its_kind(
    customer: str, section: str, verdict: float
) -> None:
    assert compare_quantities(read_quantities(customer), read_quantities(section)) == verdict
