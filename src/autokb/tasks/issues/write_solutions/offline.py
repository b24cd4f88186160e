"""Solutions without a model: the manuals' own steps around what was found, for the node's own attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from autokb.core.attributes import ANY, Attributes, Match, as_lists, compare
from autokb.core.ids import canonical_json
from autokb.core.nouns import Span
from autokb.tasks.issues.write_solutions.material import NOWHERE, Material, materials
from autokb.tasks.issues.write_solutions.platforms import Reader, label, reader, tailored
from autokb.tasks.issues.write_solutions.shapes import Excerpt, Step, WriteSolutions, Written, WrittenSolutions
from autokb.text.conditional_markup import Switch
from autokb.text.content_words import content_words

FLOOR = 0.40  # cosine to the issue with what shared words add; below it nothing fits
NEAR = 0.12  # how far behind the best a further solution may be
MOST = 5
MOST_OF_A_DOCUMENT = 2
ANSWERS = 0.05  # what plain prose must be nearer than steps
PREAMBLE = 0.08  # and what stands before all headings, which mostly says what an article is about
NARROWER = 0.03
THIN = 0.03
THIN_LENGTH = 90  # characters of a lone step that helps few
IN_HEADING = 0.10  # what words of the issue in heading and introduction are worth at most
IN_TEXT = 0.05  # and in the steps
NEWER = 0.02  # what a later version in the switches around is worth
MOST_TOLD = 12  # steps of prose and bullets that are taken whole
MOST_AT_HIT = 6  # and of more than that, those at the best window
SHORT_HEADING = 2  # words that name something
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Material of one excerpt, for whom it is written and how near it is to the issue."""

    excerpt: int
    material: Material
    attributes: Attributes
    similarity: float
    score: float


def answer(item: WriteSolutions) -> WrittenSolutions:
    """Return the solutions of a node, best first."""
    read = reader(item.configuration)
    node = read.settled(item.attributes)
    words = content_words(item.issue) - content_words(item.domain)
    found = [c for n, excerpt in enumerate(item.excerpts) for c in _candidates(n, excerpt, node, words, read)]
    written: list[Written] = []
    seen: set[tuple[str, ...]] = set()
    taken: dict[tuple[str, str], int] = {}
    best = max((c.score - item.excerpts[c.excerpt].lift for c in found), default=0.0)
    for candidate in sorted(found, key=_rank):
        excerpt = item.excerpts[candidate.excerpt]
        if len(written) == MOST or candidate.score < best - NEAR:
            break
        # what a document says for other customers each is no repetition, so a wide node gets every platform's steps
        kind = (excerpt.document, canonical_json(as_lists(candidate.attributes)))
        if taken.get(kind, 0) == MOST_OF_A_DOCUMENT:
            continue
        solution = _write(candidate, excerpt, node, read)
        steps = tuple(s.text for s in solution.steps) if solution else ()
        if solution and steps not in seen:
            seen.add(steps)
            taken[kind] = taken.get(kind, 0) + 1
            written.append(solution)
    return WrittenSolutions(solutions=tuple(written))


def _rank(candidate: _Candidate) -> tuple[float, int, Span]:
    return (-round(candidate.score, 4), candidate.excerpt, candidate.material.place)


def _candidates(
    number: int, excerpt: Excerpt, node: Attributes, words: frozenset[str], read: Reader
) -> Iterator[_Candidate]:
    """Give what fits the node; what is written for others hands its nearness to its siblings for the node."""
    found = materials(excerpt.text, excerpt.title, excerpt.headings)
    said = [_said(material, excerpt, read) for material in found]
    near = [_similarity(material.place, excerpt.windows) for material in found]
    for position, material in enumerate(found):
        if read.against(said[position], node):
            continue
        similarity = near[position]
        for other, sibling in enumerate(found):
            if sibling.parent == material.parent and read.against(said[other], node) and said[position]:
                similarity = max(similarity, near[other] - 0.01)
        likely = similarity + excerpt.lift + _shared(words, material, excerpt.text)
        if likely >= FLOOR:
            score = likely - _doubt(material, found, said[position], node)
            score += _newer(_around(material, excerpt.switches))
            yield _Candidate(number, material, said[position], similarity, score)


def _doubt(material: Material, found: Sequence[Material], said: Attributes, node: Attributes) -> float:
    """Return what speaks against material: plain prose, a preamble, a case narrower than the node's, one short step."""
    preamble = not material.headings and len(found) > 1 and material.kind != "ordered"
    narrower = any(name not in node for name in said)
    thin = len(material.steps) == 1 and material.steps[0][1] - material.steps[0][0] < THIN_LENGTH
    return ANSWERS * (material.kind == "answer") + PREAMBLE * preamble + NARROWER * narrower + THIN * thin


def _newer(switches: Sequence[Switch]) -> float:
    """Return what a later version in the switches around is worth: ``win10`` stands before ``win7``."""
    version = max(_versions(switches), default=0)
    return NEWER * version / (version + 10)


def _similarity(place: Span, windows: Sequence[tuple[int, int, float]]) -> float:
    """Return the best cosine of the windows over a place; one that hardly touches it counts less."""
    best = 0.0
    for start, end, cosine in windows:
        overlap = min(end, place[1]) - max(start, place[0])
        if overlap > 0:
            share = overlap / max(1, min(end - start, place[1] - place[0]))
            best = max(best, cosine - 0.1 * (1 - min(1.0, share)))
    return best


