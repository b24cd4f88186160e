"""The task that judges one solution by every rule of its domain (prompt G.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.domain import ENGLISH, Rule
from autokb.core.ids import only_if_other_than
from autokb.heuristics.grounding.visible import visible
from autokb.heuristics.rules import RuleVerdict, verdicts_by_patterns
from autokb.tasks.task import Read, Reply, ReplyError, Task
from autokb.tasks.wire import wire

NOTHING_NAMED = "The model was asked and named nothing that breaks it."
NOT_CONCERNED = "The model says that the rule has nothing to do with it."


@dataclass(frozen=True, slots=True)
class CheckRules:
    """A solution as it would be shown, and the rules; ``text`` is title and steps together.

    With an empty ``issue`` it is judged by its text alone, which is then judged once wherever it stands. One that
    ``explains`` has a model say of each rule that is kept how.
    """

    domain: str
    issue: str
    title: str
    steps: tuple[str, ...]
    text: str
    rules: tuple[Rule, ...]
    language: str = only_if_other_than(ENGLISH)
    explains: bool = only_if_other_than(False)


class CheckedRules(Reply):
    """One verdict for each rule, in the order of the rules."""

    verdicts: tuple[RuleVerdict, ...]


class CheckRulesTask(Task[CheckRules, CheckedRules]):
    """Does this solution keep the rules of the domain? A model can add to what the patterns find, never take away."""

    version = 4
    offline_revision = 2
    input = CheckRules
    output = CheckedRules
    most = 20  # solutions
    grouped_by = ("domain", "rules", "explains")
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
            _check_verdict(verdict, len(item.steps))

    def values(self, items: Sequence[CheckRules]) -> Mapping[str, Any]:
        """Return domain and rules, which are the same for all, and the solutions as people see them."""
        return {
            "domain": items[0].domain,
            "explains": items[0].explains,
            "rules": [{"id": rule.id, "text": rule.text} for rule in items[0].rules],
            "solutions": [
                {"issue": visible(i.issue), "title": visible(i.title), "steps": [visible(s) for s in i.steps]}
                for i in items
            ],
        }

    def entry(self, items: Sequence[CheckRules]) -> Mapping[str, Any]:
        """Return the fields of an entry: rules that a solution breaks, may break and keeps; no other concerns it."""
        ids = tuple(rule.id for rule in items[0].rules)
        rule: Any = Literal[ids] if ids else str
        place = Annotated[int, Field(ge=0, le=max(len(item.steps) for item in items))]
        reason = Field(min_length=1, json_schema_extra={"maxLength": self.reason_characters})
        named: dict[str, Any] = {"rule": rule, "reason": Annotated[str, reason]}
        broken: Any = wire("Broken", **named, steps=Annotated[list[place], Field(max_length=self.most_places)])
        kept: Any = wire("Kept", **named) if items[0].explains else rule
        return {
            "broken": Annotated[list[broken], Field(max_length=len(ids))],
            "doubted": Annotated[list[broken], Field(max_length=len(ids))],
            "kept": Annotated[list[kept], Field(max_length=len(ids))],
        }

    def read(self, item: CheckRules, entry: Any) -> Read[CheckedRules]:
        """Read one verdict a rule; a rule that its own patterns find broken stays broken."""
        kept = {one.rule: one.reason for one in entry.kept} if item.explains else dict.fromkeys(entry.kept, "")
        broken, doubted = ({one.rule: one for one in some} for some in (entry.broken, entry.doubted))
        _refuse_twice({"broken": entry.broken, "doubted": entry.doubted}, kept)
        if any(place > len(item.steps) for one in (*entry.broken, *entry.doubted) for place in one.steps):
            raise ReplyError(f"Its last step is {len(item.steps)}; 0 is the title.")

        def verdict_of(by_patterns: RuleVerdict) -> RuleVerdict:
            rule = by_patterns.rule
            if rule in broken:
                return self._broken(by_patterns, broken[rule])
            if by_patterns.verdict == "broken":
                return by_patterns
            if rule in doubted:
                return self._broken(by_patterns, doubted[rule]).model_copy(update={"verdict": "doubt"})
            if rule in kept:
                return RuleVerdict(rule=rule, verdict="kept", reason=self._shortened(kept[rule]) or NOTHING_NAMED)
            return RuleVerdict(rule=rule, verdict="not applicable", reason=NOT_CONCERNED)

        return Read(CheckedRules(verdicts=tuple(map(verdict_of, self.offline(item).verdicts))))

    def _shortened(self, reason: str) -> str:
        return " ".join(visible(reason).split())[: self.reason_characters]

    def _broken(self, by_patterns: RuleVerdict, named: Any) -> RuleVerdict:
        """Return the verdict on a rule that a model names as broken, joined with what its patterns find."""
        reason = self._shortened(named.reason) or "The model says so and gives no reason."
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
        reasons = 24 * len(item.rules) if item.explains else 0
        return 56 + ids + len(item.rules) * 96 + 2 * reasons, 20 + ids // 8 + reasons


def _refuse_twice(against: Mapping[str, Sequence[Any]], kept: Iterable[str]) -> None:
    """Raise ReplyError where a rule has two verdicts."""
    lists: dict[str, str] = {}
    named = [*((name, one.rule) for name, some in against.items() for one in some), *(("kept", rule) for rule in kept)]
    for name, rule in named:
        if lists.get(rule) == name:
            raise ReplyError(f"A rule stands twice in `{name}`; name each once, with all its steps.")
        if other := lists.get(rule):
            raise ReplyError(f"The rule {rule!r} stands in `{other}` and in `{name}`; it can be in one.")
        lists[rule] = name


def _check_verdict(verdict: RuleVerdict, steps: int) -> None:
    if not verdict.reason.strip():
        raise ReplyError(f"The verdict on {verdict.rule!r} needs a reason.")
    if any(not 0 <= place <= steps for place in verdict.places):
        raise ReplyError(f"{verdict.rule!r}: 0 is the title and {steps} the last step; name no other place.")
    if verdict.places and verdict.verdict not in ("broken", "doubt"):
        raise ReplyError(f"{verdict.rule!r} names places but is neither broken nor doubted; leave them out.")


TASK = CheckRulesTask()
