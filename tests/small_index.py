"""A knowledge base of a few nodes and documents whose scores a test writes down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autokb.answering.present import Presentation
from autokb.chunking.windows import Window
from autokb.core.attributes import ANY, Attributes
from autokb.core.domain import Attribute
from autokb.core.nouns import Chunk, Evidence, Issue, Passage, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.candidates import Candidates, candidates_of, searched_texts
from autokb.retrieval.features import FEATURES
from autokb.retrieval.features import QuestionEvidence as Found
from autokb.retrieval.index import ScoredQuestion
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeCosines, QuestionMatch
from autokb.retrieval.search import build_index

NAMES = ("device", "os")
ATTRIBUTES = {
    "device": Attribute("device", "open"),
    "os": Attribute("os", "closed", ("Linux", "Mac", "Windows")),
}
DOCUMENTS = ("faq.md", "guide.md", "tips.md")


def fixed(**values: str) -> Attributes:
    """Name every attribute, Any where nothing is said; ``Mac+Windows`` are two values."""
    return {name: frozenset(values.get(name, "Any").split("+")) for name in NAMES}


def node(issue_id: str, parent: str | None = None, **values: str) -> Issue:
    """Make an issue."""
    return Issue(issue_id, f"text of {issue_id}", parent, fixed(**values))


def solution(
    name: str, issue_id: str, document: str = "guide.md", rank: int = 1, at: int = 0, **values: str
) -> Solution:
    """Make a displayed solution of one step that cites ten characters of a document."""
    evidence = (Evidence(document, at, at + 10, "ten letter"),) if document else ()
    return Solution(name, issue_id, f"text of {name}", (f"Do {name}.",), fixed(**values), evidence, rank=rank)


def passage(name: str, *headings: str, document: str = "guide.md", at: int = 0, **values: str) -> Passage:
    """Make a passage that its values distinguish; they are masked in its headings."""
    named = {value: f"<{name}>" for name, said in values.items() for value in said.split("+")}
    masked = tuple(tuple(sorted({named.get(word, word.lower()) for word in h.split()})) for h in headings)
    return Passage(headings, solution(name, "", document, at=at, **values), tuple(sorted(values)), masked)


def candidates(
    issues: Sequence[Issue],
    solutions: Sequence[Solution],
    passages: Sequence[Passage] = (),
    documents: Sequence[str] = DOCUMENTS,
) -> tuple[Candidates, KnowledgeIndex]:
    """Index what can be shown, without vectors that mean anything."""
    knowledge = KnowledgeIndex.of(issues, solutions, ATTRIBUTES, [p.solution for p in passages])
    chunks = [Chunk(f"c-{d}", d, "text", ((0, 4),)) for d in documents]
    windows = [Window(c.id, c.document, 0, 4, "") for c in chunks]
    index = build_index(documents, chunks, windows, np.ones((len(documents), 1), dtype=np.float32))
    found = candidates_of(knowledge, passages)
    vectors = {text: np.zeros(1, dtype=np.float32) for text in searched_texts(found)}
    return Candidates.of(found, knowledge, vectors, index), knowledge


def presentation(
    issues: Sequence[Issue],
    solutions: Sequence[Solution],
    passages: Sequence[Passage] = (),
    *,
    scores: Mapping[str, float] | None = None,
    nodes: Mapping[str, float] | None = None,
    within: Attributes | None = None,
    urgent: Sequence[str] = (),
    documents: Sequence[str] = DOCUMENTS,
    **said: str,
) -> Presentation:
    """Put a question beside everything: ``scores`` of rows, by what they say, and ``nodes``' cosines, else 0.5.

    The cosine of a section is its score.
    """
    shown, knowledge = candidates(issues, solutions, passages, documents)
    given = scores or {}
    row = np.array([
        max((given[s.id] for s in (one.solution, *one.views) if s.id in given), default=0.5) for one in shown.rows
    ])  # fmt: skip
    nothing = np.zeros(len(row))
    found = Found(
        asked=QuestionMatch(knowledge, {name: frozenset(v.split("+")) for name, v in said.items()}, within or {}),
        candidates=shown,
        sections=row,
        headings=nothing,
        tokens=nothing,
        words=np.zeros(len(documents)),
        votes=np.zeros(len(documents)),
        learnt=np.zeros(len(documents)),
        nodes=NodeCosines(np.array([(nodes or {}).get(i, 0.5) for i in knowledge.ids])),
        past=np.zeros(0, dtype=np.float32),
        long=0.0,
    )
    ranked = Ranking(tuple(documents), shown.best_of_documents(row))
    scored = ScoredQuestion(
        text="It won't pair",
        read="It won't pair",
        vector=np.zeros(1, dtype=np.float32),
        windows=np.zeros(len(documents)),
        evidence=found,
        features=np.zeros((len(row), len(FEATURES))),
        scores=row,
        documents=ranked,
        urgent=tuple(shown.row_of[name] for name in urgent),
    )
    return Presentation(scored)


__all__ = ["ANY", "ATTRIBUTES", "DOCUMENTS", "candidates", "fixed", "node", "passage", "presentation", "solution"]
