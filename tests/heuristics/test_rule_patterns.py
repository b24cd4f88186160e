"""The verdicts that the patterns of rules give."""

from __future__ import annotations

from autokb.core.domain import Rule
from autokb.heuristics.rules import RuleVerdict, verdicts_by_patterns


def verdicts(title: str, steps: list[str], *rules: Rule) -> list[RuleVerdict]:
    return list(verdicts_by_patterns(rules, title, steps, "\n".join((title, *steps))))


def test_each_rule_gets_its_verdict_in_order() -> None:
    found = verdicts("A dog", ["Pat it."], Rule("b", "x", ("kitten",)), Rule("a", "y", ("dog",)))
    assert [(v.rule, v.verdict) for v in found] == [("b", "not applicable"), ("a", "broken")]


def test_a_broken_rule_names_its_places_and_the_lines_that_can_go() -> None:
    steps = ["Brush it.", "Soak it:\n- in water\n- in vinegar", "Use vinegar again."]
    (found,) = verdicts("Vinegar helps", steps, Rule("acid", "No acids.", ("vinegar",)))
    assert (found.verdict, found.places, found.lines) == ("broken", (0, 2, 3), ((2, 2), (3, 0)))
    assert found.reason == "The title says “Vinegar”; step 2 says “vinegar”; step 3 says “vinegar”."


def test_a_pattern_that_only_the_whole_text_holds_names_no_step() -> None:
    (found,) = verdicts("T", ["Open the door.", "Close it."], Rule("r", "x", (r"door\.\s+Close",)))
    assert (found.verdict, found.places) == ("broken", ())


def test_lines_that_break_a_rule_only_together_are_not_named() -> None:
    (found,) = verdicts("T", ["Open the\ndoor."], Rule("r", "x", (r"the\s+door",)))
    assert (found.places, found.lines) == ((1,), ())


def test_a_rule_is_kept_where_its_matter_is_spoken_of_and_not_judged_without_patterns() -> None:
    found = verdicts("Clean the mesh", ["Use water."], Rule("a", "Use no acid.", ("acid",)), Rule("b", "Be kind."))
    assert [v.verdict for v in found] == ["not applicable", "not judged"]
    (found_kept,) = verdicts("Clean the mesh", ["Brush it."], Rule("c", "Clean nothing with acid.", ("acid",)))
    assert found_kept.verdict == "kept"
