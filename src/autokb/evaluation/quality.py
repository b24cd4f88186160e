"""The quality of a knowledge base: granular (Q_M), obeying its rules (Q_D), correct (Q_C); AutoKB paper, 4.3.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute, DomainSpec, Rule
from autokb.core.nouns import DISPLAYED, Solution, VerdictName
from autokb.evaluation.annotation import Agreement


def quality(solutions: Iterable[Solution], domain: DomainSpec, agreement: Agreement | None = None) -> dict[str, Any]:
    """Answer ``evaluate quality`` over the displayed solutions; a figure nobody could work out is null."""
    shown = displayed(solutions)
    answer: dict[str, Any] = {
        "q_m": q_m(shown, domain),
        "q_d": q_d(shown, domain.rules),
        "q_c": {"value": None, "items": 0},
        "solutions": len(shown),
    }
    if agreement is not None:
        answer["q_c"] = {"value": agreement.correct, "items": agreement.items}
        answer |= {"agreement": agreement.agreement, "kappa": agreement.kappa, "twice": agreement.twice}
    return answer


def displayed(solutions: Iterable[Solution]) -> list[Solution]:
    """Return the solutions that a customer can get, by id."""
    return sorted((s for s in solutions if s.status in DISPLAYED), key=lambda s: s.id)


# -- Q_M ------------------------------------------------------------------------------------------------------------


def q_m(solutions: Iterable[Solution], domain: DomainSpec) -> dict[str, Any]:
    """Return the mean over solutions of the mean over attributes, and the mean of each attribute beside it."""
    solutions = list(solutions)
    means = [m for s in solutions if (m := solution_granularity(s.attributes, domain)) is not None]
    by_name = {
        name: _mean([g for s in solutions if (g := granularity(a, s.attributes.get(name, ANY))) is not None])
        for name, a in domain.attributes.items()
    }
    return {"value": _mean(means), "solutions": len(means), "attributes": by_name}


def solution_granularity(attributes: Attributes, domain: DomainSpec) -> float | None:
    """Return the mean over the configured attributes that apply, None when none of them does."""
    found = (granularity(a, attributes.get(name, ANY)) for name, a in domain.attributes.items())
    return _mean([g for g in found if g is not None])


def granularity(attribute: Attribute, values: Values) -> float | None:
    """Return 1/n for n values; Any is all values of a closed attribute and 0 for an open one; NONE gives None."""
    values = attribute.normal(frozenset(values)) or ANY
    if values == NONE:
        return None
    if values == ANY:
        return 1 / len(attribute.values) if attribute.kind == "closed" else 0.0
    return 1 / len(values)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


# -- Q_D ------------------------------------------------------------------------------------------------------------


def q_d(solutions: Iterable[Solution], rules: Iterable[Rule]) -> dict[str, Any]:
    """Return the share of the judged solutions that keep all rules; those with an open verdict are counted apart."""
    rules = list(rules)
    found = [verdicts(s, rules) for s in solutions]
    states = Counter(state(v) for v in found)
    judged = states["kept"] + states["broken"]
    by_rule = {
        r: dict(sorted(Counter(v[r] for v in found if r in v).items())) for r in sorted({r for v in found for r in v})
    }
    return {
        "value": states["kept"] / judged if judged else None,
        "judged": judged,
        "not_judged": states["not judged"],
        "rules": by_rule,
    }


def verdicts(solution: Solution, rules: Iterable[Rule]) -> dict[str, VerdictName]:
    """Return what every rule says of the solution as it is displayed.

    The stored verdicts were given before a repair left the offending step out: a broken rule of a repaired solution is
    kept now. Where a pattern still matches (a person may have edited the steps since), the rule is broken.
    """
    found: dict[str, VerdictName] = {v.rule: v.verdict for v in solution.rules}
    if solution.status == "repaired":
        found = {r: "kept" if v == "broken" else v for r, v in found.items()}
    text = "\n".join((solution.text, *solution.steps))
    for rule in rules:
        if rule.broken_by(text):
            found[rule.id] = "broken"
        else:
            found.setdefault(rule.id, "not judged")
    return found


def state(found: Mapping[str, VerdictName]) -> VerdictName:
    """Return what the verdicts on one solution come to: one broken rule breaks it, one open verdict leaves it open."""
    if "broken" in found.values():
        return "broken"
    return "not judged" if "not judged" in found.values() or not found else "kept"
