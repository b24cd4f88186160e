"""One clarifying question, on the attribute that distinguishes the best candidates most."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import ANY
from autokb.core.nouns import Solution
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.match_issues import Similarities, TreeMatch

CANDIDATE_MARGIN = 0.05  # trees this close below the best score are candidates beside it
ANSWER_MARGIN = 0.1  # an answer is better than a question about a tree that is this little ahead
TEMPERATURE = 0.05  # a node this much less similar than the best counts 1/e of it
PLAIN_NAMES = {"os": "operating system", "sex": "sex", "app": "app"}


@dataclass(frozen=True, slots=True)
class Clarification:
    """The one question to ask back."""

    attribute: str
    values: tuple[str, ...]
    text: str


def clarify(trees: Sequence[TreeMatch], asked: Asked, similarities: Similarities) -> Clarification | None:
    """Return the question that the best tree leaves open, or None when it is settled; ``trees`` are best first."""
    trees = _start_at_answerable(trees)
    if not trees or not trees[0].narrower:
        return None
    top = trees[0]
    if not (candidates := _find_candidates(trees, asked)):
        return None
    pool = _weigh_candidates(candidates, asked, similarities)
    names = [name for name in asked.unknown if _divides_candidates(name, top, pool, asked)]
    gains = {name: information_gain(name, pool, asked) for name in names}
    # Where nothing can be returned yet, what every candidate fixes comes first: without it nothing ever can.
    late = {name: top.issue is None and ANY in _collect_value_sets(name, pool, asked) for name in names}
    for name in sorted(names, key=lambda n: (late[n], -round(gains[n], 9), n)):
        if (values := _values_to_offer(name, pool, asked)) and _changes_answer(name, top, asked):
            return Clarification(name, values, wording(name, values))
    return None


def _start_at_answerable(trees: Sequence[TreeMatch]) -> Sequence[TreeMatch]:
    """Drop trees that only a question could open where one just behind them has an answer already."""
    for position, tree in enumerate(trees):
        if tree.issue is not None:
            return trees[position:] if tree.score >= trees[0].score - ANSWER_MARGIN else trees
    return trees


def _find_candidates(trees: Sequence[TreeMatch], asked: Asked) -> tuple[str, ...]:
    """The accepted node's open children; where a tree has no returnable node, its open nodes and its neighbours'.

    A child that was accepted settles the question: its siblings are no reason to ask.
    """
    top = trees[0]
    if top.issue is not None:
        return tuple(node for node in top.narrower if asked.index.issues[node].parent_id == top.issue)
    return tuple(n for t in trees if t.score >= top.score - CANDIDATE_MARGIN for n in t.narrower)


def _weigh_candidates(nodes: Iterable[str], asked: Asked, similarities: Similarities) -> dict[str, float]:
    own = {node: float(similarities[asked.index.rows[node]]) for node in nodes}
    best = max(own.values())
    return {node: math.exp((value - best) / TEMPERATURE) for node, value in own.items()}


def _collect_value_sets(name: str, nodes: Iterable[str], asked: Asked) -> set[frozenset[str]]:
    return {asked.index.issues[node].attributes.get(name, ANY) for node in nodes}


def _values_to_offer(name: str, nodes: Iterable[str], asked: Asked) -> tuple[str, ...]:
    """The values to choose from; where the question already implies a set, only values inside it."""
    within = asked.within.get(name)
    named = frozenset().union(*(_collect_value_sets(name, nodes, asked) - {ANY}))
    return tuple(sorted(named if within is None else named & within))


def _divides_candidates(name: str, top: TreeMatch, pool: Mapping[str, float], asked: Asked) -> bool:
    """Return whether candidates fix different values; where a node can be returned, a single value is no choice."""
    fixed = _collect_value_sets(name, pool, asked) - {ANY}
    return len(fixed) > (0 if top.issue is None else 1)


def information_gain(name: str, pool: Mapping[str, float], asked: Asked) -> float:
    """Return how many bits the answer gives about which candidate is meant: the mutual information of both.

    A candidate's weight is spread evenly over its values; one that holds for any value over all that are named.
    """
    values, total = _values_to_offer(name, pool, asked), sum(pool.values())
    if not values:
        return 0.0
    answers = dict.fromkeys(values, 0.0)
    conditional = 0.0
    for node, weight in pool.items():
        own = asked.index.issues[node].attributes.get(name, ANY)
        held = [v for v in values if own == ANY or v in own]
        for value in held:
            answers[value] += weight / total / len(held)
        conditional += weight / total * math.log2(max(1, len(held)))
    return -sum(p * math.log2(p) for p in answers.values() if p > 0) - conditional


def _changes_answer(name: str, top: TreeMatch, asked: Asked) -> bool:
    """Return whether answering leads to a node that shows other solutions than are shown without it."""
    if top.issue is None:
        return True
    now = _collect_contents(asked.shown(top.issue))
    fixing = (
        child.id
        for child in asked.index.forest.children(top.issue)
        if child.id in top.narrower and child.attributes.get(name, ANY) != ANY
    )
    return any(_collect_contents(asked.shown(node)) != now for node in fixing)


def _collect_contents(solutions: Iterable[Solution]) -> frozenset[object]:
    """Return what solutions say and for whom: the same steps for other customers are another answer."""
    return frozenset((s.steps or (s.text,), frozenset(s.attributes.items())) for s in solutions)


def plain_name(attribute: str) -> str:
    """Say an attribute's name as a person would: ``secondary_device`` is the secondary device."""
    return PLAIN_NAMES.get(attribute.casefold(), attribute.replace("_", " ").replace("-", " ").strip())


def wording(attribute: str, values: Sequence[str]) -> str:
    """Put the question in words; NONE reads as none."""
    spoken = [value for value in values if value != "NONE"] + (["none"] if "NONE" in values else [])
    name = plain_name(attribute)
    if len(spoken) == 1:
        return f"Is the {name} {spoken[0]}?"
    return f"Which {name} is it: {', '.join(spoken[:-1])} or {spoken[-1]}?"
