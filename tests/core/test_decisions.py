"""Decisions of people over built solutions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.core.decisions import (
    Decided,
    Decisions,
    apply_decisions,
    find_offers,
    follow_joined,
    new_edit,
    new_verdict,
    origin_of,
    steps_of,
    update_decisions,
)
from autokb.core.nouns import Decision, Evidence, Issue, Origin, Solution, Verdict

ISSUES = {i.id: i for i in (Issue("root", "R", None, {}), Issue("child", "C", "root", {}), Issue("far", "F", None, {}))}
QUOTE = (Evidence("a.md", 0, 3, "Old"),)
BUILT = Solution("s1", "root", "Title\nOld", ("Old",), {}, QUOTE)
MOVED = replace(BUILT, id="s2", issue_id="child")
ORIGIN = origin_of(BUILT, "root")
WRITTEN = Decision("w", "written", "w", "ann", "", 1, Origin("root"), text="Do it", steps=("Do it",), issue_id="child")


def decide(solutions: list[Solution], *log: Decision) -> Decided:
    return apply_decisions({s.id: s for s in solutions}, ISSUES, Decisions(log))


def edit_to(text: str) -> Decision:
    return new_edit("s1", text, (), "ann", "2026-01-01", origin=ORIGIN)


def test_numbering_and_bullets_are_taken_off() -> None:
    assert steps_of("1. Turn it off\n2) Wait\n\n- Turn it on") == ("Turn it off", "Wait", "Turn it on")


def test_the_last_edit_taken_wins_whatever_its_date_is() -> None:
    edits = (new_edit("s1", "First", (), "ann", "2999-01-01"), new_edit("s1", "", ("A", "B"), "bob", "2026-01-02"))
    edited = decide([BUILT], *edits).solutions["s1"]
    assert edited.steps == ("A", "B")
    assert edited.text == "Title\n1. A\n2. B"
    assert edited.issue_id == "root"


def test_an_edit_without_its_solution_changes_nothing_and_is_an_orphan() -> None:
    edit = new_edit("gone", "x", (), "ann", "2026-01-01")
    decided = decide([BUILT], edit)
    assert decided.solutions == {"s1": BUILT}
    assert decided.orphans == (edit,)


def test_a_dismissed_edit_is_kept_and_counts_again_with_its_solution() -> None:
    edit = replace(edit_to("New"), id="e1", dismissed=True)
    gone = decide([], edit)
    kept = update_decisions(Decisions((edit,)), gone, ISSUES, {})
    assert (gone.orphans, kept.log) == ((edit,), (edit,))
    back = decide([BUILT], *kept.log)
    assert back.solutions["s1"].text == "New"
    assert [one.dismissed for one in update_decisions(kept, back, ISSUES, {}).log] == [False]


def test_decisions_go_along_to_the_same_text_on_another_node_of_the_tree() -> None:
    rejected = new_verdict(BUILT, "rejected", "ann", "", ORIGIN)
    decided = decide([MOVED], edit_to("New"), rejected)
    assert (decided.solutions["s2"].text, decided.solutions["s2"].status) == ("New", "rejected")
    assert decided.orphans == ()


@pytest.mark.parametrize(
    "other",
    [
        replace(MOVED, text="Title\nOther"),
        replace(MOVED, text="Other title\nOld"),
        replace(MOVED, evidence=(Evidence("b.md", 0, 3, "Old"),)),
    ],
)
def test_they_go_along_to_nothing_else(other: Solution) -> None:
    decided = decide([other], edit_to("New"))
    assert decided.solutions == {"s2": other}
    assert len(decided.orphans) == 1


def test_they_follow_a_solution_to_a_tree_that_was_split_from_theirs() -> None:
    home, part = Issue("root", "R", None, {}, "seed"), Issue("part", "P", None, {}, "seed")
    other = Issue("other", "O", None, {}, "other seed")
    hidden = new_verdict(BUILT, "hidden", "ann", "", ORIGIN)
    for node, follows in ((part, True), (other, False)):
        there = replace(BUILT, id="s2", issue_id=node.id)
        decided = apply_decisions({"s2": there}, {i.id: i for i in (home, part, other)}, Decisions((hidden,)))
        assert decided.solutions["s2"].status == ("hidden" if follows else "displayed")


def test_an_edit_follows_its_section_to_other_trees_where_its_own_has_it_no_longer() -> None:
    far, further = replace(BUILT, id="s2", issue_id="far"), replace(BUILT, id="s3", issue_id="further")
    issues = ISSUES | {"further": Issue("further", "G", None, {})}
    hidden = new_verdict(far, "hidden", "bob", "", origin_of(far, "far"))
    for solutions, log, expected in (
        ([far, further], [edit_to("New")], ["New", "New"]),
        ([MOVED, further], [edit_to("New")], ["New", BUILT.text]),
        ([far, further], [edit_to("New"), hidden], [BUILT.text, "New"]),
    ):
        decided = apply_decisions({s.id: s for s in solutions}, issues, Decisions(tuple(log)))
        assert [decided.solutions[i].text for i in ("s2", "s3")] == expected
        assert decided.orphans == ()
    decided = apply_decisions({"s2": far}, issues, Decisions((edit_to("New"), hidden)))
    assert (decided.solutions["s2"].text, len(decided.orphans)) == (BUILT.text, 1)
    assert find_offers(decided, issues) == {decided.orphans[0].id: "s2"}


def test_they_stay_with_their_own_solution_while_it_is_there() -> None:
    decided = decide([BUILT, MOVED], edit_to("New"))
    assert (decided.solutions["s1"].text, decided.solutions["s2"].text) == ("New", BUILT.text)


def test_what_was_decided_on_the_other_node_itself_stands_before_what_goes_along() -> None:
    own = new_edit("s2", "Own", (), "bob", "", origin=origin_of(MOVED, "root"))
    assert decide([MOVED], own, edit_to("New")).solutions["s2"].text == "Own"


def test_an_approval_is_for_one_text() -> None:
    approved = new_verdict(BUILT, "approved", "ann", "2026-01-02", ORIGIN)
    assert decide([BUILT], approved).solutions["s1"].status == "approved"
    for changed in (
        decide([BUILT], edit_to("New"), approved),
        decide([replace(BUILT, text="x")], approved),
    ):
        solution = changed.solutions["s1"]
        assert solution.status == "displayed"
        assert "changed since it was approved by ann, 2026-01-02" in solution.reason


@pytest.mark.parametrize("verdict", ["rejected", "hidden"])
def test_a_rejection_or_hiding_holds_whatever_the_text_becomes(verdict: str) -> None:
    given = new_verdict(BUILT, verdict, "", "", ORIGIN)  # type: ignore[arg-type]
    changed = decide([replace(BUILT, text="x", steps=("x",))], edit_to("New"), given)
    assert changed.solutions["s1"].status == verdict
    assert decide([BUILT], replace(given, undone=True)).solutions["s1"].status == "displayed"


def test_the_verdict_before_counts_again_when_one_is_taken_back() -> None:
    first = new_verdict(BUILT, "rejected", "", "", ORIGIN)
    second = new_verdict(BUILT, "approved", "", "", ORIGIN)
    assert decide([BUILT], first, second).solutions["s1"].status == "approved"
    assert decide([BUILT], first, replace(second, undone=True)).solutions["s1"].status == "rejected"


def test_an_edited_text_is_withheld_when_it_breaks_a_rule_and_shown_when_it_mends_one() -> None:
    broken, kept = Verdict("r", "broken", "It says x."), Verdict("r", "kept", "")
    bad = decide([BUILT], replace(edit_to("x"), rules=(broken,))).solutions["s1"]
    assert (bad.status, "It says x." in bad.reason) == ("withheld", True)
    withheld = replace(BUILT, status="withheld", reason="r", rules=(broken,))
    good = decide([withheld], replace(edit_to("y"), rules=(kept,))).solutions["s1"]
    assert (good.status, good.reason) == ("displayed", "")
    for_other_values = replace(BUILT, status="withheld", reason="It holds for other values than its issue has.")
    assert decide([for_other_values], replace(edit_to("y"), rules=(kept,))).solutions["s1"].status == "withheld"


def test_a_solution_by_hand_is_approved_and_goes_to_the_root_when_its_node_is_gone() -> None:
    there = decide([BUILT], WRITTEN).solutions["w"]
    assert (there.issue_id, there.status, there.evidence) == ("child", "approved", ())
    left = apply_decisions({}, {"root": ISSUES["root"]}, Decisions((WRITTEN,)))
    assert left.solutions["w"].issue_id == "root"
    known = replace(WRITTEN, origin=replace(WRITTEN.origin, problem="The app is lost"))
    alone = apply_decisions({}, {}, Decisions((known,)))
    assert (alone.orphans, alone.solutions["w"].issue_id) == ((), "child")
    own = alone.problems["child"]
    assert (own.text, own.parent_id, own.attributes) == ("The app is lost", None, WRITTEN.attributes)
    assert left.problems == {}


def test_a_solution_by_hand_that_was_edited_has_to_be_approved_again() -> None:
    edited = decide([], WRITTEN, new_edit("w", "Do that", (), "bob", "")).solutions["w"]
    assert (edited.status, edited.text) == ("displayed", "Do that")
    assert "approve it again" in edited.reason


def test_an_edit_is_offered_to_the_same_steps_under_another_heading() -> None:
    renamed = replace(BUILT, id="s9", text="New title\nOld")
    edit = edit_to("New")
    decided = decide([renamed], edit)
    assert decided.solutions == {"s9": renamed}
    assert find_offers(decided, ISSUES) == {edit.id: "s9"}
    assert find_offers(decide([replace(renamed, issue_id="far")], edit), ISSUES) == {edit.id: "s9"}
    both = decide([replace(renamed, id="s0", issue_id="far"), renamed], edit)
    assert find_offers(both, ISSUES) == {edit.id: "s9"}  # its own tree comes first
    assert find_offers(decide([replace(renamed, steps=("x",))], edit), ISSUES) == {}


def test_a_verdict_whose_solution_is_gone_is_offered_as_an_edit_is() -> None:
    verdict = new_verdict(replace(BUILT, id="gone"), "rejected", "ann", "", ORIGIN)
    renamed = replace(BUILT, id="s9", text="New title\nOld")
    assert find_offers(decide([renamed], verdict), ISSUES) == {verdict.id: "s9"}


def test_a_decision_learns_what_its_solution_is_built_as_now() -> None:
    edit = replace(new_edit("s1", "New", (), "", ""), number=1)
    later = replace(BUILT, text="Title\nLater", steps=("Later",))
    decisions = Decisions((edit,))
    first = update_decisions(decisions, decide([BUILT], edit), ISSUES, {})
    second = update_decisions(first, decide([later], *first.log), ISSUES, {})
    assert second.log[0].origin == origin_of(later, "root")
    decided = decide([later], *second.log)
    assert decided.source_changed("s1")  # it was edited when the build said something else
    assert decide([replace(later, id="s2", issue_id="child")], *second.log).solutions["s2"].text == "New"


def test_decisions_follow_a_tree_that_another_took_in() -> None:
    elsewhere = replace(ORIGIN, tree="taken in")
    edit = new_edit("gone", "New", (), "ann", "2026-01-01", origin=elsewhere)
    verdict = new_verdict(replace(BUILT, id="gone"), "rejected", "ann", "", elsewhere)
    decisions = Decisions((edit, verdict))
    assert [one.what for one in apply_decisions({"s1": BUILT}, ISSUES, decisions).orphans] == ["rejected"]
    followed = apply_decisions({"s1": BUILT}, ISSUES, follow_joined(decisions, {"taken in": "root"}, {}))
    assert followed.orphans == ()
    assert (followed.solutions["s1"].text, followed.solutions["s1"].status) == ("New", "rejected")
