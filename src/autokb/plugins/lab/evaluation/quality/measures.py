"""Q_D and Q_M (AutoKB paper, section 4.1): rules kept, and how specific attributes are; intervals are over trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import ENGLISH, Attribute, DomainSpec, Rule
from autokb.core.forest import Forest
from autokb.core.ids import digest
from autokb.core.nouns import Issue, Solution, VerdictName
from autokb.core.regex_timeout import SlowPatternError
from autokb.heuristics.rules import find_breach
from autokb.plugins.lab.evaluation.report import Record
from autokb.stats.bootstrap import Interval, ratio_interval
from autokb.tasks.issues.check_rules.task import NOT_CONCERNED, NOTHING_NAMED

TreeOf = Callable[[str], str]  # id of a solution -> id of its tree
SEED = "annotated twice"


def solution_trees(solutions: Iterable[Solution], issues: Mapping[str, Issue]) -> TreeOf:
    """Return what gives the root above a solution; one that the knowledge base no longer has is a tree of its own."""
    forest = Forest(issues.values())
    trees = {s.id: forest.root(s.issue_id).id if s.issue_id in issues else s.issue_id for s in solutions}
    return lambda solution_id: trees.get(solution_id, solution_id)


def tree_interval(values: Mapping[str, float], tree_of: TreeOf) -> Interval:
    """Return the mean of the values by solution with its 95 % interval: trees are drawn first, then their solutions."""
    trees: dict[str, list[tuple[float, float]]] = {}
    for solution_id in sorted(values):
        trees.setdefault(tree_of(solution_id), []).append((values[solution_id], 1.0))
    return ratio_interval([trees[tree] for tree in sorted(trees)])


def spread_over_trees(solution_ids: Iterable[str], tree_of: TreeOf, wanted: int) -> set[str]:
    """Return so many of the solutions, each tree in proportion, the same ones each time.

    A systematic sample: trees and the solutions in them in the order of their hashes, at even steps through all.
    """
    ordered = sorted(solution_ids, key=lambda s: (digest(SEED, tree_of(s)), digest(SEED, s)))
    return {ordered[int((n + 0.5) * len(ordered) / wanted)] for n in range(wanted)}


@dataclass(frozen=True, slots=True)
class Granularity(Record):
    """Q_M over ``solutions`` of them, and the mean of each attribute; None where it applies to no solution."""

    interval: Interval
    solutions: int
    attributes: Mapping[str, float | None]


def granularity(solutions: Iterable[Solution], domain: DomainSpec, tree_of: TreeOf) -> Granularity:
    """Return the mean over solutions of the mean over attributes, and the mean of each attribute beside it."""
    solutions = list(solutions)
    means = {s.id: m for s in solutions if (m := solution_granularity(s.attributes, domain)) is not None}
    by_name = {}
    for name, attribute in domain.attributes.items():
        scores = (attribute_granularity(attribute, s.attributes.get(name, ANY)) for s in solutions)
        by_name[name] = _mean_or_none([score for score in scores if score is not None])
    return Granularity(tree_interval(means, tree_of), len(means), by_name)


def solution_granularity(attributes: Attributes, domain: DomainSpec) -> float | None:
    """Return the mean over the configured attributes that apply, None when none of them does."""
    scores = (attribute_granularity(a, attributes.get(name, ANY)) for name, a in domain.attributes.items())
    return _mean_or_none([score for score in scores if score is not None])


def attribute_granularity(attribute: Attribute, values: Values) -> float | None:
    """Return 1/n for n values; Any is all values of a closed attribute and 0 for an open one; NONE gives None."""
    values = attribute.normal(frozenset(values)) or ANY
    if values == NONE:
        return None
    if values == ANY:
        return 1 / len(attribute.values) if attribute.kind == "closed" else 0.0
    return 1 / len(values)


def _mean_or_none(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


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
    asked_model = any(v.reason in (NOTHING_NAMED, NOT_CONCERNED) for s in solutions for v in s.rules)
    return compliance_of(found, tree_of, model if asked_model else BY_PATTERNS)


def compliance_of(found: Mapping[str, Mapping[str, VerdictName]], tree_of: TreeOf, by: str) -> Compliance:
    """Add up the verdicts on solutions, by solution and rule; ``by`` is who gave them."""
    overall = {solution_id: overall_verdict(verdicts) for solution_id, verdicts in found.items()}
    judged = {s: float(verdict == "kept") for s, verdict in overall.items() if verdict in ("kept", "broken")}
    by_rule = {
        rule: dict(sorted(Counter(verdicts[rule] for verdicts in found.values() if rule in verdicts).items()))
        for rule in sorted({rule for verdicts in found.values() for rule in verdicts})
    }
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
    if "doubt" in verdicts.values():
        return "doubt"
    return "not judged" if "not judged" in verdicts.values() or not verdicts else "kept"
