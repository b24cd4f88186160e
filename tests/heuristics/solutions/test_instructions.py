"""Whether text instructs, asks, names a task or only points elsewhere."""

from __future__ import annotations

import pytest

from autokb.heuristics.solutions.instructions import (
    heads_no_solution,
    instructs,
    is_label,
    is_navigation,
    is_question,
    names_matter,
)


@pytest.mark.parametrize(
    "sentence",
    [
        "Click Save.",
        "If it fails, restart the phone.",
        "In the Settings window, under Mail, choose Add.",
        "Do not rinse it.",
        "You can switch it off.",
        "Then please wait.",
        "Repair: Press both keys.",
        "Make sure that it is charged.",
        "See a doctor within a day.",
    ],
)
def test_sentences_that_instruct(sentence):
    assert instructs(sentence)


@pytest.mark.parametrize(
    "sentence",
    ["The button is blue.", "Windows", "Messages are kept for a month.", "For more information, see Mail.", "", "12."],
)
def test_sentences_that_do_not_instruct(sentence):
    assert not instructs(sentence)


def test_links_and_navigation_point_elsewhere_and_steps_do_not():
    assert is_navigation("[Open the lid](x.html)")
    assert is_navigation("Next: Paper")
    assert not is_navigation("Next, press [OK](x.html) and wait.")
    assert (
        heads_no_solution("Related articles")
        and heads_no_solution("See also:")
        and not heads_no_solution("Reset the clock")
    )
    assert names_matter("To remove an account:") and not names_matter("Do the following:")
    assert is_label("To remove it from the list:") and is_label("On Windows laptops:")
    assert not is_label("The server is then given to each of the accounts in the list:")
    assert is_question("Why is it slow?") and is_question("What is IMAP") and not is_question("How to begin")