def _shared(words: frozenset[str], material: Material, text: str) -> float:
    """Return what the words that issue and material share are worth."""
    named = content_words(" ".join((*material.headings[-1:], material.introduction)))
    steps = content_words(text[material.steps[0][0] : material.steps[-1][1]])
    in_heading = len(words & named) / len(named) if named else 0.0
    return IN_HEADING * in_heading + (IN_TEXT * len(words & steps) / len(words) if words else 0.0)


def _said(material: Material, excerpt: Excerpt, read: Reader) -> Attributes:
    """Return for whom material is written: switches around it, else its introduction, headings, title."""
    said: dict[str, frozenset[str]] = {}
    sources = [read.switched(s.names, s.negated) for s in _around(material, excerpt.switches)]
    sources += [read.said(text) for text in (material.introduction, *reversed(material.headings), excerpt.title)]
    for source in sources:
        for name, values in source.items():
            said.setdefault(name, values)
    return said


def _around(material: Material, switches: Sequence[Switch]) -> list[Switch]:
    """Return the switches that hold all steps, the innermost first."""
    first, last = material.steps[0][0], material.steps[-1][1]
    return [s for s in reversed(switches) if s.start <= first and s.end >= last]


def _write(candidate: _Candidate, excerpt: Excerpt, node: Attributes, read: Reader) -> Written | None:
    steps: list[Step] = []
    narrowed: set[str] = set()
    around = _around(candidate.material, excerpt.switches)
    switches = [s for s in excerpt.switches if s not in around]
    for start, end in _around_hit(candidate.material, excerpt.windows):
        reads = tailored(excerpt.text, (start, end), switches, node, read)
        narrowed |= reads.narrowed
        if reads.text:
            steps.append(Step(text=reads.text, start=start, end=end, quote=excerpt.text[start:end]))
    attributes = {name: candidate.attributes.get(name, ANY) for name in read.names}
    for name, values in read.settled(candidate.attributes).items():
        attributes[name] = read.spec.attributes[name].normal(values)
    for name in narrowed & set(node):
        if attributes[name] == ANY:
            attributes[name] = node[name]
    attributes |= {n: v for n, v in _named_by_steps(steps, read).items() if attributes[n] == ANY}
    if not steps or compare(attributes, node, read.names) is Match.CONFLICT:
        return None
    material = candidate.material
    return Written(
        excerpt=candidate.excerpt,
        title=_title(material, excerpt, node, read),
        headings=material.headings,
        which=material.which,
        steps=tuple(steps),
        attributes=as_lists(attributes),
        similarity=round(candidate.similarity, 4),
    )


def _named_by_steps(steps: Sequence[Step], read: Reader) -> Attributes:
    """Return the one value that at least half of the steps name and none names otherwise; in passing is not enough."""
    found: dict[str, list[frozenset[str]]] = {}
    for step in steps:
        for name, values in read.said(step.text).items():
            found.setdefault(name, []).append(values)
    return {
        name: values[0]
        for name, values in found.items()
        if len(set(values)) == 1 and len(values[0]) == 1 and 2 * len(values) >= len(steps) and values[0] != ANY
    }


def _around_hit(material: Material, windows: Sequence[tuple[int, int, float]]) -> Sequence[Span]:
    """Return the steps; of prose that goes on and on only those at the best window. An ordered list is never cut."""
    steps = material.steps
    if material.kind == "ordered" or len(steps) <= MOST_TOLD:
        return steps
    inside = [w for w in windows if w[0] < steps[-1][1] and w[1] > steps[0][0]]
    start, end, _ = max(inside, key=lambda w: (w[2], -w[0]), default=(*steps[0], 0.0))
    at = [n for n, step in enumerate(steps) if step[0] < end and step[1] > start]
    return steps[at[0] : at[0] + MOST_AT_HIT] if at else steps[:MOST_AT_HIT]


def _title(material: Material, excerpt: Excerpt, node: Attributes, read: Reader) -> str:
    """Return the title; one that only says for whom (``Adults``, ``On Android``) has what stands above it in front."""
    title = material.title
    around = _around(material, excerpt.switches)
    inside = [s for s in excerpt.switches if s not in around and s.start < material.titled[1]]
    if material.titled != NOWHERE and inside:
        reads = tailored(excerpt.text, material.titled, inside, node, read)
        title = " ".join(reads.text.split()) or title
    title = title.rstrip(" .:：")
    above = material.headings[-2] if len(material.headings) > 1 else excerpt.title
    if title == (material.headings or ("",))[-1] and len(content_words(title)) <= SHORT_HEADING and read.said(title):
        title = f"{above}: {title}" if above else title
    labels = [label(s) for s in around if _unsettled(s, node, read)]
    return f"{title} ({'; '.join(labels)})" if labels else title


def _unsettled(switch: Switch, node: Attributes, read: Reader) -> bool:
    """Return whether a switch says more than the node: an attribute it leaves open, or a version."""
    return bool(set(read.switched(switch.names, switch.negated)) - set(node)) or bool(_versions([switch]))


def _versions(switches: Sequence[Switch]) -> list[int]:
    return [int(number) for s in switches for name in s.names for number in _NUMBER.findall(name)]
