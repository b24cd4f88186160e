"""The verdicts that the patterns of the rules give; they count whatever a model says."""

from __future__ import annotations

from autokb.tasks.issues.check_rules import offline
from autokb.tasks.issues.check_rules.shapes import CheckedRules, CheckRules, RuleVerdict


def answer(item: CheckRules) -> CheckedRules:
    """Return one verdict for each rule, by its patterns alone."""
    found = (offline.judge(rule, item.title, item.steps, item.text) for rule in item.rules)
    return CheckedRules(
        verdicts=tuple(
            RuleVerdict(
                rule=rule.id,
                verdict=verdict,
                reason=reason,
                places=places,
                lines=tuple((p, line) for p in places if p for line in offline.broken_lines(rule, item.steps[p - 1])),
            )
            for rule, (verdict, reason, places) in zip(item.rules, found, strict=True)
        )
    )
