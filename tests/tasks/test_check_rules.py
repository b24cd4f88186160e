from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import autokb.tasks.issues.check_rules as room_folder
from autokb.knowledge.domain import Rule
from autokb.tasks.issues.check_rules.task import ROOM, CheckedRules, CheckRules, RuleVerdict
from autokb.tasks.room import ReplyError

EXAMPLES = yaml.safe_load((Path(room_folder.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))


def request(title, steps, rules):
    text = "\n".join((title, *steps))
    read = tuple(Rule(r["id"], r["text"], tuple(r.get("patterns", ()))) for r in rules)
    return CheckRules("domain", "issue", title, tuple(steps), text, read)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["why"])
def test_the_examples_get_the_verdicts_they_name(example):
    given = example["input"]
    (verdict,) = ROOM.answer_offline(request(given["title"], given["steps"], [given["rule"]])).verdicts
    assert verdict.model_dump(exclude={"rule"}, mode="json") == {"places": [], "lines": [], **example["output"]}


def test_each_rule_gets_its_verdict_in_order():
    rules = [{"id": "b", "text": "x", "patterns": ["kitten"]}, {"id": "a", "text": "y", "patterns": ["dog"]}]
    found = ROOM.answer_offline(request("A dog", ["Pat it."], rules)).verdicts
    assert [(v.rule, v.verdict) for v in found] == [("b", "not applicable"), ("a", "broken")]


def test_a_pattern_that_only_the_whole_text_holds_names_no_step():
    rule = {"id": "r", "text": "x", "patterns": [r"door\.\s+Close"]}
    (verdict,) = ROOM.answer_offline(request("T", ["Open the door.", "Close it."], [rule])).verdicts
    assert (verdict.verdict, verdict.places) == ("broken", ())


def test_replies_that_leave_out_a_rule_or_name_a_missing_step_are_refused():
    item = request("T", ["Go."], [{"id": "r", "text": "x"}])
    kept = RuleVerdict(rule="r", verdict="kept", reason="fine")
    ROOM.check(item, CheckedRules(verdicts=(kept,)))
    wrong = {
        "one verdict for each": (),
        "needs a reason": (kept.model_copy(update={"reason": " "}),),
        "name no other place": (kept.model_copy(update={"verdict": "broken", "places": (2,)}),),
        "not broken": (kept.model_copy(update={"places": (1,)}),),
    }
    for message, verdicts in wrong.items():
        with pytest.raises(ReplyError, match=message):
            ROOM.check(item, CheckedRules(verdicts=verdicts))
