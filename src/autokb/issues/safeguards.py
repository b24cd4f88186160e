"""What the rules leave of a solution: displayed, repaired by leaving steps out, or withheld with the reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from autokb.issues.wording import solution_text, solution_title
from autokb.knowledge.domain import DomainSpec
from autokb.knowledge.nouns import Issue, Solution, Verdict
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules, RuleVerdict
from autokb.tasks.issues.write_solutions.language import tells

_NUMBERED = re.compile(r"\s*\d{1,9}[.)]\s")
_OPTIONAL = re.compile(
    r"\W*(?:if|optionally|optional|alternatively|or|otherwise|note|tip|you (?:can|may|could) also|for more|"
    r"should (?:this|it|the)|in case|when in doubt|still|as a last resort)\b",
    re.IGNORECASE,
)


def rules_request(solution: Solution, issue: Issue, spec: DomainSpec) -> CheckRules:
    """Ask whether a solution keeps the rules of its domain."""
    return CheckRules(
        domain=spec.description or spec.name,
        issue=issue.text,
        title=solution_title(solution),
        steps=solution.steps,
        text=solution.text,
        rules=spec.rules,
    )


def safeguard(solution: Solution, reply: CheckedRules) -> Solution:
    """Return a solution that obeys the rules, repaired where it still makes sense, else withheld; both say why.

    It still makes sense when the title keeps the rules, something to do is left, and no step that stays needs one that
    goes: the steps of an ordered list need those before them, unless the one that goes is optional or comes last.
    """
    broken = [v for v in reply.verdicts if v.verdict == "broken"]
    verdicts = tuple(Verdict(v.rule, v.verdict, v.reason) for v in reply.verdicts)
    if not broken:
        return replace(solution, rules=verdicts)
    gone = sorted({place for verdict in broken for place in verdict.places})
    if hindrance := _hindrance(solution, broken, gone):
        rules = ", ".join(v.rule for v in broken)
        return replace(solution, status="withheld", reason=f"It breaks {rules}. {hindrance}", rules=verdicts)
    return _repaired(solution, reply, gone)


def _hindrance(solution: Solution, broken: Sequence[RuleVerdict], gone: Sequence[int]) -> str:
    """Return why a solution cannot be repaired, or nothing."""
    if 0 in gone:
        return "Its title breaks a rule, so all of it is about what must not be said."
    if any(not verdict.places for verdict in broken):
        return "No single step breaks the rule, so none can be left out."
    left = [n for n in range(1, len(solution.steps) + 1) if n not in gone]
    doing = [n for n, step in enumerate(solution.steps, 1) if _tells(step)]
    if not left or (doing and not set(doing) & set(left)):
        return "Nothing to do would be left without the steps that break it."
    for place in gone:
        numbered = _NUMBERED.match(solution.evidence[place - 1].quote)
        if numbered and any(n > place for n in left) and not _OPTIONAL.match(solution.steps[place - 1]):
            return f"Step {place} cannot be left out, because the steps after it need it."
    return ""


def _tells(step: str) -> bool:
    return any(tells(part) for part in re.split(r"(?<=[.!?])\s+|\n", step))


def _repaired(solution: Solution, reply: CheckedRules, gone: Sequence[int]) -> Solution:
    left = [n for n in range(len(solution.steps)) if n + 1 not in gone]
    steps = tuple(solution.steps[n] for n in left)
    numbers = " and ".join(map(str, gone))
    named = f"step {numbers}" if len(gone) == 1 else f"steps {numbers}"
    reasons = [f"{v.rule}: {v.reason}" for v in reply.verdicts if v.verdict == "broken"]
    return replace(
        solution,
        text=solution_text(solution_title(solution), steps),
        steps=steps,
        evidence=tuple(solution.evidence[n] for n in left),
        status="repaired",
        reason=f"Left out {named}. {' '.join(reasons)}",
        rules=tuple(
            Verdict(v.rule, "kept", f"Kept since {named} {'was' if len(gone) == 1 else 'were'} left out. {v.reason}")
            if v.verdict == "broken"
            else Verdict(v.rule, v.verdict, v.reason)
            for v in reply.verdicts
        ),
    )
