"""A question on its way through one knowledge base: search, history, what it says of attributes, choice, answer."""

from __future__ import annotations

from dataclasses import replace

from autokb.answering.answer import Answer, answer
from autokb.answering.choose import Chooser
from autokb.answering.clarify import plain_name
from autokb.answering.confidence import LISTED, confidence_of
from autokb.core.attributes import ANY, NONE, Attributes
from autokb.core.domain import DomainSpec
from autokb.retrieval.index import AskIndex, ScoredQuestion
from autokb.retrieval.knowledge_index import Asked
from autokb.retrieval.read_question import read_question

# Cosine of a document's best passage from which it could help where nothing is answered. Of the right documents of
# written questions (tuning half, five bases) some 95 % lie above, and hardly any document for a question about baking.
WORTH_READING = 0.25
OFF_TOPIC = "Nothing that is known is near the question; it looks off topic."
FOREIGN_SUBJECT = 'The documents say nothing of "{subject}"; the question looks off topic.'
UNKNOWN_WORDS = "Too few of the question's words are in any document; it looks off topic."


def ask(index: AskIndex, text: str, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer a question; ``overrides`` replace what is read from its text, ``k`` bounds each list of the answer."""
    return answer_scored(index, index.score(text), overrides, k)


def ask_in_other_language(
    index: AskIndex, text: str, overrides: Attributes | None = None, k: int = 5, *, unread: str | None = None
) -> Answer:
    """Answer a question in another language than the documents'; ``unread`` is the reason where the index knows none.

    Nothing is asked back: what the question leaves open cannot be told from what is not read in its language.
    """
    found = ask(index, text, overrides, k)
    if found.outcome == "asks":
        found = replace(found, outcome="answered", question=None)
    return replace(found, reason=unread, unread=True) if unread else found


def answer_scored(index: AskIndex, scored: ScoredQuestion, overrides: Attributes | None = None, k: int = 5) -> Answer:
    """Answer from what a question found: what the likeliest documents say, a question back, or nothing."""
    read = read_question(scored.question.text, overrides or {}, index.spec)
    asked = Asked(index.nodes.knowledge, read.attributes, read.within)
    weights = scored.question.weights
    chooser = Chooser(asked, index.shown, scored.solutions, scored.solution_scores, scored.similarities, weights)
    refused = _off_topic(index, scored) or _out_of_scope(read.attributes, index.spec)
    order = scored.documents if refused else index.reading_order(scored)

    def answer_with(most: int) -> Answer:
        return answer(scored.question.text, chooser, scored.documents, order=order, refused=refused, k=most)

    found = answer_with(k)
    if found.outcome == "abstains":
        near = dict(zip(index.chunks.documents, index.shown.best_passages(scored.solutions), strict=True))
        return replace(found, documents=tuple(hit for hit in found.documents if near[hit.id] >= WORTH_READING))
    return replace(found, confidence=confidence_of(found if k >= LISTED else answer_with(LISTED)))


def _off_topic(index: AskIndex, scored: ScoredQuestion) -> str | None:
    """Say why a question is off topic: nothing is near, or what it is about is unknown; None where it is not."""
    if index.passes_gate(scored):
        return None
    if not index.passes_gate(scored, reads_words=False):
        return OFF_TOPIC
    subject = index.foreign_subject(scored.question.text)
    return FOREIGN_SUBJECT.format(subject=subject) if subject else UNKNOWN_WORDS


def _out_of_scope(attributes: Attributes, spec: DomainSpec) -> str | None:
    """Say that a question is about values that the domain's scope leaves out; None where it is not."""
    for name, within in sorted(spec.scope.items()):
        said = attributes.get(name, ANY)
        if ANY not in (said, within) and said != NONE and not said & within:
            what, only = ", ".join(sorted(said)), ", ".join(sorted(within))
            return f"The question is about {what}; everything here is for {plain_name(name)} {only}."
    return None
