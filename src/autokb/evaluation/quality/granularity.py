"""Q_M: how specific the attributes of the solutions are (AutoKB paper, section 4.3.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import ANY, NONE, Attributes, Values
from autokb.core.domain import Attribute, DomainSpec
from autokb.core.nouns import Solution
from autokb.evaluation.quality.sampled_trees import TreeOf, tree_interval
from autokb.evaluation.record import Record
from autokb.evaluation.statistics.bootstrap import Interval


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
