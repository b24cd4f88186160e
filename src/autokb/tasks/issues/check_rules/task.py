"""The task that judges one solution by every rule of its domain (prompt G.3)."""

from __future__ import annotations

from autokb.tasks.issues.check_rules import model, patterns
from autokb.tasks.issues.check_rules.shapes import CheckedRules, CheckRules, RuleVerdict
from autokb.tasks.task import ReplyError, Task

__all__ = ["TASK", "CheckRules", "CheckedRules", "RuleVerdict"]


def check(item: CheckRules, reply: CheckedRules) -> None:
    """Refuse a reply that leaves a rule out, gives no reason or names a step that is not there."""
    if [v.rule for v in reply.verdicts] != [r.id for r in item.rules]:
        raise ReplyError(f"Give one verdict for each of the rules {[r.id for r in item.rules]}, in this order.")
    for verdict in reply.verdicts:
        if not verdict.reason.strip():
            raise ReplyError(f"The verdict on {verdict.rule!r} needs a reason.")
        if any(not 0 <= place <= len(item.steps) for place in verdict.places):
            raise ReplyError(
                f"{verdict.rule!r}: 0 is the title and {len(item.steps)} the last step; name no other place."
            )
        if verdict.places and verdict.verdict != "broken":
            raise ReplyError(f"{verdict.rule!r} names places but is not broken; leave them out.")


TASK = Task(
    name="issues/check_rules",
    version=2,
    input=CheckRules,
    output=CheckedRules,
    offline=patterns.answer,
    check=check,
    asking=model.ASKING,
)
