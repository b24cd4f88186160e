"""A text in other words, by rules alone."""

from __future__ import annotations

from autokb.heuristics.paraphrases.paraphrase import paraphrases

ROBOT = "The robot does not pair with the app on an iPhone"


def test_each_level_changes_what_it_may() -> None:
    easy, medium, hard = paraphrases(ROBOT, (("robot", ("mower",)),), 5)
    assert easy[:3] == (
        "the robot does not pair with the app on an iphone",
        "The robot doesn't pair with the app on an iPhone",
        "The robot does not pairs with the app on an iPhone",
    )
    assert medium[:3] == (
        "The mower does not pair with the app on an iPhone",  # the domain's own words come first
        "The robot fails to pair with the app on an iPhone",
        "The robot does not pair with the application on an iPhone",
    )
    assert hard == (
        "With the app on an iPhone, the robot does not pair",
        "On an iPhone, the robot does not pair with the app",
        "What can I do about this: the robot does not pair with the app on an iPhone?",
        "robot pair app iPhone",
        "Why is it that the robot does not pair with the app on an iPhone?",
    )


def test_a_question_becomes_a_statement() -> None:
    _, _, hard = paraphrases("How do I delete a folder?", (), 5)
    assert hard[0] == "I would like to know: how do I delete a folder"
    assert "delete folder" in hard


def test_sentences_change_places() -> None:
    _, _, hard = paraphrases("Wipe the contacts. Plug the dock in.", (), 5)
    assert hard[0] == "Plug the dock in. Wipe the contacts."


def test_a_level_that_the_words_do_not_give_stays_empty() -> None:
    assert paraphrases("rain", (), 5)[1] == ()
