"""One clarifying question, asked only where the first document has different solutions for different customers."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from operator import itemgetter

from autokb.answering.present import Choice, Presentation
from autokb.core.attributes import ANY, NONE, Match, Values, plain_name
from autokb.core.domain import Attribute
from autokb.core.implications import implied_values
from autokb.core.nouns import Passage, Solution
from autokb.retrieval.candidates import cited_first, same_matter

TEMPERATURE = 0.05  # cosine; a solution this much less similar than the best counts 1/e of it
# Cosine of the question to the first solution, or to the node that shows it. Of 46 questions back over two sets of
# written questions 13 were below it, and 2 of these were justified.
NEAR_ENOUGH = 0.4
# Words; so few say less of what they mean, and are farther from what helps. Of six such messages with a cosine between
# ``NEAR_IF_SHORT`` and ``NEAR_ENOUGH`` five are rightly asked about, of longer ones 3 of 20 (it was chosen on these).
SHORT = 4
LEVEL = 1.5  # of the score: what is less far behind the first of a short message is as likely
NEAR_IF_SHORT = 0.3  # cosine, as ``NEAR_ENOUGH``
NEAR_SECTIONS = 10  # among which sections on other pages are alternatives


@dataclass(frozen=True, slots=True)
class Clarification:
    """The one question to ask back."""

    attribute: str
    values: tuple[str, ...]
    text: str


def clarify(shown: Presentation, first: Choice, warnings: Collection[int] = ()) -> Clarification | None:
    """Return the question that the first solution leaves open, or None where it holds whatever the answer is.

    Decision 2 of the design: a solution that fixes an attribute of which the question says nothing, beside others for
    other readers. Behind an introduction the best section for some readers decides; for a short message so it does
    behind one of the ``warnings``, which it did not call for. Where even that is far from the question, asking leads
    nowhere; where the customer asks for a fact, or has said for whom, it is needless.
    """
    behind = _behind_introduction(shown, first, warnings)
    decides = behind or first
    if shown.scored.evidence.asks_fact or _is_far(shown, decides):
        return None
    beside = _sections_beside(shown, decides)
    if any(_is_meant(shown, passage, decides) for passage in beside):
        return None
    pools = {name: _pool(name, decides, beside, shown) for name in _fixed(decides.solution, shown)}
    if behind is not None:
        pools |= _pools_of_unknown(beside, shown)
    gains = {name: information_gain(pool) for name, pool in pools.items()}
    best = max(gains, key=lambda name: (round(gains[name], 9), name), default=None)
    return ask_back(best, map(itemgetter(0), pools[best]), shown) if best is not None and gains[best] > 0 else None


def ask_back(name: str, found: Iterable[Values], shown: Presentation) -> Clarification:
    """Return the question for an attribute: with its values, or those that are ``found`` where it takes any."""
    attribute, within = shown.asked.index.attributes[name], shown.asked.within.get(name)
    values = attribute.values if attribute.kind == "closed" else sorted(frozenset().union(*found))
    offered = tuple(v for v in values if within is None or v in within)
    return Clarification(name, offered, wording(attribute, offered))


def _fixed(solution: Solution, shown: Presentation) -> list[str]:
    """Return what a solution fixes and the question leaves open, but for what follows from the rest of it."""
    fixed = {name: values for name in shown.asked.unknown if (values := _values(name, solution)) != ANY}
    implied = (implied_values({name: values}, shown.asked.index.attributes) for name, values in fixed.items())
    return sorted(fixed.keys() - {name for found in implied for name in found})


def _values(name: str, solution: Solution) -> Values:
    return solution.attributes.get(name, ANY)


def _behind_introduction(shown: Presentation, first: Choice, warnings: Collection[int]) -> Choice | None:
    """Return the best of what an article says behind its introduction where that is first, best for certain readers."""
    rows, introduction = shown.candidates.rows, shown.candidates.rows[first.row].passage
    behind = [choice for choice in shown.of_document(first.document) if choice.row != first.row]
    is_introduction = introduction is not None and introduction.role == "introduction"
    if not (is_introduction or _is_open(shown, first, behind, warnings)):
        return None
    return next(iter(sorted(behind, key=lambda c: not _names_readers_alone(rows[c.row].passage))), None)


def _is_open(shown: Presentation, first: Choice, behind: Iterable[Choice], warnings: Collection[int]) -> bool:
    """Return whether a short message has a warning first that it did not call for, or sections for several readers that
    are as likely as the first, which is for all.
    """
    if len(shown.scored.read.split()) > SHORT:
        return False
    level = (one for one in behind if shown.score(one) >= shown.score(first) - LEVEL)
    for_some = sum(_names_readers_alone(shown.candidates.rows[one.row].passage) for one in level)
    return first.row in warnings or (for_some > 1 and not _fixed(first.solution, shown))


def _names_readers_alone(passage: Passage | None) -> bool:
    """Return whether the headings below the article's say for whom a section is, and nothing else."""
    below = [word for words in passage.masked[passage.article :] for word in words] if passage else []
    return bool(below) and all(word.startswith("<") for word in below)


