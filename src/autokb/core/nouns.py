"""What the product talks about. Spans are half-open ``[start, end)`` in code points of the document's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from autokb.core.attributes import Attributes

Span = tuple[int, int]
Status = Literal["displayed", "repaired", "withheld", "rejected", "approved"]
VerdictName = Literal["kept", "broken", "not applicable", "not judged"]
DISPLAYED: frozenset[str] = frozenset({"displayed", "repaired", "approved"})


@dataclass(frozen=True, slots=True)
class Document:
    """One manual page; ``text`` is its converted Markdown, which every span refers to."""

    id: str
    title: str
    text: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class RawIssue:
    """What one customer wrote; ``resolved_by`` names the documents that helped, ``date`` is ISO 8601 or empty."""

    id: str
    text: str
    title: str = ""
    date: str = ""
    resolved_by: tuple[str, ...] = ()

    @property
    def full_text(self) -> str:
        """Title and text as one, the title not repeated."""
        if not self.title or self.text.startswith(self.title):
            return self.text
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document: ``text`` is the Markdown of its spans in order, with repeated headings before it."""

    id: str
    document: str
    text: str
    spans: tuple[Span, ...]
    headings: tuple[str, ...] = ()
    parent_id: str | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Theme:
    """A broad kind of issue, named from its own words."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class Seed:
    """The raw issue that represents a cluster of near duplicates inside one theme."""

    id: str
    raw_issue: str
    theme: str


@dataclass(frozen=True, slots=True)
class Issue:
    """A node of the knowledge base: a parent (``parent_id`` is None) or an attribute-specific child."""

    id: str
    text: str
    parent_id: str | None
    attributes: Attributes
    seed: str = ""
    raw_issues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """The place in a document that a step comes from; ``quote`` is exactly ``text[start:end]``."""

    document: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one solution."""

    rule: str
    verdict: VerdictName
    reason: str


@dataclass(frozen=True, slots=True)
class Solution:
    """Steps for one node, each step with the evidence of the same position."""

    id: str
    issue_id: str
    text: str
    steps: tuple[str, ...]
    attributes: Attributes
    evidence: tuple[Evidence, ...]
    status: Status = "displayed"
    reason: str = ""
    rules: tuple[Verdict, ...] = ()


@dataclass(frozen=True, slots=True)
class Edit:
    """What a person changed in a solution; kept beside what was built, also when the solution is gone."""

    id: str
    solution_id: str
    text: str
    steps: tuple[str, ...]
    author: str
    date: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One found thing and its score; a ranking is a tuple of hits, best first."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or record that was not taken, and why."""

    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class Failure:
    """One item that a stage could not do."""

    stage: str
    item: str
    reason: str


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    """Everything one build publishes, by id."""

    documents: Mapping[str, Document] = field(default_factory=dict)
    themes: Mapping[str, Theme] = field(default_factory=dict)
    seeds: Mapping[str, Seed] = field(default_factory=dict)
    issues: Mapping[str, Issue] = field(default_factory=dict)
    solutions: Mapping[str, Solution] = field(default_factory=dict)
