"""Passages: the sections of a document as answers, for questions that no node of the knowledge base fits."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Chunk, Document, Issue, Passage, Solution, Span
from autokb.core.regex_timeout import SlowPatternError
from autokb.heuristics.section_roles import is_bookkeeping, roles_of
from autokb.heuristics.solutions.audience import mask_values
from autokb.heuristics.solutions.solution import WrittenSolution, section_id
from autokb.heuristics.solutions.write import write_passages
from autokb.issues.safeguards import rules_request, safeguard
from autokb.issues.solutions import as_solution, evidence_in, verify_quotes
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.text.lexicon import text_attributes
from autokb.text.markdown import section_at, sections
from autokb.text.plain_text import plain_text

SECTION_CHARACTERS = 1_500  # of a section that are searched; the encoder reads its first 256 tokens


def document_passages(document: Document, chunks: Sequence[Chunk], spec: DomainSpec) -> tuple[Passage, ...]:
    """Return what a document says, section by section, each with its quotes and checked by the rules' patterns.

    What stands in no chunk is noise. No model is asked: a passage is made for each section of each document, whether
    anybody ever needs it or not.
    """
    kept = _merged(span for chunk in chunks for span in chunk.spans)
    made = (_passage(document, one, kept, spec) for one in write_passages(document, spec))
    found: dict[str, Passage] = {}
    for one in filter(None, made):
        found.setdefault(one.solution.id, one)
    passages = [p for p in found.values() if not is_bookkeeping(p.solution.steps, spec.language)]
    roles = roles_of([(p.headings, len(p.solution.steps)) for p in passages], spec.language)
    return tuple(replace(p, role=role, article=n) for p, (role, n) in zip(passages, roles, strict=True))


def _passage(document: Document, one: WrittenSolution, kept: Sequence[Span], spec: DomainSpec) -> Passage | None:
    """Return a section as a passage, None for noise and where a quote does not stand in the document."""
    name = section_id(document.id, one.headings, one.which)
    solution = as_solution(name, "", one, evidence_in(document.id, one))
    is_noise = not any(_overlaps(kept, e.start, e.end) for e in solution.evidence)
    if is_noise or verify_quotes(solution, {document.id: document}):
        return None
    headings = one.headings or (document.title,)
    section = _section_text(document, solution.evidence[0].start)
    title = text_attributes(headings[0] if len(headings) > 1 else document.title, spec)
    fixed = (n for n, values in solution.attributes.items() if values not in (ANY, title.get(n)))
    masked = tuple(mask_values(heading, spec) for heading in headings)
    return Passage(headings, _checked(solution, one.title, spec), tuple(sorted(fixed)), masked, section)


def _checked(solution: Solution, title: str, spec: DomainSpec) -> Solution:
    """Return what the rules leave of a passage; withheld where a pattern is so slow that nobody can check it."""
    try:
        verdicts = CHECK_RULES.answer_offline(rules_request(solution, Issue("", title, None, {}), spec))
    except SlowPatternError as error:
        return replace(solution, status="withheld", reason=str(error))
    return safeguard(solution, verdicts, spec.language)


def _section_text(document: Document, place: int) -> str:
    """Return the words of the section at a place, its heading first."""
    found = sections(document.text)
    section = found[section_at(found, place)]
    return plain_text(document.text[section.start : section.own_end], images=False)[:SECTION_CHARACTERS]


def _merged(spans: Iterable[Span]) -> list[Span]:
    """Return the places that spans cover, in order and apart from each other; chunks of some methods overlap."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _overlaps(spans: Sequence[Span], start: int, end: int) -> bool:
    """Return whether a place touches one of the spans, which are in order and do not overlap."""
    before = bisect_left(spans, (end, 0))  # the first span that begins behind the place
    return before > 0 and spans[before - 1][1] > start
