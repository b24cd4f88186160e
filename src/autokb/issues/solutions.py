"""Solutions of nodes: what is asked for them, what is made of the answer, and what the rules leave of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from autokb.issues.safeguards import rules_request, safeguard
from autokb.issues.wording import solution_text
from autokb.knowledge.attributes import from_lists
from autokb.knowledge.domain import DomainSpec
from autokb.knowledge.ids import short_id
from autokb.knowledge.markdown import parse_blocks, section_at, sections
from autokb.knowledge.nouns import Document, Evidence, Issue, Solution, Span
from autokb.knowledge.switches import Switch, find_switches
from autokb.tasks.issues.write_solutions.task import Excerpt, WriteSolutions, WrittenSolutions

__all__ = ["FoundPassage", "rules_request", "safeguard", "solutions_request", "verify_quotes", "written_solutions"]

EXCERPT = 8_000  # characters of a document around a hit; a section or a list that is longer stays whole


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """Where something was found: a document and all its windows as (start, end, cosine to the node).

    ``lift`` is what speaks for the document beside its words (what helped others), in cosine.
    """

    document: Document
    start: int
    end: int
    windows: tuple[tuple[int, int, float], ...]
    lift: float = 0.0


def solutions_request(issue: Issue, spec: DomainSpec, found: Sequence[FoundPassage]) -> WriteSolutions:
    """Ask for the solutions of a node; a hit finds the place in a document, the excerpt goes as far as its section."""
    excerpts: dict[tuple[str, Span], Excerpt] = {}
    for passage in found:
        span = _excerpt_span(passage.document.text, passage.start, passage.end)
        key = (passage.document.id, span)
        if key not in excerpts:
            excerpts[key] = _excerpt(passage, span)
    return WriteSolutions(
        issue=issue.text,
        attributes=issue.attributes,
        domain=spec.description or spec.name,
        configuration=spec.attributes,
        rules=tuple(rule.text for rule in spec.rules),
        excerpts=tuple(excerpts.values()),
    )


def _excerpt(passage: FoundPassage, span: Span) -> Excerpt:
    document, (start, end) = passage.document, span
    found = sections(document.text)
    number = section_at(found, start)
    above = found[number].headings
    if found[number].start == start or number == 0:
        above = above[:-1]
    return Excerpt(
        document=document.id,
        title=document.title,
        headings=above,
        text=document.text[start:end],
        switches=tuple(_moved(s, start, end) for s in find_switches(document.text) if s.start < end and s.end > start),
        windows=tuple(
            (max(s, start) - start, min(e, end) - start, round(cosine, 3))
            for s, e, cosine in passage.windows
            if s < end and e > start
        ),
        lift=round(passage.lift, 3),
        offset=start,
    )


def _moved(switch: Switch, start: int, end: int) -> Switch:
    """Return a switch as the excerpt has it; one that begins before or ends after it covers all of that side."""

    def place(position: int) -> int:
        return min(max(position, start), end) - start

    inner = (place(switch.inner[0]), place(switch.inner[1]))
    return Switch(place(switch.start), place(switch.end), inner, switch.names, switch.negated)


def _excerpt_span(text: str, start: int, end: int) -> Span:
    """Return the widest section around a place that is not too long; of a long one, the blocks around the place."""
    found = sections(text)
    number = section_at(found, (start + end) // 2)
    if found[number].own_end - found[number].start > EXCERPT:
        return _blocks_around(text, (found[number].start, found[number].own_end), (start + end) // 2)
    span = (found[number].start, found[number].own_end)
    here: int | None = number
    while here is not None and found[here].end - found[here].start <= EXCERPT:
        span = (found[here].start, found[here].end)
        here = found[here].parent
    return span


def _blocks_around(text: str, section: Span, place: int) -> Span:
    blocks = [
        b for b in parse_blocks(text) if section[0] <= b.start < section[1] and (b.kind != "item" or b.level == 1)
    ]
    near = [b for b in blocks if b.end > place - EXCERPT // 2 and b.start < place + EXCERPT // 2]
    lists = {b.list_id for b in near if b.kind == "item"}
    near += [b for b in blocks if b.list_id in lists]
    if not near:
        return section
    start, end = min(b.start for b in near), max(b.end for b in near)
    return (start, end) if lists else _clipped(text, start, end, place)


def _clipped(text: str, start: int, end: int, place: int) -> Span:
    """Return the part of endless prose around a place, from white space to white space where there is some."""
    first, last = max(start, place - EXCERPT // 2), min(end, place + EXCERPT // 2)
    if first > start:
        first = max(first, text.find(" ", first, place) + 1)
    if last < end:
        last = max(text.rfind(" ", place, last), place + 1)
    return first, last


def written_solutions(issue: Issue, request: WriteSolutions, reply: WrittenSolutions) -> tuple[Solution, ...]:
    """Turn the room's answer into solutions whose evidence points into the documents."""
    return tuple(_solutions(issue, request, reply))


def _solutions(issue: Issue, request: WriteSolutions, reply: WrittenSolutions) -> Iterator[Solution]:
    used: set[str] = set()
    for written in reply.solutions:
        excerpt = request.excerpts[written.excerpt]
        parts = (issue.id, excerpt.document, *written.headings, str(written.which))
        solution_id = short_id("solution", *parts)
        while solution_id in used:  # the same headings stand twice in one document
            parts = (*parts, "again")
            solution_id = short_id("solution", *parts)
        used.add(solution_id)
        steps = tuple(step.text for step in written.steps)
        yield Solution(
            id=solution_id,
            issue_id=issue.id,
            text=solution_text(written.title, steps),
            steps=steps,
            attributes=from_lists(written.attributes),
            evidence=tuple(
                Evidence(excerpt.document, excerpt.offset + s.start, excerpt.offset + s.end, s.quote)
                for s in written.steps
            ),
        )


def verify_quotes(solution: Solution, documents: Mapping[str, Document]) -> tuple[str, ...]:
    """Return what is wrong with the evidence of a solution; nothing when every quote stands where it says."""
    wrong: list[str] = []
    if len(solution.evidence) != len(solution.steps):
        wrong.append(f"{len(solution.steps)} steps have {len(solution.evidence)} pieces of evidence")
    for evidence in solution.evidence:
        document = documents.get(evidence.document)
        if document is None:
            wrong.append(f"the document {evidence.document} is not there")
        elif not evidence.quote or document.text[evidence.start : evidence.end] != evidence.quote:
            wrong.append(f"{evidence.document} does not say {evidence.quote[:60]!r} at {evidence.start}")
    return tuple(wrong)
