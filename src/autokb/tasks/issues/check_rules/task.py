"""The room that judges one solution by every rule of its domain."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.knowledge.domain import Rule
from autokb.knowledge.nouns import VerdictName
from autokb.tasks.issues.check_rules import offline
from autokb.tasks.room import Reply, ReplyError, Room


@dataclass(frozen=True, slots=True)
class CheckRules:
    """A solution as it would be shown, its issue and the rules; ``text`` is title and steps together."""

    domain: str
    issue: str
    title: str
    steps: tuple[str, ...]
    text: str
    rules: tuple[Rule, ...]


class RuleVerdict(Reply):
    """What one rule says; ``places`` are where it is broken: 0 is the title, 1 the first step.

    ``lines`` narrow a place down: (2, 3) is the fourth line of the second step. A place without lines is broken whole.
    """

    rule: str
    verdict: VerdictName
    reason: str
    places: tuple[int, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


class CheckedRules(Reply):
    """One verdict for each rule, in the order of the rules."""

    verdicts: tuple[RuleVerdict, ...]


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


def _offline(item: CheckRules) -> CheckedRules:
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


ROOM = Room(
    name="issues/check_rules",
    version=2,
    input=CheckRules,
    output=CheckedRules,
    offline=_offline,
    check=check,
)
