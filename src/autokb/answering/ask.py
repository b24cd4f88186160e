"""A question on its way through one knowledge base: search, history, what it says of attributes, choice, answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autokb.answering.answer import Answer, answer
from autokb.answering.chosen import Choosing, choose_answer
from autokb.answering.explain import explain as explanation_of
from autokb.answering.lines_for_others import without_lines_for_others
from autokb.answering.present import Presentation
from autokb.answering.probability import LISTED, Shown, answerable, first_right
from autokb.answering.silence import known_code, left_open, said_of_withheld, withheld_ahead
from autokb.answering.telling import telling_line
from autokb.core.attributes import ANY, NONE, Attributes, plain_name
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Hit
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC
from autokb.core.settings import CAUTION
from autokb.core.solution_text import heading_of
from autokb.heuristics.urgency import heading_of_warning
from autokb.retrieval.index import QuestionIndex, ScoredQuestion

# Cosine of a document's best section from which it could help where nothing is answered. Of the right documents of
# written questions (tuning half, five bases) some 95 % lie above, and hardly any document for a question about baking.
WORTH_READING = 0.25


def ask(
    index: QuestionIndex,
    text: str,
    overrides: Attributes | None = None,
    k: int = 5,
    said: str = "",
    also: Sequence[str] = (),
    *,
    explain: bool = False,
    choosing: Choosing | None = None,
) -> Answer:
    """Answer a question; ``overrides`` replace what is read from its text, ``k`` bounds each list of the answer.

    ``said`` is all that the customer said in a conversation: an urgent warning that any of it calls for comes first.
    ``also`` are other ways to read the message that asks.
    To ``explain`` it says what each feature made of the best candidates. Where there is somebody ``choosing``, that one
    chooses among the best, unless a warning comes first or nothing is near.
    """
    scored = index.score(text, overrides, said=said, also=also)
    scored = _read_from_code(index, scored)
    found = without_lines_for_others(answer_scored(index, scored, k, explain=explain), index.spec)
    is_settled = found.withheld or scored.urgent or _is_far_off(scored)
    if choosing is None or is_settled or _out_of_scope(found.attributes, index.spec):
        return found
    return without_lines_for_others(choose_answer(index, scored, found, choosing, overrides or {}, k), index.spec)


def _read_from_code(index: QuestionIndex, scored: ScoredQuestion) -> ScoredQuestion:
    """Return a question read from a code on that few sections have, where the first thing shown does not have it.

    In a log or trace that a customer pastes everything else leads away from it.
    """
    start, rows = known_code(scored.text, index)
    if not rows or scored.urgent or any(one.row in rows for one in Presentation(scored).choose(1)):
        return scored
    line = scored.text[start:].partition("\n")[0]
    return replace(index.score(line, scored.evidence.asked.attributes), text=scored.text)


def _is_far_off(scored: ScoredQuestion) -> bool:
    """Return whether no section is near enough to be worth reading."""
    return float(scored.evidence.sections.max(initial=-1.0)) < WORTH_READING


def ask_in_other_language(
    index: QuestionIndex,
    text: str,
    overrides: Attributes | None = None,
    k: int = 5,
    *,
    unread: str | None = None,
    explain: bool = False,
    choosing: Choosing | None = None,
) -> Answer:
    """Answer a question in another language than the documents'; ``unread`` is the reason where the index knows none.

    Nothing is asked back, unless by who is ``choosing``: what the question leaves open cannot be told from what is not
    read in its language.
    """
    found = ask(index, text, overrides, k, explain=explain, choosing=None if unread else choosing)
    if found.outcome == "asks" and choosing is None:
        found = replace(found, outcome="answered", question=None)
    return replace(found, reason=unread, unread=True) if unread else found


def answer_scored(index: QuestionIndex, scored: ScoredQuestion, k: int = 5, *, explain: bool = False) -> Answer:
    """Answer from what a question found: the candidates that fit it best, a question back, or nothing.

    A reader orders what is shown. It moves neither refusal nor confidence, which were fitted on the ranker's scores.
    """
    presentation = Presentation(scored)
    shown = Shown(index, presentation, tuple(presentation.choose(LISTED)))
    refused, withheld = (None, False) if scored.urgent else _why_refused(shown)
    if refused is None and index.reranker is not None:
        scored = index.read_first(scored)
        presentation = Presentation(scored)
    found = replace(
        answer(scored.text, presentation, refused=refused, k=k, warnings=index.warnings), reading=scored.reading
    )
    if explain:
        found = replace(found, explanation=explanation_of(shown, presentation))
    if found.outcome == "abstains":
        near = () if _is_far_off(scored) or withheld else tuple(one.solution for one in presentation.choose(k))
        return replace(found, documents=_worth_reading(found, index, scored), near=near, withheld=withheld)
    if found.called and found.shown[0].id in found.urgent:
        return _as_warning(found, index, round(first_right(shown), 4))
    telling = telling_line(index, scored.read, found.shown[0])
    return replace(found, confidence=round(first_right(shown), 4), telling=telling)


def _worth_reading(found: Answer, index: QuestionIndex, scored: ScoredQuestion) -> tuple[Hit, ...]:
    """Return the documents of an answer that are near enough to the question for somebody to look into."""
    near = index.candidates.best_of_documents(scored.evidence.sections)
    nearest = {document: near[n] for n, document in enumerate(index.chunks.documents)}
    return tuple(hit for hit in found.documents if nearest[hit.id] >= WORTH_READING)


def _why_refused(shown: Shown) -> tuple[str | None, bool]:
    """Say why a question is not answered, and whether because a rule keeps the best section back; None where it is."""
    withheld = withheld_ahead(shown.presentation, next(iter(shown.choices), None))
    best = shown if withheld is None else replace(shown, choices=(withheld, *shown.choices))
    refused = _refusal(best) or _out_of_scope(shown.scored.evidence.asked.attributes, shown.index.spec)
    if refused is not None or withheld is None:
        return refused or left_open(shown), False
    return said_of_withheld(shown.presentation.candidates.rows[withheld.row]), True


def _as_warning(found: Answer, index: QuestionIndex, confidence: float) -> Answer:
    """Return an answer as an emergency is read: its warning under a heading of its own, and nothing else."""
    first = found.shown[0]
    heading = heading_of_warning(heading_of(first.text, first.steps), first.steps, found.query, index.spec.language)
    passages = tuple(one for one in found.passages if one.solution.id == first.id)
    return replace(found, confidence=confidence, warning=heading, shown=(first,), passages=passages, matches=())


# Probability that the first section helps, below which a message is refused at the default caution. Only whole messages
# come to it, where past ones show that few are helped (decision 68).
LEAST_RIGHT = 0.09


def _refusal(shown: Shown) -> str | None:
    """Say why a question is not answered: nothing is near, or what is near leaves it open; None where it is."""
    index, scored = shown.index, shown.scored
    if index.calibration is not None:
        return None if index.passes_calibration(scored) else OFF_TOPIC
    if shown.choices and shown.choices[0].row in known_code(scored.text, index)[1]:
        return None
    if answerable(shown) >= index.least_probability:
        return LEFT_OPEN if first_right(shown) < LEAST_RIGHT * index.caution / CAUTION else None
    return OFF_TOPIC if index.nearness(scored) < 0 else LEFT_OPEN


def _out_of_scope(attributes: Attributes, spec: DomainSpec) -> str | None:
    """Say that a question is about values that the domain's scope leaves out; None where it is not."""
    for name, within in sorted(spec.scope.items()):
        said = attributes.get(name, ANY)
        if ANY not in (said, within) and said != NONE and not said & within:
            what, only = ", ".join(sorted(said)), ", ".join(sorted(within))
            return f"The question is about {what}; everything here is for {plain_name(name)} {only}."
    return None
