"""What a reply makes of the suggestions, by comparison."""

from __future__ import annotations

import pytest

from autokb.usage.sent_replies import is_as_offered, verdict_of

FIRST = "Wipe the two contacts of the dock with a dry cloth."
SECOND = "Restart the robot if pairing fails."
WHOLE = f"1. {SECOND}\n2. Hold the power button for ten seconds."


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (FIRST, (0, "used")),
        (f"  {SECOND}\n", (1, "used")),
        (f"1.  {SECOND} 2. Hold the power button for ten seconds.", (1, "used")),
        (f"Dear Cem, {FIRST.lower()} Tell me whether that helps.", (0, "edited")),
        ("Hello! Please restart your robot when the pairing fails again. Kind regards, Ann", (1, "edited")),
        ("Please call us on Monday.", (0, "rejected")),
        ("The robot is out of stock.", (0, "rejected")),
        ("👍", (0, "rejected")),
    ],
)
def test_a_reply_is_used_edited_or_rejected(sent: str, expected: tuple[int, str]) -> None:
    assert verdict_of(sent, [(FIRST, ""), (SECOND, WHOLE)]) == expected


def test_only_white_space_may_differ() -> None:
    assert is_as_offered("a  b\nc", "a b c") and is_as_offered("x y", "x", "x\ny")
    assert not is_as_offered("a b", "a b c") and not is_as_offered("A b", "a b")
