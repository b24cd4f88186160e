"""A sentence of a reply says what its lines say: what may be said otherwise, and what is the opposite."""

from __future__ import annotations

import pytest

from autokb.heuristics.replies.fidelity import unfaithful


@pytest.mark.parametrize(
    ("text", "lines", "said"),
    [
        ("Please see a doctor if you miss school every month.", "See a doctor when school is missed every month.", ""),
        ("If that does not help, hold the button.", "Hold the button.", ""),
        ("It also helps not to knot the cable or wind it.", "Do not knot the cable or wind it tightly.", ""),
        ("It lights up.", "It does not beep but lights up.", ""),
        ("Try another charging cable.", "Try a charging cable; cables for toys have no data wires.", ""),
        ("Choose the date.", "Choose the end: never, on a date, or after a number of invoices.", ""),
        ("Choose I have no codes.", "If you are the only owner, choose I have no codes.", "I am the only owner"),
        ("As the light is red, reset the router.", "If the light is red, reset the router.", ""),
        ("You can’t wash it.", "Never wash it.", ""),
    ],
)
def test_other_words_for_the_same_are_borne_out(text: str, lines: str, said: str) -> None:
    assert unfaithful(text, lines, said) == ""


@pytest.mark.parametrize(
    ("text", "lines", "why"),
    [
        ("Immerse the base in water.", "Do not immerse the base in water.", "its lines negate"),
        ("The warranty covers water damage.", "The warranty does not cover water damage.", "its lines negate"),
        ("Use vinegar to clean the pot.", "Vinegar must not be used to clean the pot.", "its lines negate"),
        ("Open the case and touch the parts.", "Do not open the case or touch the parts.", "its lines negate"),
        ("The battery can be changed.", "The battery can't be changed.", "its lines negate"),
        ("Drink two litres if a doctor limits it.", "Drink two litres, unless a doctor limits it.", "its lines negate"),
        ("Never hold the button.", "Hold the button for a moment.", "it negates"),
        ("Reset the router.", "If the light is red, reset the router.", "condition with “light”"),
        ("Drink two litres.", "Drink two litres, unless a doctor limits it.", "condition with “doctor”"),
        ("Throw the pot away.", "Rinse the kettle twice.", "most of its words"),
        ("Yes, you can.", "Do not immerse the base.", "most of its words"),
    ],
)
def test_the_opposite_and_the_invented_are_not(text: str, lines: str, why: str) -> None:
    assert why in unfaithful(text, lines)


def test_a_negation_at_the_end_of_a_clause_holds_for_it_all() -> None:
    lines = "Öffnen Sie das Gerät nicht."
    assert "its lines negate" in unfaithful("Öffnen Sie das Gerät.", lines, language="de")
    assert unfaithful("Bitte öffnen Sie das Gerät nicht.", lines, language="de") == ""
