"""A question on its way through one knowledge base: search, history, what it says of attributes, choice, answer."""

from __future__ import annotations

from autokb.answering.answer import Answer, answer
from autokb.answering.choose import Chooser
from autokb.core.attributes import Attributes
from autokb.retrieval.index import AskIndex, ScoredQuestion
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.read_question import read_question

OFF_TOPIC = "Nothing that is known is near the question; it looks off topic."


def ask(index: AskIndex, text: str, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer a question; ``overrides`` replace what is read from its text, ``k`` bounds each list of the answer."""
    return answer_scored(index, index.score(text), overrides, k)


def answer_scored(index: AskIndex, scored: ScoredQuestion, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer from what a question found: what the likeliest documents say, a question back, or nothing."""
    read = read_question(scored.question.text, overrides or {}, index.spec)
    asked = Asked(index.nodes.knowledge, read.attributes, read.within)
    chooser = Chooser(asked, index.shown, scored.solutions, scored.similarities, scored.question.weights)
    refused = None if index.passes_gate(scored) else OFF_TOPIC
    return answer(scored.question.text, chooser, scored.documents, refused=refused, k=k)
