"""How a model is asked whether solutions keep the rules; it can add to what the patterns find, never take away."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.grounded import visible
from autokb.tasks.issues.check_rules.patterns import answer as by_patterns
from autokb.tasks.issues.check_rules.shapes import CheckedRules, CheckRules, RuleVerdict
from autokb.tasks.prompts import Verbatim, examples
from autokb.tasks.task import ReplyError

PACKAGE = "autokb.tasks.issues.check_rules"
TOGETHER = 20  # solutions in one request
LONGEST_REASON = 200  # characters
KEPT = "The model was asked and named nothing that breaks it."
ELSEWHERE = "The model says that the rule has nothing to do with it."


def values(items: Sequence[CheckRules]) -> Mapping[str, Any]:
    """Return the template's variables; domain and rules stand first and are the same for all."""
    first = items[0]
    return {
        "domain": first.domain,
        "rules": [{"id": rule.id, "text": rule.text} for rule in first.rules],
        "solutions": [
            {"issue": visible(i.issue), "title": visible(i.title), "steps": [visible(s) for s in i.steps]}
            for i in items
        ],
        "examples": [_example(example) for example in examples(PACKAGE)],
    }


def _example(example: Mapping[str, Any]) -> Mapping[str, Any]:
    reply = {"answers": [{"number": 1, **example["reply"]}]}
    return {"given": example["given"], "shown": Verbatim(json.dumps(reply, ensure_ascii=False))}


def entry(items: Sequence[CheckRules]) -> type[Wire]:
    """Return the type of one entry: the rules that a solution breaks and those that do not concern it."""
    ids = tuple(rule.id for rule in items[0].rules)
    rule: Any = Literal[ids] if ids else str
    places = Annotated[int, Field(ge=0, le=max(len(item.steps) for item in items))]
    broken: Any = wire(
        "Broken",
        rule=rule,
        reason=Annotated[str, Field(min_length=1, json_schema_extra={"maxLength": LONGEST_REASON})],
        steps=Annotated[list[places], Field(max_length=50)],
    )
    return wire(
        "Entry",
        number=Literal[tuple(range(1, len(items) + 1))],
        broken=Annotated[list[broken], Field(max_length=len(ids))],
        not_applicable=Annotated[list[rule], Field(max_length=len(ids))],
    )


def read(
    items: Sequence[CheckRules], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[CheckedRules, tuple[str, ...]]:
    """Turn an entry into one verdict a rule; a rule that its own patterns find broken stays broken."""
    item = items[position]
    broken = {one.rule: one for one in entry.broken}
    if len(broken) < len(entry.broken):
        raise ReplyError("A rule stands twice in `broken`; name each once, with all its steps.")
    if both := sorted(set(broken) & set(entry.not_applicable)):
        raise ReplyError(f"The rule {both[0]!r} stands in `broken` and in `not_applicable`; it can be in one.")
    if any(place > len(item.steps) for one in entry.broken for place in one.steps):
        raise ReplyError(f"Its last step is {len(item.steps)}; 0 is the title.")
    verdicts = (
        _verdict(found, broken.get(found.rule), found.rule in entry.not_applicable)
        for found in by_patterns(item).verdicts
    )
    return CheckedRules(verdicts=tuple(verdicts)), ()


def _verdict(found: RuleVerdict, said: Any, elsewhere: bool) -> RuleVerdict:
    if said is None and found.verdict == "broken":
        return found
    if said is None:
        kind: Any = "not applicable" if elsewhere else "kept"
        return RuleVerdict(rule=found.rule, verdict=kind, reason=ELSEWHERE if elsewhere else KEPT)
    reason = " ".join(visible(said.reason).split())[:LONGEST_REASON] or "The model says so and gives no reason."
    # A pattern or a model that names no place means the whole; then no place may narrow it.
    whole = not said.steps or (found.verdict == "broken" and not found.places)
    places = () if whole else tuple(sorted({*found.places, *said.steps}))
    return RuleVerdict(
        rule=found.rule,
        verdict="broken",
        reason=f"{found.reason} {reason}" if found.verdict == "broken" else reason,
        places=places,
        lines=tuple(line for line in found.lines if line[0] in places and line[0] not in said.steps),
    )


def tokens(item: CheckRules) -> tuple[int, int]:
    """Return the most and the usual number of tokens of an entry; most solutions break nothing."""
    named = sum(len(rule.id.encode()) for rule in item.rules)
    return 48 + named + len(item.rules) * 96, 16 + named // 4


def together(item: CheckRules) -> Hashable:
    """Solutions of one domain with the same rules can share a request."""
    return item.domain, item.rules


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)
