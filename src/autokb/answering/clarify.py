"""One clarifying question, asked only where the first document has different solutions for different customers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from autokb.answering.choose import Choice, Chooser
from autokb.core.attributes import ANY, Match, Values
from autokb.core.domain import Attribute
from autokb.core.nouns import Solution

TEMPERATURE = 0.05  # cosine; a solution this much less similar than the best counts 1/e of it
PLAIN_NAMES = {"os": "operating system", "sex": "sex", "app": "app"}


@dataclass(frozen=True, slots=True)
class Clarification:
    """The one question to ask back."""

    attribute: str
    values: tuple[str, ...]
    text: str


def clarify(chooser: Chooser, first: Choice) -> Clarification | None:
    """Return the question that the first solution leaves open, or None where it holds whatever the answer is.

    Decision 2 of the design: a solution that fixes an attribute of which the question says nothing, beside others for
    other values. These are the sections that the manual itself keeps apart by that attribute alone (On Android, On
    Windows), or the solutions of the accepted node's open children where the node shows none that holds for all.
    """
    asked = chooser.asked
    for names, others in (_sections_apart(chooser, first), _children_apart(chooser, first)):
        if len({other.steps for other in others}) < 2:
            continue  # what all of them say holds whatever the answer is
        fixed = [n for n in names if n in asked.unknown and first.solution.attributes.get(n, ANY) != ANY]
        pools = {name: _values_with_weights(name, others, chooser) for name in fixed}
        gains = {name: information_gain(pool) for name, pool in pools.items()}
        best = max(gains, key=lambda name: (round(gains[name], 9), name), default=None)
        if best is not None and gains[best] > 0:
            attribute, within = asked.index.attributes[best], asked.within.get(best)
            named = frozenset().union(*(values for values, _ in pools[best]))
            values = attribute.values if attribute.kind == "closed" else tuple(sorted(named))
            offered = tuple(v for v in values if within is None or v in within)
            return Clarification(best, offered, wording(attribute, offered))
    return None


def _sections_apart(chooser: Chooser, first: Choice) -> tuple[Sequence[str], Sequence[Solution]]:
    """Return the attributes by which a solution's section is kept apart, and what is said to each reader."""
    section = chooser.shown.section_of(first.solution)
    if section is None or not section.distinguishes:
        return (), ()
    others = [p.solution for p in chooser.shown.beside(section) if p.distinguishes]
    return section.distinguishes, [s for s in others if chooser.asked.match(s.id) is not Match.CONFLICT]


def _children_apart(chooser: Chooser, first: Choice) -> tuple[Sequence[str], Sequence[Solution]]:
    """Return what the open children of an accepted node show where the node itself shows nothing for everybody."""
    tree, asked = first.tree, chooser.asked
    if tree is None or tree.issue is None:
        return (), ()
    own = (tree.issue, *(a.id for a in asked.index.forest.ancestors(tree.issue)))
    if first.solution.issue_id in own or any(chooser.settles(s) for issue in own for s in asked.shown(issue)):
        return (), ()
    return asked.unknown, [c.solution for c in chooser.fitting(first.document) if c.tree is tree]


def _values_with_weights(name: str, solutions: Sequence[Solution], chooser: Chooser) -> list[tuple[Values, float]]:
    """Return the values that solutions fix for an attribute, each with how near the solution is to the question.

    Solutions with the same steps are one, for all their values together: which of these it is changes nothing.
    """
    values_of: dict[tuple[str, ...], Values] = {}
    nearest: dict[tuple[str, ...], float] = {}
    for solution in solutions:
        if (values := solution.attributes.get(name, ANY)) != ANY:
            steps = solution.steps
            values_of[steps] = values_of.get(steps, frozenset()) | values
            nearest[steps] = max(nearest.get(steps, -1.0), chooser.cosine(solution))
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


def plain_name(attribute: str) -> str:
    """Say an attribute's name as a person would: ``secondary_device`` is the secondary device."""
    return PLAIN_NAMES.get(attribute.casefold(), attribute.replace("_", " ").replace("-", " ").strip())


def wording(attribute: Attribute, values: Sequence[str]) -> str:
    """Put the question in the domain's own words, else in plain ones; something else is always offered."""
    spoken = [attribute.labels.get(value, value) for value in values if value != "NONE"]
    options = ", ".join((*spoken, *(["none"] if "NONE" in values else [])))
    question = attribute.ask.rstrip(" ?:.") or f"Which {plain_name(attribute.name)} is it"
    return f"{question}: {options}, or something else?"
