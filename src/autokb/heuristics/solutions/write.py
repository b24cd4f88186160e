"""Solutions by rules: the manuals' own steps, as the customers with a node's attributes read them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from autokb.core.attributes import ANY, Attributes, Match, as_lists, compare
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Document, Span
from autokb.core.step_numbers import find_loss, step_numbers
from autokb.heuristics.solutions.audience import AudienceReader, adapt_to_node, audience_reader, conditional_label
from autokb.heuristics.solutions.direction import makes_worse
from autokb.heuristics.solutions.material import materials
from autokb.heuristics.solutions.procedures import without_missing
from autokb.heuristics.solutions.section_reader import NOWHERE, Material
from autokb.heuristics.solutions.solution import (
    Excerpt,
    Step,
    WriteSolutions,
    WrittenSolution,
    WrittenSolutions,
    section_id,
)
from autokb.text.conditional_markup import Conditional, find_conditionals
from autokb.text.words import content_words

SHORT_HEADING = 2  # words that name something; so short a heading that names an audience says nothing else

FLOOR = 0.40  # cosine of a window, below which nothing fits
PARTIAL_LOSS = 0.1  # what a window loses that hardly touches the material
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
_NEXT_ITEM = re.compile(r"\s*\n([ \t]*)(?:[-*+]|\d{1,9}[.)])\s")
_NUMBER = re.compile(r"\d{1,4}")


@dataclass(frozen=True)
class _Candidate:
    """Material of one excerpt, for whom it is written and how near its windows are."""

    number: int  # of the excerpt
    excerpt: Excerpt
    material: Material
    reader: AudienceReader
    score: float = 0.0

    @cached_property
    def conditionals_around(self) -> list[Conditional]:
        """The conditional parts that hold all steps, the innermost first."""
        first, last = self.material.core
        return [s for s in reversed(self.excerpt.switches) if s.start <= first and s.end >= last]

    @cached_property
    def audience(self) -> Attributes:
        """For whom it is written: by the conditional parts around it, else its introduction, headings, title."""
        audience: dict[str, frozenset[str]] = {}
        sources = [self.reader.of_conditional(conditional) for conditional in self.conditionals_around]
        texts = (self.material.introduction, *reversed(self.material.headings), self.excerpt.title)
        for source in (*sources, *map(self.reader.of_text, texts)):
            for name, values in source.items():
                audience.setdefault(name, values)
        return audience


def write_solutions(item: WriteSolutions) -> WrittenSolutions:
    """Return what a node's windows are near, best first: what a plan expects of a model."""
    reader = audience_reader(item.configuration, item.language)
    node = reader.with_implied_values(item.attributes)
    found = [
        candidate
        for n, excerpt in enumerate(item.excerpts)
        for candidate in _candidates(n, excerpt, reader)
        if not reader.excludes(candidate.audience, node)
        and not makes_worse(item.issue, (excerpt.text[s:e] for s, e in candidate.material.steps), item.language)
    ]
    found.sort(key=lambda c: (-round(c.score, 4), c.number, c.material.place))
    written = (_write(candidate, node) for candidate in found)
    return WrittenSolutions(solutions=tuple(filter(None, written)))


def write_section(document: Document, section: str, attributes: Attributes, spec: DomainSpec) -> WrittenSolution | None:
    """Return a section of a document, by its id, as the customers with these values read it.

    None where it is for others.
    """
    reader = audience_reader(spec.attributes, spec.language)
    node = reader.with_implied_values(attributes)
    material = instructing_sections(document, spec.language).get(section)
    if material is None:
        whole = materials(document.text, document.title, (), spec.language, whole=True)
        material = next((m for m in whole if section_id(document.id, m.headings, m.which) == section), None)
    if material is None:
        return None
    candidate = _Candidate(0, _whole(document), material, reader)
    return None if reader.excludes(candidate.audience, node) else _write(candidate, node)


