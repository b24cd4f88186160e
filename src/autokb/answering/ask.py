"""A question on its way through one knowledge base: search, history, what it says of attributes, trees, answer."""

from __future__ import annotations

from autokb.answering.answer import Answer, answer
from autokb.core.attributes import Attributes
from autokb.retrieval.index import AskIndex, ScoredQuestion
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.read_question import read_question


def ask(index: AskIndex, text: str, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer a question; ``overrides`` replace what is read from its text, ``k`` bounds matches and documents."""
    return answer_scored(index, index.score(text), overrides, k)


def answer_scored(index: AskIndex, scored: ScoredQuestion, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer from what a question found: one node a tree, a question back, or nothing."""
    read = read_question(scored.question.text, overrides or {}, index.spec)
    asked = Asked(index.nodes.knowledge, read.attributes, read.within)
    return answer(
        scored.question.text,
        asked,
        index.match_trees(scored, asked),
        scored.documents,
        scored.similarities,
        passes=index.passes_gate(scored),
        k=k,
    )
