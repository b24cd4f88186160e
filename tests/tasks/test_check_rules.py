from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

import autokb.tasks.issues.check_rules as task_folder
from autokb.core import regex_timeout
from autokb.core.domain import Rule
from autokb.core.model_requests import ModelReply
from autokb.core.regex_timeout import SlowPatternError
from autokb.heuristics.rules import RuleVerdict
from autokb.tasks.asking import read_reply, wrong
from autokb.tasks.issues.check_rules.task import NOT_CONCERNED, NOTHING_NAMED, TASK, CheckedRules, CheckRules
from autokb.tasks.task import ReplyError

EXAMPLES = [
    e
    for e in yaml.safe_load((Path(task_folder.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))
    if "input" in e
]


def request(title, steps, rules):
    text = "\n".join((title, *steps))
    read = tuple(Rule(r["id"], r["text"], tuple(r.get("patterns", ()))) for r in rules)
    return CheckRules("domain", "issue", title, tuple(steps), text, read)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["why"])
def test_the_examples_get_the_verdicts_they_name(example):
    given = example["input"]
    (verdict,) = TASK.answer_offline(request(given["title"], given["steps"], [given["rule"]])).verdicts
    assert verdict.model_dump(exclude={"rule"}, mode="json") == {"places": [], "lines": [], **example["output"]}


def test_replies_that_leave_out_a_rule_or_name_a_missing_step_are_refused():
    item = request("T", ["Go."], [{"id": "r", "text": "x"}])
    kept = RuleVerdict(rule="r", verdict="kept", reason="fine")
    TASK.check(item, CheckedRules(verdicts=(kept,)))
    wrong = {
        "one verdict for each": (),
        "needs a reason": (kept.model_copy(update={"reason": " "}),),
        "name no other place": (kept.model_copy(update={"verdict": "broken", "places": (2,)}),),
        "neither broken nor doubted": (kept.model_copy(update={"places": (1,)}),),
    }
    for message, verdicts in wrong.items():
        with pytest.raises(ReplyError, match=message):
            TASK.check(item, CheckedRules(verdicts=verdicts))


RULES = [{"id": "acid", "text": "No acids.", "patterns": ["vinegar"]}, {"id": "shop", "text": "No shops."}]
DIRTY = request("Clean it", ["Brush it.", "Soak it:\n- in water\n- in vinegar", "Take it to a shop."], RULES)


def judged(item, broken=(), kept=(), doubted=()):
    entry = {"number": 1, "broken": list(broken), "doubted": list(doubted), "kept": list(kept)}
    (found,) = read_reply(TASK, (item,), ModelReply(json.dumps({"answers": [entry]}), 1, 1))
    return found


def said(rule, *steps, reason="It says so."):
    return {"rule": rule, "reason": reason, "steps": list(steps)}


def test_a_rule_that_its_patterns_find_broken_stays_broken_whatever_a_model_says():
    for silent in ({}, {"kept": ["acid", "shop"]}):
        acid, shop = judged(DIRTY, **silent).answer.verdicts
        assert (acid.verdict, acid.places, acid.lines) == ("broken", (2,), ((2, 2),))
        assert (shop.verdict, shop.reason) == (("kept", NOTHING_NAMED) if silent else ("not applicable", NOT_CONCERNED))


def test_equal_texts_without_their_issues_are_one_question():
    first, second = (CheckRules("d", "", "Clean it", ("Brush it.",), "Clean it\nBrush it.", ()) for _ in "ab")
    assert TASK.turns((first,)) == TASK.turns((second,))
    assert "<issue>" not in TASK.turns((first,))[1]
    assert "<issue>The mesh</issue>" in TASK.turns((replace(first, issue="The mesh"),))[1]


