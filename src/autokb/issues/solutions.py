"""Solutions of nodes: what is asked for them, what is made of the answer, and what the rules leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import from_lists
from autokb.core.domain import DomainSpec
from autokb.core.ids import short_id
from autokb.core.nouns import Document, Evidence, Issue, Solution, Span
from autokb.core.solution_text import solution_text
from autokb.heuristics.solutions.solution import Excerpt, WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.issues.answering_sections import ScoredSpan
from autokb.issues.excerpts import EXCERPT, excerpt_span
from autokb.issues.safeguards import rules_request as rules_request  # given from here, too
from autokb.issues.safeguards import safeguard as safeguard
from autokb.text.conditional_markup import Conditional, find_conditionals
from autokb.text.markdown import section_at, sections


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """Where something was found: a document and all its windows as (start, end, cosine to the node)."""

    document: Document
    start: int
    end: int
    windows: Sequence[ScoredSpan]


def solutions_request(
    issue: Issue, spec: DomainSpec, found: Sequence[FoundPassage], most: int = EXCERPT
) -> WriteSolutions:
    """Ask for the solutions of a node; a hit finds the place in a document, the excerpt goes as far as its section.

    In paper mode a model reads at most some ``most`` characters around a hit.
    """
    excerpts: dict[tuple[str, Span], Excerpt] = {}
    for passage in found:
        span = excerpt_span(passage.document.text, passage.start, passage.end, most)
        key = (passage.document.id, span)
        if key not in excerpts:
            excerpts[key] = _cut_excerpt(passage, span)
    return _request(issue, spec, excerpts.values())


def shown_request(issue: Issue, spec: DomainSpec, shown: Sequence[FoundPassage]) -> WriteSolutions:
    """Ask a model for the solutions of a node from these passages as they are: the nodes of a tree have the same."""
    return _request(issue, spec, [_cut_excerpt(passage, (passage.start, passage.end)) for passage in shown])


def _request(issue: Issue, spec: DomainSpec, excerpts: Iterable[Excerpt]) -> WriteSolutions:
    return WriteSolutions(
        issue=issue.text,
        attributes=issue.attributes,
        domain=spec.in_words,
        configuration=spec.attributes,
        rules=tuple(rule.text for rule in spec.rules),
        excerpts=tuple(excerpts),
        language=spec.language,
    )


def _cut_excerpt(passage: FoundPassage, span: Span) -> Excerpt:
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
        switches=tuple(
            _move_conditional(s, start, end)
            for s in find_conditionals(document.text)
            if s.start < end and s.end > start
        ),
        windows=_move_spans(passage.windows, start, end),
        offset=start,
    )


def _move_spans(found: Sequence[ScoredSpan], start: int, end: int) -> tuple[ScoredSpan, ...]:
    """Return the spans that touch an excerpt as the excerpt has them."""
    touching = ((s, e, score) for s, e, score in found if s < end and e > start)
    return tuple((max(s, start) - start, min(e, end) - start, round(score, 3)) for s, e, score in touching)


def _move_conditional(conditional: Conditional, start: int, end: int) -> Conditional:
    """Return a conditional part as the excerpt has it; one that begins before it or ends after it covers that side."""

    def place(position: int) -> int:
        return min(max(position, start), end) - start

    inner = (place(conditional.inner[0]), place(conditional.inner[1]))
    return Conditional(place(conditional.start), place(conditional.end), inner, conditional.names, conditional.negated)


def solution_id(issue: str, path: Sequence[str]) -> str:
    """Return the id of a node's solution; the path is the cited document, the headings and which one it is there."""
    return short_id("solution", issue, *path)


@dataclass(frozen=True, slots=True)
class PathSolution:
    """A solution and what its id is made from beside its node."""

    solution: Solution
    path: tuple[str, ...]


def written_solutions(issue: Issue, request: WriteSolutions, reply: WrittenSolutions) -> tuple[PathSolution, ...]:
    """Turn the task's answer into solutions, best first, whose evidence points into the documents."""
    found: dict[tuple[str, ...], PathSolution] = {}
    for written in reply.solutions:
        path = (request.excerpts[written.excerpt].document, *written.headings, str(written.which))
        while path in found:  # the same headings are in one document twice
            path = (*path, "again")
        excerpts = [request.excerpts[written.excerpt_of(step)] for step in written.steps]
        evidence = (
            Evidence(e.document, e.offset + s.start, e.offset + s.end, s.quote)
            for e, s in zip(excerpts, written.steps, strict=True)
        )
        found[path] = PathSolution(as_solution(solution_id(issue.id, path), issue.id, written, tuple(evidence)), path)
    return tuple(found.values())


def section_solution(issue: Issue, document: str, written: WrittenSolution) -> PathSolution:
    """Return a section of a document as a solution of a node."""
    path = (document, *written.headings, str(written.which))
    solution = as_solution(solution_id(issue.id, path), issue.id, written, evidence_in(document, written))
    return PathSolution(solution, path)


def evidence_in(document: str, written: WrittenSolution) -> tuple[Evidence, ...]:
    """Return the places of the steps of a section in its document."""
    return tuple(Evidence(document, step.start, step.end, step.quote) for step in written.steps)


def as_solution(name: str, issue: str, written: WrittenSolution, evidence: tuple[Evidence, ...]) -> Solution:
    """Return what was written as a solution of a node, both by their ids."""
    steps = tuple(step.text for step in written.steps)
    return Solution(
        id=name,
        issue_id=issue,
        text=solution_text(written.title, steps, [one.quote for one in evidence]),
        steps=steps,
        attributes=from_lists(written.attributes),
        evidence=evidence,
        status=written.status,
        reason=written.reason,
    )


def verify_quotes(solution: Solution, documents: Mapping[str, Document]) -> tuple[str, ...]:
    """Return what is wrong with the evidence of a solution; nothing when every quote is where it says."""
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
