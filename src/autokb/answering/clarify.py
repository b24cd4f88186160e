"""One clarifying question, asked only where the first document has different solutions for different customers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.answering.choose import Choice, Chooser
from autokb.core.attributes import ANY, Values
from autokb.core.domain import Attribute

TEMPERATURE = 0.05  # cosine; a solution this much less similar than the best counts 1/e of it
PLAIN_NAMES = {"os": "operating system", "sex": "sex", "app": "app"}


@dataclass(frozen=True, slots=True)
class Clarification:
    """The one question to ask back."""

    attribute: str
    values: tuple[str, ...]
    text: str


def clarify(chooser: Chooser, first: Choice) -> Clarification | None:
    """Return the question that the first document's solutions leave open, or None where something holds whatever it is.

    Decision 2 of the design: a node that is exact only because the question is silent settles nothing where the fitting
    solutions of the first document differ by an unknown attribute, and the node shows none that holds for all.
    """
    tree, asked = first.tree, chooser.asked
    if tree is None or tree.issue is None:
        return None
    node = tree.issue
    above = [node, *(a.id for a in asked.index.forest.ancestors(node))]
    if any(chooser.settles(s) for issue in above for s in asked.shown(issue)):
        return None
    fitting = [c for c in chooser.fitting(first.document) if c.tree is tree]
    gains = {name: information_gain(_values_with_weights(name, fitting, chooser)) for name in asked.unknown}
    best = max(gains, key=lambda name: (round(gains[name], 9), name), default=None)
    if best is None or gains[best] <= 0:
        return None
    attribute = asked.index.attributes[best]
    named = sorted(frozenset().union(*(v for v, _ in _values_with_weights(best, fitting, chooser))))
    values = tuple(attribute.values) if attribute.kind == "closed" else tuple(named)
    within = asked.within.get(best)
    offered = tuple(v for v in values if within is None or v in within)
    return Clarification(best, offered, wording(attribute, offered))


def _values_with_weights(name: str, fitting: Sequence[Choice], chooser: Chooser) -> list[tuple[Values, float]]:
    """Return the values that solutions fix for an attribute, each with how near the solution is to the question."""
    cosines = [chooser.cosine(c.solution) for c in fitting]
    best = max(cosines, default=0.0)
    found = zip(fitting, cosines, strict=True)
    return [
        (values, math.exp((cosine - best) / TEMPERATURE))
        for choice, cosine in found
        if (values := choice.solution.attributes.get(name, ANY)) != ANY
    ]


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
    """Put the question in words; NONE reads as none."""
    spoken = [value for value in values if value != "NONE"] + (["none"] if "NONE" in values else [])
    name = plain_name(attribute.name)
    return f"Which {name} is it: {', '.join((*spoken, 'something else'))}?"
