"""Urgent phrases: inflections, order, gaps, what is denied, and which entry comes first."""

from __future__ import annotations

import pytest

from autokb.core.domain import DomainSpec, Urgent
from autokb.heuristics.urgency import find_urgent, heading_of_warning


def is_found(phrase: str, text: str, language: str = "en") -> bool:
    return bool(find_urgent(text, DomainSpec("d", language=language, urgent=(Urgent("u", (phrase,), "S"),))))


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("chest pain", "CHEST PAINS since lunch"),
        ("pain chest", "a pain in the left side of my chest"),
        ("leg weak/numb", "There is weakness? No: my legs are getting so weak"),
        ("tongue swell", "his tongue’s swollen"),
        ("not breathe", "she can't breathe"),
        ("not breathe", "she cant even breathe"),
        ("not breathe", "I don't think he's breathing"),
        ("short-of breath", "a bit short of breath"),
        ("chest pain", "not just chest pain"),
        ("chest pain", "I have never had such chest pain before"),
        ("chest pain", "I can't sleep because of chest pain"),
        ("chest pain", "no fever but chest pain"),
        ("chest pain", "no appetite, chest pain"),
        ("chest pain", "No chest pain yesterday. Chest pain today."),
    ],
)
def test_a_phrase_is_found_in_customers_words(phrase: str, text: str) -> None:
    assert is_found(phrase, text)


@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("chest pain", "no chest pain"),
        ("chest pain", "I don't have any chest pain"),
        ("pain chest", "no pain in the chest"),
        ("chest pain", "without fever or chest pain"),
        ("breathe trouble/hard", "no rash or hard breathing"),
        ("case swell", "the case is not swollen"),
        ("case swell", "the case isn’t swollen"),
        ("not breathe", "we don't have trouble breathing"),
        ("not breathe", "no trouble breathing"),
        ("not go-on", "the tablets did not help, it has been going on for weeks"),
        ("chest pain", "chest strap for my watch and later some pain"),
        ("chest pain", "My chest is fine. Pain in the knee."),
        ("chest hurt", "my chest is fine but hurts"),
        ("pain chest", "chest pain"),
        ("chest pain", ""),
    ],
)
def test_what_is_denied_far_apart_or_turned_round_is_not_found(phrase: str, text: str) -> None:
    assert not is_found(phrase, text)


def test_what_must_be_there_too_may_stand_anywhere_and_unless_rules_it_out() -> None:
    spec = DomainSpec("d", urgent=(Urgent("u", ("stiff neck",), "S", "", ("fever", "temperature"), ("slept badly",)),))
    assert find_urgent("Fever since today. And a stiff neck.", spec)
    assert not find_urgent("A stiff neck.", spec)
    assert not find_urgent("A stiff neck, no fever.", spec)
    assert not find_urgent("Fever, and I slept badly: a stiff neck.", spec)


def test_an_entry_that_needs_more_words_comes_first_then_the_order_of_the_file() -> None:
    chest, smoke = Urgent("chest", ("chest pain",), "A"), Urgent("smoke", ("smoke",), "B")
    dizzy = Urgent("dizzy", ("chest pain",), "C", "", ("dizzy",))
    spec = DomainSpec("d", urgent=(smoke, chest, dizzy))
    assert find_urgent("dizzy, chest pain and smoke", spec) == (smoke, dizzy, chest)
    assert find_urgent("chest pain", spec) == (chest,)
    assert find_urgent("chest pain", DomainSpec("d")) == ()


@pytest.mark.parametrize(("text", "found"), [("Es kommt Rauch heraus", True), ("Kein Rauch oder Funken", False)])
def test_phrases_in_german(text: str, found: bool) -> None:
    assert is_found("Rauch", text, "de") is found
    assert is_found("Funken", text.replace("Rauch", "Blitz oder Funken"), "de") is found


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (("Rest and drink.", "After week 20, call your midwife or doctor the same day."), 1),
        (("Sleep on your side.", "Call her the same day when the pain comes in waves."), 1),
        (("Call the emergency number.", "See a doctor today."), 0),
        (("Switch it off.", "Dry it."), 0),  # where none says so, the first
        (("Call the emergency number for the worst pain ever.", "Call the emergency number after a fall."), 1),
    ],
)
def test_the_line_above_a_warning_says_whom_to_call_in_the_customers_case(steps: tuple[str, ...], said: int) -> None:
    assert heading_of_warning("A title", steps, "she had a bad fall", "en") == f"Urgent: {steps[said]}"