def _is_far(shown: Presentation, first: Choice) -> bool:
    node = first.tree.similarity if first.tree is not None else -1.0
    least = NEAR_ENOUGH if len(shown.scored.read.split()) > SHORT else NEAR_IF_SHORT
    return max(node, shown.cosine(first.solution)) < least


def _is_meant(shown: Presentation, solution: Solution, first: Choice) -> bool:
    """Return whether the question says all by which the readers of a section of the same level are told from others."""
    section, other = (shown.candidates.section_of(s) for s in (first.solution, solution))
    if section is None or other is None or len(section.headings) != len(other.headings):
        return False
    return bool(other.distinguishes) and all(name in shown.asked.attributes for name in other.distinguishes)


def _pool(name: str, first: Choice, beside: Sequence[Solution], shown: Presentation) -> list[tuple[Values, float]]:
    """Return a solution's values of an attribute, and those of others that hold where it does not, with weights.

    What its document fixes for all readers distinguishes it from other documents alone.
    """
    own, section = first.solution, shown.candidates.section_of(first.solution)
    others = [*_on_other_pages(shown, section)] if section is not None else []
    if section is None or _values(name, section.solution) == ANY or name in section.distinguishes:
        others += [*beside, *_children_beside(shown, first)]
    return _weighed([(own, _values(name, own)), *((s, _values_apart(name, own, s, shown)) for s in others)], shown)


def _values_apart(name: str, own: Solution, other: Solution, shown: Presentation) -> Values:
    """Return for which values another solution counts where one is not meant: ANY where it is for the same readers.

    What is for others by another attribute counts for all that the one leaves.
    """
    values, theirs = _values(name, own), _values(name, other)
    if theirs != ANY:
        return theirs if theirs - values else ANY
    if all(_values(n, other) == ANY or _values(n, own) != ANY for n in shown.asked.unknown):
        return ANY
    return frozenset(shown.asked.index.attributes[name].values) - values or NONE


def _sections_beside(shown: Presentation, first: Choice) -> list[Solution]:
    """Return what the document of a solution says about the same matter, also to other readers."""
    section = shown.candidates.section_of(first.solution)
    others = [p.solution for p in shown.candidates.about_the_same(section)] if section is not None else []
    return [s for s in others if shown.asked.match(s.id) is not Match.CONFLICT]


def _on_other_pages(shown: Presentation, section: Passage) -> Iterator[Solution]:
    """Give the sections of other documents near the question whose headings are about the same matter."""
    for choice in islice(shown.distinct(), NEAR_SECTIONS):
        passage = shown.candidates.rows[choice.row].passage
        if passage is not None and choice.document != cited_first(section.solution) and same_matter(passage, section):
            yield passage.solution


def _children_beside(shown: Presentation, first: Choice) -> list[Solution]:
    """Return what the open children of an accepted node show where the node itself shows nothing for everybody."""
    tree, asked = first.tree, shown.asked
    if tree is None or tree.issue is None:
        return []
    own = (tree.issue, *(a.id for a in asked.index.forest.ancestors(tree.issue)))
    if first.solution.issue_id in own or any(shown.holds_for_all(s) for issue in own for s in asked.shown(issue)):
        return []
    return [c.solution for c in shown.of_document(first.document) if c.tree is tree]


def _weighed(found: Sequence[tuple[Solution, Values]], shown: Presentation) -> list[tuple[Values, float]]:
    """Return the values for which solutions count, each with how near the solution is to the question.

    Solutions with the same steps are one, for all their values together: which of these it is changes nothing.
    """
    values_of: dict[tuple[str, ...], Values] = {}
    nearest: dict[tuple[str, ...], float] = {}
    for solution, values in found:
        if values == ANY:
            continue
        steps = solution.steps
        values_of[steps] = values_of.get(steps, frozenset()) | values
        nearest[steps] = max(nearest.get(steps, -1.0), shown.cosine(solution))
    best = max(nearest.values(), default=0.0)
    return [(values, math.exp((nearest[steps] - best) / TEMPERATURE)) for steps, values in values_of.items()]


def _pools_of_unknown(beside: Sequence[Solution], shown: Presentation) -> dict[str, list[tuple[Values, float]]]:
    """Return the values that solutions have of each attribute of which the question says nothing, where they differ."""
    found = {name: _weighed([(s, _values(name, s)) for s in beside], shown) for name in shown.asked.unknown}
    return {name: pool for name, pool in found.items() if len(pool) > 1}


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
