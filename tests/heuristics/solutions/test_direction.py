"""Which steps make worse what an issue complains of."""

from __future__ import annotations

import pytest

from autokb.heuristics.solutions.direction import makes_worse


@pytest.mark.parametrize(
    ("issue", "steps", "worse"),
    [
        ("Too loud for my kid", ["Raise the volume with the keys."], True),
        ("Too loud for my kid", ["Open Volume limit and switch it off."], True),
        ("Too loud for my kid", ["Switch off Reduce Loud Audio."], True),
        ("Too loud for my kid", ["Switch on Volume limit.", "Lower the volume first."], False),
        ("Too loud for my kid", ["Restart the phone."], False),
        ("Too quiet on Android", ["Switch on Volume limit."], True),
        ("The volume is too low", ["Turn the volume up."], False),
        ("The text is too small", ["Turn the zoom down."], True),
        ("Sometimes too loud, sometimes too quiet", ["Raise the volume."], False),
        ("Loud music stutters", ["Raise the volume."], False),
        ("Too loud", ["Raise the volume.", "Lower the volume."], False),
    ],
)
def test_steps_that_go_further_the_wrong_way_make_it_worse(issue: str, steps: list[str], worse: bool) -> None:
    assert makes_worse(issue, steps, "en") is worse


def test_a_language_reads_its_own_words() -> None:
    assert makes_worse("Viel zu laut", ["Erhöhen Sie die Lautstärke."], "de")
    assert not makes_worse("Viel zu laut", ["Senken Sie die Lautstärke."], "de")
    assert not makes_worse("Viel zu laut", ["Erhöhen Sie die Lautstärke."], "fr")  # which has no such words
