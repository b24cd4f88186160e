"""Q_D: how many solutions keep the rules of their domain (AutoKB paper, section 4.3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from autokb.core.domain import ENGLISH, Rule
from autokb.core.nouns import Solution, VerdictName
from autokb.core.regex_timeout import SlowPatternError
from autokb.evaluation.quality.sampled_trees import TreeOf, tree_interval
from autokb.evaluation.record import Record
from autokb.evaluation.statistics.bootstrap import Interval
from autokb.heuristics.rules import find_breach
from autokb.tasks.issues.check_rules.task import NOT_CONCERNED, NOTHING_NAMED

BY_PATTERNS = "patterns"
BY_CONSTRUCTION = (
    "Judged by the patterns that withheld or repaired what breaks them: 1.0 by construction, lower only where a person "
    "has edited a solution since. It says nothing of what the patterns miss; --model has a model judge independently."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Compliance(Record):
    """Q_D over the solutions that every rule was judged for; ``rules`` counts the verdicts of each rule.

    ``by`` is ``patterns``, or the model that gave the verdicts in the build; ``note`` says what patterns are worth.
    """

    interval: Interval
    by: str
    note: str = ""
    judged: int
    not_judged: int
    rules: Mapping[str, Mapping[VerdictName, int]]


def compliance(
    solutions: Iterable[Solution],
    rules: Iterable[Rule],
    tree_of: TreeOf,
    model: str = BY_PATTERNS,
    language: str = ENGLISH,
) -> Compliance:
    """Return the share of the judged solutions that keep all rules; one with an open verdict is not judged.

    ``model`` is what a model is called whose words the stored verdicts have.
    """
    solutions, rules = list(solutions), list(rules)
    found = {solution.id: solution_verdicts(solution, rules, language) for solution in solutions}
    overall = {solution_id: overall_verdict(verdicts) for solution_id, verdicts in found.items()}
    judged = {s: float(verdict == "kept") for s, verdict in overall.items() if verdict in ("kept", "broken")}
    by_rule = {
        rule: dict(sorted(Counter(verdicts[rule] for verdicts in found.values() if rule in verdicts).items()))
        for rule in sorted({rule for verdicts in found.values() for rule in verdicts})
    }
    asked_model = any(v.reason in (NOTHING_NAMED, NOT_CONCERNED) for s in solutions for v in s.rules)
    by = model if asked_model else BY_PATTERNS
    return Compliance(
        interval=tree_interval(judged, tree_of),
        by=by,
        note=BY_CONSTRUCTION if by == BY_PATTERNS and judged else "",
        judged=len(judged),
        not_judged=len(found) - len(judged),
        rules=by_rule,
    )


def solution_verdicts(solution: Solution, rules: Iterable[Rule], language: str = ENGLISH) -> dict[str, VerdictName]:
    """Return what every rule says of the solution as it is displayed.

    The stored verdicts were given before a repair left the offending step out: a broken rule of a repaired solution is
    kept now. Where a pattern still matches (a person may have edited the steps since), the rule is broken.
    """
    found: dict[str, VerdictName] = {v.rule: v.verdict for v in solution.rules}
    if solution.status == "repaired":
        found = {r: "kept" if v == "broken" else v for r, v in found.items()}
    text = "\n".join((solution.text, *solution.steps))
    for rule in rules:
        try:
            if find_breach(rule, text, language):
                found[rule.id] = "broken"
        except SlowPatternError:
            found[rule.id] = "not judged"
        found.setdefault(rule.id, "not judged")
    return found


def overall_verdict(verdicts: Mapping[str, VerdictName]) -> VerdictName:
    """Return what verdicts on one solution add up to: one broken rule breaks it, one open verdict leaves it open."""
    if "broken" in verdicts.values():
        return "broken"
    return "not judged" if "not judged" in verdicts.values() or not verdicts else "kept"
