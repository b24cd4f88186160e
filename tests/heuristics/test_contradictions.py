"""Steps that ask for opposite things, and steps that only sound like it."""

from __future__ import annotations

import pytest

from autokb.heuristics.contradictions import find_disagreement

AMOUNTS, UNDOES, FORBIDS = (
    "They name different amounts",
    "One undoes what the other does.",
    "One forbids what the other asks for.",
)


@pytest.mark.parametrize(
    ("one", "other", "language", "way"),
    [
        ("Hold the reset button for 10 seconds.", "Hold the reset button for 30 seconds.", "en", AMOUNTS),
        ("Hold the reset button for ten seconds.", "Press and hold the reset button for 30s.", "en", "30"),
        ("Charge the battery for 2 to 3 hours.", "Charge the battery for 4 or 5 hours.", "en", "2 to 3 and 4 to 5"),
        ("Switch noise cancelling on.", "Disable noise cancelling.", "en", UNDOES),
        ("Turn the volume limit off in the app.", "Turn on the volume limit in the app.", "en", UNDOES),
        ("Raise the volume of the phone.", "Lower the volume of the phone.", "en", UNDOES),
        ("Install the printer app on the laptop.", "Uninstall the printer app on the laptop.", "en", UNDOES),
        ("Press the reset button.", "Never press the reset button.", "en", FORBIDS),
        ("Then don't clean the mesh with water.", "Clean the mesh with water.", "en", FORBIDS),
        ("Halten Sie die Taste 10 Sekunden gedrückt.", "Halten Sie die Taste 20 Sekunden gedrückt.", "de", AMOUNTS),
        ("Schalten Sie den Ruhemodus ein.", "Schalten Sie den Ruhemodus aus.", "de", UNDOES),
        ("Reinigen Sie den Filter mit Wasser.", "Reinigen Sie den Filter nicht mit Wasser.", "de", FORBIDS),
    ],
)
def test_what_disagrees(one: str, other: str, language: str, way: str) -> None:
    for steps, others in (((one,), (other,)), ((other,), (one,))):
        found = find_disagreement(["Sit down.", *steps], others, language)
        assert found is not None and (found.step, found.other) == (1, 0)
    assert way in str(find_disagreement([one], [other], language))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hold the reset button for 10 seconds.", "Hold the reset button for ten seconds."),
        ("Charge the battery for 2 to 4 hours.", "Charge the battery for 3 hours."),
        ("Hold the reset button for 10 seconds.", "Wait 30 seconds before you switch the lamp on."),
        ("Install version 3 of the program.", "Install version 4 of the program."),
        ("Open page 7 of the manual.", "Open page 9 of the manual."),
        ("Switch the phone off and on again.", "Switch the phone on."),
        ("If the light blinks, switch the lamp off.", "Switch the lamp on."),
        ("The lamp does not switch on.", "Switch the lamp on."),
        ("Press the reset button.", "Do not press the power button of the television."),
    ],
)
def test_what_only_sounds_like_it(one: str, other: str) -> None:
    assert find_disagreement([one], [other]) is None and find_disagreement([other], [one]) is None


def test_a_solution_that_goes_both_ways_undoes_nothing() -> None:
    both = ["Switch noise cancelling off.", "Wait.", "Switch noise cancelling on."]
    assert find_disagreement(both, ["Switch noise cancelling on."]) is None
    assert find_disagreement(["Switch noise cancelling off."], ["Switch noise cancelling on."]) is not None


def test_a_language_without_words_finds_nothing() -> None:
    assert find_disagreement(["Switch noise cancelling off."], ["Switch noise cancelling on."], "sv") is None
