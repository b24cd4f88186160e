"""A knowledge base of a few nodes and documents whose cosines a test writes down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from autokb.answering.choose import Chooser
from autokb.chunking.windows import Window
from autokb.core.attributes import ANY, Attributes
from autokb.core.domain import Attribute
from autokb.core.nouns import Chunk, Evidence, Issue, Passage, Solution
from autokb.core.ranking import Ranking
from autokb.retrieval.knowledge_index import Asked, KnowledgeIndex
from autokb.retrieval.search import build_index
from autokb.retrieval.solution_index import SolutionIndex, shown_texts
from autokb.retrieval.weights import Weights

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
    named = {value: name for name, said in values.items() for value in said.split("+")}
    masked = tuple(tuple(sorted({named.get(word, word.lower()) for word in h.split()})) for h in headings)
    return Passage(headings, solution(name, "", document, at=at, **values), tuple(sorted(values)), masked)


def chooser(
    issues: Sequence[Issue],
    solutions: Sequence[Solution],
    passages: Sequence[Passage] = (),
    *,
    cosines: Mapping[str, float] | None = None,
    nodes: Mapping[str, float] | None = None,
    weights: Weights | None = None,
    within: Attributes | None = None,
    **said: str,
) -> Chooser:
    """Put a question beside everything: ``cosines`` to solutions and passages, ``nodes`` to issues, else 0.5."""
    knowledge = KnowledgeIndex.of(issues, solutions, ATTRIBUTES, [p.solution for p in passages])
    chunks = [Chunk(f"c-{d}", d, "text", ((0, 4),)) for d in DOCUMENTS]
    windows = [Window(c.id, c.document, 0, 4, "") for c in chunks]
    index = build_index(DOCUMENTS, chunks, windows, np.eye(len(DOCUMENTS), dtype=np.float32))
    vectors = {text: np.zeros(len(DOCUMENTS), dtype=np.float32) for text in shown_texts(knowledge, passages)}
    shown = SolutionIndex.of(knowledge, passages, vectors, index)
    row = np.array([(cosines or {}).get(s.id, 0.5) for s in shown.solutions])
    asked = Asked(knowledge, {name: frozenset(v.split("+")) for name, v in said.items()}, within or {})
    similarities = np.array([(nodes or {}).get(i, 0.5) for i in knowledge.ids])
    return Chooser(asked, shown, row, row, similarities, weights or Weights())


def ranking(*documents: str) -> Ranking:
    """Rank documents in this order, the first by 0.1 before the second; those that are not named score nothing."""
    scores = {d: 0.9 - 0.1 * n for n, d in enumerate(documents)}
    return Ranking(DOCUMENTS, np.array([scores.get(d, 0.0) for d in DOCUMENTS]))


__all__ = ["ANY", "ATTRIBUTES", "DOCUMENTS", "chooser", "fixed", "node", "passage", "ranking", "solution"]
