"""Hand edits over built solutions."""

from __future__ import annotations

from autokb.core.edit_overlay import apply_edits, new_edit, steps_of
from autokb.core.nouns import Solution

BUILT = Solution("s1", "i1", "1. Old", ("Old",), {}, ())


def test_numbering_and_bullets_are_taken_off() -> None:
    assert steps_of("1. Turn it off\n2) Wait\n\n- Turn it on") == ("Turn it off", "Wait", "Turn it on")


def test_the_latest_edit_wins_and_the_rest_stays() -> None:
    edits = [new_edit("s1", "First", (), "ann", "2026-01-01"), new_edit("s1", "", ("A", "B"), "bob", "2026-01-02")]
    edited = apply_edits({"s1": BUILT}, edits)["s1"]
    assert edited.steps == ("A", "B")
    assert edited.text == "1. A\n2. B"
    assert edited.issue_id == "i1"


def test_an_edit_without_its_solution_changes_nothing() -> None:
    assert apply_edits({"s1": BUILT}, [new_edit("gone", "x", (), "ann", "2026-01-01")]) == {"s1": BUILT}
