"""What the product talks about. Spans are half-open ``[start, end)`` in code points of the document's text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from autokb.core.attributes import Attributes
from autokb.core.ids import digest

Span = tuple[int, int]
Status = Literal["displayed", "repaired", "withheld", "rejected", "hidden", "approved"]
# What a section is to its article; "" is any other, as those of an article that follows no pattern.
SectionRole = Literal["", "introduction", "symptoms", "environment", "cause", "remedy", "reference"]
HumanVerdictName = Literal["approved", "rejected", "hidden"]
DecisionName = (
    Literal["edited", "approved", "rejected", "hidden", "written"]
    | Literal["undone", "built anew", "gone", "back", "dismissed", "queued again"]
)
DecisionKind = Literal["edit", "verdict", "written", "event"]
KINDS: Mapping[DecisionName, DecisionKind] = {
    "edited": "edit",
    "approved": "verdict",
    "rejected": "verdict",
    "hidden": "verdict",
    "written": "written",
}  # all others are events
VerdictName = Literal["kept", "broken", "doubt", "not applicable", "not judged"]
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
    """What one customer wrote; ``resolved_by`` names the documents that helped, ``date`` is ISO 8601 or empty.

    ``told`` is the title and the text as a build read them, without quoted mail and private data; empty where that is
    all of both. It is no part of what was added, so it counts in no comparison.
    """

    id: str
    text: str
    title: str = ""
    date: str = ""
    resolved_by: tuple[str, ...] = ()
    told: tuple[str, ...] = field(default=(), compare=False)

    @property
    def full_text(self) -> str:
        """Title and text as one, the title not repeated."""
        if not self.title or self.text.startswith(self.title):
            return self.text
        return f"{self.title}\n{self.text}"

    def as_told(self) -> RawIssue:
        """Return it with the title and the text that a build reads, and that others than its author may see."""
        title, text = self.told if len(self.told) == 2 else (self.title, self.text)
        return replace(self, title=title, text=text, told=())


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
    """Steps for one node, each step with the evidence of the same position.

    ``rank`` counts the solutions of a node from the build's best, 1; it is 0 for what a person wrote.
    """

    id: str
    issue_id: str
    text: str
    steps: tuple[str, ...]
    attributes: Attributes
    evidence: tuple[Evidence, ...]
    status: Status = "displayed"
    reason: str = ""
    rules: tuple[Verdict, ...] = ()
    rank: int = 0

    @property
    def quotes(self) -> tuple[str, ...]:
        """What its evidence says, in the order of the steps where each has one."""
        return tuple(one.quote for one in self.evidence)


@dataclass(frozen=True, slots=True)
class Passage:
    """A section of a document, which answers where no node does: a solution of no issue under these headings.

    ``distinguishes`` names the attributes that it fixes to other values than the document's title does; ``masked``
    holds the stems of each heading, with attributes in place of their values. ``section`` is what stands under the
    heading, symptoms and explanations too, as it is searched. ``role`` is what it is to the article that the first
    ``article`` of its headings name.
    """

    headings: tuple[str, ...]
    solution: Solution
    distinguishes: tuple[str, ...] = ()
    masked: tuple[tuple[str, ...], ...] = ()
    section: str = ""
    role: SectionRole = ""
    article: int = 1


@dataclass(frozen=True, slots=True)
class Origin:
    """A solution that a person decided on as it was built last, by which the decision finds it under another id.

    ``tree`` is the id of its root issue, ``document`` the first one that it cites; ``built`` and ``steps`` are marks
    (see ``text_mark``) of its text with its steps as the build wrote them, and of the steps alone. ``problem`` is what
    the root said, for a solution by hand its own node: by it the nearest is found where the root is gone.
    """

    tree: str = ""
    document: str = ""
    built: str = ""
    steps: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Wording:
    """A text with its steps."""

    text: str
    steps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """One entry of the log of what befell solutions: ``what`` was done to which one, by whom and when.

    ``number`` is the place in the order in which the workspace took decisions; the date is for people. One that was
    taken back is kept as ``undone``, so that an old export does not bring it back. What each kind says beside:

    An *edit* gives a solution another ``text``, other ``steps`` or both. ``built`` is the mark of what the build had
    written then, ``based_on`` that of the text that the person saw in an exported file; ``rules`` is what the rules
    said of the edited text last. One whose solution is gone and that nobody need look at is ``dismissed``, until that
    solution returns.

    A *verdict* says whether to show one; ``reason`` is in the person's words, ``shown`` the mark of the text that it
    was given for.

    A solution that a person has *written* has the id of its decision and stands on the node ``issue_id``, or when that
    is gone on ``origin.tree``: the root of its tree, or the node that is nearest to its problem now.

    An *event* is told in a history and changes nothing. ``decision`` is the id of the one that was taken back, or of
    the edit without its solution that was dismissed from the queue or put there again; ``before`` and ``after`` are
    what the build had written.
    """

    id: str
    what: DecisionName
    solution_id: str
    author: str
    date: str
    number: int = 0
    origin: Origin = Origin()
    undone: bool = False
    text: str = ""
    steps: tuple[str, ...] = ()
    rules: tuple[Verdict, ...] = ()
    built: str = ""
    based_on: str = ""
    dismissed: bool = False
    reason: str = ""
    shown: str = ""
    issue_id: str = ""
    attributes: Attributes = field(default_factory=dict)
    decision: str = ""
    before: Wording | None = None
    after: Wording | None = None

    @property
    def kind(self) -> DecisionKind:
        """The kind of line and of row that it is."""
        return KINDS.get(self.what, "event")


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


Role = Literal["customer", "agent"]
CUSTOMER: Role = "customer"
AGENT: Role = "agent"


@dataclass(frozen=True, slots=True)
class Message:
    """What one of the two wrote; ``date`` is ISO 8601 or empty."""

    role: Role
    text: str
    date: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages of one conversation in their order."""

    id: str
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Annotation:
    """One answer; it holds for the words that the solution (``item``) had then, whose hash is kept."""

    item: str
    annotator: str
    text_hash: str
    is_correct: bool
    author: str
    date: str


def words_of(solution: Solution) -> str:
    """Return the hash of what an annotator judges of a solution: its words and what it cites."""
    return digest(solution.text, *(e.quote for e in solution.evidence))
