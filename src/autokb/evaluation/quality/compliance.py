"""Q_D: how many solutions keep the rules of their domain (AutoKB paper, section 4.3.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from autokb.core.domain import Rule
from autokb.core.nouns import Solution, VerdictName
from autokb.core.timed_patterns import SlowPatternError


@dataclass(frozen=True, slots=True)
class Compliance:
    """Q_D over the solutions that every rule was judged for; ``rules`` counts the verdicts of each rule."""

    value: float | None
    judged: int
    not_judged: int
    rules: Mapping[str, Mapping[VerdictName, int]]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return asdict(self)


def compliance(solutions: Iterable[Solution], rules: Iterable[Rule]) -> Compliance:
    """Return the share of the judged solutions that keep all rules; one with an open verdict is not judged."""
    rules = list(rules)
    found = [solution_verdicts(solution, rules) for solution in solutions]
    overall = Counter(overall_verdict(verdicts) for verdicts in found)
    judged = overall["kept"] + overall["broken"]
    by_rule = {
        rule: dict(sorted(Counter(verdicts[rule] for verdicts in found if rule in verdicts).items()))
        for rule in sorted({rule for verdicts in found for rule in verdicts})
    }
    return Compliance(overall["kept"] / judged if judged else None, judged, overall["not judged"], by_rule)


def solution_verdicts(solution: Solution, rules: Iterable[Rule]) -> dict[str, VerdictName]:
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
            if rule.broken_by(text):
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