def test_a_model_adds_what_no_pattern_finds():
    acid, shop = judged(DIRTY, [said("shop", 3), said("acid", 1, reason="A brush, too.")]).answer.verdicts
    assert (shop.verdict, shop.places, shop.reason) == ("broken", (3,), "It says so.")
    assert (acid.places, acid.lines) == ((1, 2), ((2, 2),))
    assert acid.reason == "Step 2 says “vinegar”. A brush, too."


def test_what_a_model_doubts_is_a_verdict_of_its_own_unless_a_pattern_knows_better():
    acid, shop = judged(
        DIRTY, doubted=[said("shop", 3, reason="A shop may sell parts."), said("acid", 1)]
    ).answer.verdicts
    assert (shop.verdict, shop.places, shop.reason) == ("doubt", (3,), "A shop may sell parts.")
    assert (acid.verdict, acid.places) == ("broken", (2,))
    for both in ({"broken": [said("shop", 1)]}, {"kept": ["shop"]}):
        assert "can be in one" in judged(DIRTY, doubted=[said("shop", 3)], **both).error


def test_reasons_for_what_is_kept_are_given_on_request():
    item = replace(DIRTY, explains=True)
    _, shop = judged(item, kept=[{"rule": "shop", "reason": "Step 3 is a warning."}]).answer.verdicts
    assert (shop.verdict, shop.reason) == ("kept", "Step 3 is a warning.")
    assert "which words keep it" in TASK.turns((item,))[0] and "which words keep it" not in TASK.turns((DIRTY,))[0]


def test_a_step_that_a_model_names_goes_whole_and_no_step_named_means_all():
    assert judged(DIRTY, [said("acid", 2)]).answer.verdicts[0].lines == ()
    whole = judged(DIRTY, [said("acid")]).answer.verdicts[0]
    assert (whole.verdict, whole.places, whole.lines) == ("broken", (), ())


@pytest.mark.parametrize(
    ("broken", "kept", "reason"),
    [
        ([said("shop", 1), said("shop", 2)], [], "twice"),
        ([said("shop", 1)], ["shop"], "can be in one"),
        ([said("shop", 4)], [], "less than or equal to 3"),
        ([said("kindness", 1)], [], "acid"),
        ([said("shop", 1, reason="")], [], "at least 1 character"),
        ([], ["kindness"], "acid"),
    ],
)
def test_odd_verdicts_are_an_error_of_their_solution(broken, kept, reason):
    found = judged(DIRTY, broken, kept)
    assert found.answer is None
    assert reason in found.error


def test_a_step_of_a_longer_solution_in_the_same_request_is_no_step_of_this_one():
    short = request("Brush it", ["Brush it."], RULES)
    entries = [{"number": n, "broken": [said("shop", 2)], "doubted": [], "kept": []} for n in (1, 2)]
    reply = ModelReply(json.dumps({"answers": entries}), 1, 1)
    first, second = read_reply(TASK, (short, DIRTY), reply)
    assert (first.answer, first.error) == (None, "Number 1: Its last step is 1; 0 is the title.")
    assert second.answer.verdicts[1].places == (2,)


def test_a_pattern_that_takes_too_long_is_a_failure_that_no_repair_is_paid_for(monkeypatch):
    monkeypatch.setattr(regex_timeout, "SEARCH_SECONDS", 0.05)
    regex_timeout.forget_slow_searches()
    rules = [{"id": "slow", "text": "No a.", "patterns": [r"(a|aa)+$"]}]
    slow, good = request("a" * 60 + "!", ["Go."], rules), request("Clean it", ["Brush it."], rules)
    entries = [{"number": n, "broken": [], "doubted": [], "kept": []} for n in (1, 2)]
    first, second = found = read_reply(TASK, [slow, good], ModelReply(json.dumps({"answers": entries}), 1, 1))
    assert first.answer is None and first.final and "The pattern '(a|aa)+$' of the rule 'slow'" in first.error
    assert second.answer is not None and wrong(found) == ""
    with pytest.raises(SlowPatternError):
        TASK.answer_offline(slow)
