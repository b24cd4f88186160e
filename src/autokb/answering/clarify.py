"""One clarifying question, asked only where the first document has different solutions for different customers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from autokb.answering.present import Choice, Presentation
from autokb.core.attributes import ANY, Match, Values, plain_name
from autokb.core.domain import Attribute
from autokb.core.nouns import Solution

TEMPERATURE = 0.05  # cosine; a solution this much less similar than the best counts 1/e of it
# Cosine of the question to the first solution, or to the node that shows it. Of 46 questions back over two sets of
# written questions 13 were below it, and 2 of these were justified.
NEAR_ENOUGH = 0.4


@dataclass(frozen=True, slots=True)
class Clarification:
    """The one question to ask back."""

    attribute: str
    values: tuple[str, ...]
    text: str


# Complex: each condition that ends it needs what the one before it worked out.
def clarify(shown: Presentation, first: Choice) -> Clarification | None:
    """Return the question that the first solution leaves open, or None where it holds whatever the answer is.

    Decision 2 of the design: a solution that fixes an attribute of which the question says nothing, beside others for
    other values. Where even it is far from the question, asking leads nowhere.
    """
    asked = shown.asked
    node = first.tree.similarity if first.tree is not None else -1.0
    if max(node, shown.cosine(first.solution)) < NEAR_ENOUGH:
        return None
    beside = [*_sections_beside(shown, first), *_children_beside(shown, first)]
    pools = {name: _pool(name, first.solution, beside, shown) for name in _attributes_left_open(shown, first)}
    gains = {name: information_gain(pool) for name, pool in pools.items()}
    best = max(gains, key=lambda name: (round(gains[name], 9), name), default=None)
    if best is None or gains[best] <= 0:
        return None
    attribute, within = asked.index.attributes[best], asked.within.get(best)
    named = frozenset().union(*(values for values, _ in pools[best]))
    values = attribute.values if attribute.kind == "closed" else tuple(sorted(named))
    offered = tuple(v for v in values if within is None or v in within)
    return Clarification(best, offered, wording(attribute, offered))


def _attributes_left_open(shown: Presentation, first: Choice) -> list[str]:
    """Return what a solution fixes and the question leaves open, but for what its document fixes for all readers."""
    section = shown.candidates.section_of(first.solution)
    fixed = {name for name in shown.asked.unknown if first.solution.attributes.get(name, ANY) != ANY}
    if section is not None:
        values = section.solution.attributes
        fixed -= {name for name in fixed if values.get(name, ANY) != ANY and name not in section.distinguishes}
    return sorted(fixed)


def _sections_beside(shown: Presentation, first: Choice) -> list[Solution]:
    """Return what the document of a solution says about the same matter, also to other readers."""
    section = shown.candidates.section_of(first.solution)
    others = [p.solution for p in shown.candidates.about_the_same(section)] if section is not None else []
    return [s for s in others if shown.asked.match(s.id) is not Match.CONFLICT]


def _children_beside(shown: Presentation, first: Choice) -> list[Solution]:
    """Return what the open children of an accepted node show where the node itself shows nothing for everybody."""
    tree, asked = first.tree, shown.asked
    if tree is None or tree.issue is None:
        return []
    own = (tree.issue, *(a.id for a in asked.index.forest.ancestors(tree.issue)))
    if first.solution.issue_id in own or any(shown.holds_for_all(s) for issue in own for s in asked.shown(issue)):
        return []
    return [c.solution for c in shown.of_document(first.document) if c.tree is tree]


def _pool(name: str, own: Solution, beside: Sequence[Solution], shown: Presentation) -> list[tuple[Values, float]]:
    """Return a solution's values of an attribute, and those of others that hold where it does not, with weights."""
    values = own.attributes[name]
    others = (s for s in beside if (theirs := s.attributes.get(name, ANY)) != ANY and theirs - values)
    return _values_with_weights(name, [own, *others], shown)


def _values_with_weights(name: str, solutions: Sequence[Solution], shown: Presentation) -> list[tuple[Values, float]]:
    """Return the values that solutions fix for an attribute, each with how near the solution is to the question.

    Solutions with the same steps are one, for all their values together: which of these it is changes nothing.
    """
    values_of: dict[tuple[str, ...], Values] = {}
    nearest: dict[tuple[str, ...], float] = {}
    for solution in solutions:
        if (values := solution.attributes.get(name, ANY)) != ANY:
            steps = solution.steps
            values_of[steps] = values_of.get(steps, frozenset()) | values
            nearest[steps] = max(nearest.get(steps, -1.0), shown.cosine(solution))
    best = max(nearest.values(), default=0.0)
    return [(values, math.exp((nearest[steps] - best) / TEMPERATURE)) for steps, values in values_of.items()]


def information_gain(pool: Sequence[tuple[Values, float]]) -> float:
    """Return how many bits the answer gives about which solution is meant; 0 where all are for the same customers."""
    if len({values for values, _ in pool}) < 2:
        return 0.0
    total = sum(weight for _, weight in pool)
    answers: dict[str, float] = {}
    conditional = 0.0
    for values, weight in pool:
        for value in values:
            answers[value] = answers.get(value, 0.0) + weight / total / len(values)
        conditional += weight / total * math.log2(len(values))
    return -sum(p * math.log2(p) for p in answers.values() if p > 0) - conditional


def wording(attribute: Attribute, values: Sequence[str]) -> str:
    """Put the question in the domain's own words, else in plain ones; something else is always offered."""
    spoken = [attribute.labels.get(value, value) for value in values if value != "NONE"]
    options = ", ".join((*spoken, *(["none"] if "NONE" in values else [])))
    question = attribute.ask.rstrip(" ?:.") or f"Which {plain_name(attribute.name)} is it"
    return f"{question}: {options}, or something else?"
