"""The task that judges one solution by every rule of its domain (prompt G.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.domain import ENGLISH, Rule
from autokb.core.ids import only_if_other_than
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.rules import RuleVerdict, verdicts_by_patterns
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import wire

__all__ = ["TASK", "CheckRules", "CheckedRules", "RuleVerdict"]

NOTHING_NAMED = "The model was asked and named nothing that breaks it."
NOT_CONCERNED = "The model says that the rule has nothing to do with it."


@dataclass(frozen=True, slots=True)
class CheckRules:
    """A solution as it would be shown, and the rules; ``text`` is title and steps together.

    With an empty ``issue`` it is judged by its text alone, which is then judged once wherever it stands.
    """

    domain: str
    issue: str
    title: str
    steps: tuple[str, ...]
    text: str
    rules: tuple[Rule, ...]
    language: str = only_if_other_than(ENGLISH)


class CheckedRules(Reply):
    """One verdict for each rule, in the order of the rules."""

    verdicts: tuple[RuleVerdict, ...]


class CheckRulesTask(Task[CheckRules, CheckedRules]):
    """Does this solution keep the rules of the domain? A model can add to what the patterns find, never take away."""

    version = 3
    offline_revision = 2
    input = CheckRules
    output = CheckedRules
    most = 20  # solutions
    grouped_by = ("domain", "rules")
    reason_characters = 200
    most_places = 50  # that a model may name for one rule

    def offline(self, item: CheckRules) -> CheckedRules:
        """Judge by the rules' phrases and patterns alone."""
        verdicts = verdicts_by_patterns(item.rules, item.title, item.steps, item.text, item.language)
        return CheckedRules(verdicts=verdicts)

    def check(self, item: CheckRules, reply: CheckedRules) -> None:
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

    def values(self, items: Sequence[CheckRules]) -> Mapping[str, Any]:
        """Return domain and rules, which are the same for all, and the solutions as people see them."""
        return {
            "domain": items[0].domain,
            "rules": [{"id": rule.id, "text": rule.text} for rule in items[0].rules],
            "solutions": [
                {"issue": visible(i.issue), "title": visible(i.title), "steps": [visible(s) for s in i.steps]}
                for i in items
            ],
        }

    def entry(self, items: Sequence[CheckRules]) -> Mapping[str, Any]:
        """Return the fields of an entry: the rules that a solution breaks and keeps; the others do not concern it."""
        ids = tuple(rule.id for rule in items[0].rules)
        rule: Any = Literal[ids] if ids else str
        place = Annotated[int, Field(ge=0, le=max(len(item.steps) for item in items))]
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        broken: Any = wire(
            "Broken",
            rule=rule,
            reason=Annotated[str, reason],
            steps=Annotated[list[place], Field(max_length=self.most_places)],
        )
        return {
            "broken": Annotated[list[broken], Field(max_length=len(ids))],
            "kept": Annotated[list[rule], Field(max_length=len(ids))],
        }

    def read(self, item: CheckRules, entry: Any) -> Read[CheckedRules]:
        """Read one verdict a rule; a rule that its own patterns find broken stays broken."""
        broken = {one.rule: one for one in entry.broken}
        if len(broken) < len(entry.broken):
            raise ReplyError("A rule stands twice in `broken`; name each once, with all its steps.")
        if both := sorted(set(broken) & set(entry.kept)):
            raise ReplyError(f"The rule {both[0]!r} stands in `broken` and in `kept`; it can be in one.")
        if any(place > len(item.steps) for one in entry.broken for place in one.steps):
            raise ReplyError(f"Its last step is {len(item.steps)}; 0 is the title.")
        verdicts = []
        for by_patterns in self.offline(item).verdicts:
            if by_patterns.rule in broken:
                verdicts.append(self._broken(by_patterns, broken[by_patterns.rule]))
            elif by_patterns.verdict == "broken":
                verdicts.append(by_patterns)
            elif by_patterns.rule in entry.kept:
                verdicts.append(RuleVerdict(rule=by_patterns.rule, verdict="kept", reason=NOTHING_NAMED))
            else:
                verdicts.append(RuleVerdict(rule=by_patterns.rule, verdict="not applicable", reason=NOT_CONCERNED))
        return Read(CheckedRules(verdicts=tuple(verdicts)))

    def _broken(self, by_patterns: RuleVerdict, named: Any) -> RuleVerdict:
        """Return the verdict on a rule that a model names as broken, joined with what its patterns find."""
        reason = " ".join(visible(named.reason).split())[: self.reason_characters]
        reason = reason or "The model says so and gives no reason."
        is_found = by_patterns.verdict == "broken"
        # A pattern or a model that names no place means the whole; then no place may narrow it.
        means_whole = not named.steps or (is_found and not by_patterns.places)
        places = () if means_whole else tuple(sorted({*by_patterns.places, *named.steps}))
        return RuleVerdict(
            rule=by_patterns.rule,
            verdict="broken",
            reason=f"{by_patterns.reason} {reason}" if is_found else reason,
            places=places,
            lines=tuple(line for line in by_patterns.lines if line[0] in places and line[0] not in named.steps),
        )

    def tokens(self, item: CheckRules) -> tuple[int, int]:
        """Return the tokens of an entry; most solutions break nothing."""
        ids = sum(len(rule.id.encode()) for rule in item.rules)
        return 48 + ids + len(item.rules) * 96, 16 + ids // 8


TASK = CheckRulesTask()