@lru_cache(maxsize=512)
def instructing_sections(document: Document, language: str) -> Mapping[str, Material]:
    """Return what of a document tells its readers what to do or answers their question, by the ids of its sections."""
    found = materials(document.text, document.title, (), language)
    return {section_id(document.id, m.headings, m.which): m for m in found}


def _whole(document: Document) -> Excerpt:
    return Excerpt(document.id, document.title, (), document.text, tuple(find_conditionals(document.text)))


def write_passages(document: Document, spec: DomainSpec) -> tuple[WrittenSolution, ...]:
    """Return everything that a document instructs, answers or explains, in its order, as all its readers see it.

    Nothing is left out for want of nearness, and no prose is cut: a passage answers where no node does.
    """
    reader, excerpt = audience_reader(spec.attributes, spec.language), _whole(document)
    found = materials(document.text, document.title, (), spec.language, whole=True)
    written = (_write(_Candidate(0, excerpt, material, reader), {}) for material in found)
    return tuple(filter(None, written))


def _candidates(number: int, excerpt: Excerpt, reader: AudienceReader) -> Iterator[_Candidate]:
    """Give what of an excerpt instructs or answers, and is near."""
    for material in materials(excerpt.text, excerpt.title, excerpt.headings, reader.spec.language):
        if (score := _similarity(material.place, excerpt.windows)) >= FLOOR:
            yield _Candidate(number, excerpt, material, reader, score)


def _similarity(place: Span, windows: Sequence[tuple[int, int, float]]) -> float:
    """Return the best cosine of the windows over a place; one that hardly touches it counts less."""
    best = 0.0
    for start, end, cosine in windows:
        overlap = min(end, place[1]) - max(start, place[0])
        if overlap > 0:
            share = overlap / max(1, min(end - start, place[1] - place[0]))
            best = max(best, cosine - PARTIAL_LOSS * (1 - min(1.0, share)))
    return best


# Complex: a step is kept, reworded, or left out with its reason, and all three change what is returned.
def _write(candidate: _Candidate, node: Attributes) -> WrittenSolution | None:
    """Return a candidate as a solution of the node; None where nothing of it holds for the node."""
    excerpt, material, reader = candidate.excerpt, candidate.material, candidate.reader
    narrowed: set[str] = set()
    left_out: list[str] = []
    quotes = [excerpt.text[start:end] for start, end in material.steps]
    kept: dict[int, Step] = {}
    others: list[int] = []
    switches = [s for s in excerpt.switches if s not in candidate.conditionals_around]
    for n, (start, end) in enumerate(material.steps):
        reads = adapt_to_node(excerpt.text, (start, end), switches, _readers(candidate, start, node), reader)
        narrowed |= reads.narrowed
        missing = [words for span, words in material.missing if span == (start, end)]
        text = without_missing(reads.text, missing, reader.spec.language)
        if text:
            text = _with_end(text, excerpt.text, (start, end))
            kept[n] = Step(text=text, start=start, end=end, quote=quotes[n])
        elif text is None:
            left_out.append(
                f"Left out a step that refers to something else (“{missing[-1].strip()}”), which is not here."
            )
        else:
            others.append(n)
    steps = tuple(kept.values())
    attributes = _attributes(candidate, steps, narrowed, node)
    if not steps or compare(attributes, node, reader.names) is Match.CONFLICT:
        return None
    some = [n for n, step in kept.items() if reader.is_for_some(step.text, (step.start, step.end), switches)]
    loss = find_loss(step_numbers([""] * len(quotes), quotes), kept, others, some)
    return WrittenSolution(
        excerpt=candidate.number,
        title=_title(candidate, node),
        headings=material.headings,
        which=material.which,
        steps=steps,
        attributes=as_lists(attributes),
        similarity=round(candidate.score, 4),
        status="withheld" if loss else "repaired" if left_out else "displayed",
        reason=" ".join(filter(None, (*left_out, loss))),
    )


def _readers(candidate: _Candidate, start: int, node: Attributes) -> Attributes:
    """Return for whom a step is read: the node, and where the step is brought from elsewhere, what its list is for.

    A passage, whose excerpt is a whole document, keeps all that is brought, for it is found by its places.
    """
    first, last = candidate.material.core
    if not candidate.excerpt.windows or first <= start < last:
        return node
    reader = candidate.reader
    around = {n: values for s in candidate.conditionals_around for n, values in reader.of_conditional(s).items()}
    return {**node, **reader.with_implied_values(around)}


def _with_end(text: str, source: str, item: Span) -> str:
    """Return the text of an item, with an end where it announces a picture: no further item follows its place."""
    if not text.endswith((":", "：")) or not _ITEM.match(source, item[0]):
        return text
    following = _NEXT_ITEM.match(source, item[1])
    is_last = following is None or len(following[1]) <= item[0] - (source.rfind("\n", 0, item[0]) + 1)
    return text[:-1] + "." if is_last else text


def _attributes(candidate: _Candidate, steps: Sequence[Step], narrowed: set[str], node: Attributes) -> Attributes:
    """Return for whom a solution holds: its audience, the node where words for others were left out, its steps."""
    reader = candidate.reader
    attributes = {name: candidate.audience.get(name, ANY) for name in reader.names}
    for name, values in reader.with_implied_values(candidate.audience).items():
        attributes[name] = reader.spec.attributes[name].normal(values)
    for name in narrowed & node.keys():
        if attributes[name] == ANY:
            attributes[name] = node[name]
    named = _values_in_every_step(steps, reader)
    return attributes | {name: values for name, values in named.items() if attributes[name] == ANY}


def _values_in_every_step(steps: Sequence[Step], reader: AudienceReader) -> Attributes:
    """Return by attribute the one value that every step names; a lone step must name it in its opening condition.

    What some steps name, or a lone one in passing, is an example, an exception or a menu's name (Headphone Safety).
    """
    named = [reader.of_text(step.text) for step in steps]
    if len(steps) == 1:
        named.append(reader.of_condition(steps[0].text))
    first = named[0] if named else {}
    return {
        name: values
        for name, values in first.items()
        if len(values) == 1 and values != ANY and all(other.get(name) == values for other in named)
    }


def _title(candidate: _Candidate, node: Attributes) -> str:
    """Return the title; one that only says for whom (``Adults``, ``On Android``) has the heading above it in front."""
    material, around, reader = candidate.material, candidate.conditionals_around, candidate.reader
    title = _tailored_title(candidate, node)
    is_heading = title == (material.headings or ("",))[-1]
    is_short = len(content_words(title, reader.spec.language)) <= SHORT_HEADING
    if is_heading and is_short and reader.of_text(title):
        above = material.headings[-2] if len(material.headings) > 1 else candidate.excerpt.title
        title = ": ".join(filter(None, dict.fromkeys((above, title))))
    # A conditional part is named where it says more than the node: an attribute that is left open there, or a version.
    labels = [
        conditional_label(s, reader) for s in around if reader.of_conditional(s).keys() - node.keys() or _has_number(s)
    ]
    return f"{title} ({'; '.join(labels)})" if labels else title


def _tailored_title(candidate: _Candidate, node: Attributes) -> str:
    """Return the material's title as the node reads it, without punctuation at its end."""
    excerpt, span = candidate.excerpt, candidate.material.title_span
    inside = [s for s in excerpt.switches if s not in candidate.conditionals_around and s.start < span[1]]
    title = ""
    if span != NOWHERE and inside:
        title = " ".join(adapt_to_node(excerpt.text, span, inside, node, candidate.reader).text.split())
    return (title or candidate.material.title).rstrip(" .:：")


def _has_number(conditional: Conditional) -> bool:
    return any(map(_NUMBER.search, conditional.names))
