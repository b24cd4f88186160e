"""An answer that a model chose: what it is offered of a scored question, and what its choice makes of the answer.

The ranker finds the right section among its ten best far oftener than it puts it first. A model that reads their best
lines beside the question chooses among them; it writes nothing, so whatever it replies, only what is known is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from autokb.answering.answer import Answer, answer
from autokb.answering.clarify import Clarification, wording
from autokb.answering.present import Choice, Presentation
from autokb.answering.telling import TellingLine, best_lines
from autokb.core.attributes import ANY, from_lists
from autokb.core.conversations import CUSTOMER, Message
from autokb.core.ranking import best_first
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.retrieval.reader import ReaderRun
from autokb.tasks.answers.choose_answer.task import ChooseAnswer, ChosenAnswer, OfferedIssue, OfferedSection

OFFERED_SECTIONS = 10  # the right one is among the first 10 in .93 of the questions, among 20 in .98 (decision 43)
OFFERED_ISSUES = 5
LINES = 2  # of a section
LINE_CHARACTERS = 300  # of a line, and of an issue's text
MESSAGES = 6  # of a conversation, the last ones
MESSAGE_CHARACTERS = 2_000
NOT_CHOSEN = "Nothing that is known answers the question."


@dataclass(frozen=True)
class Choosing:
    """Who chooses: gives the choice, None where there is none to use, and how the reading went.

    It reads the ``conversation``, where the question is part of one; ``first`` is told the answer before it is chosen.
    """

    choose: Callable[[ChooseAnswer], tuple[ChosenAnswer | None, ReaderRun]]
    conversation: Sequence[Message] = ()
    first: Callable[[Answer], None] = lambda _answer: None


@dataclass(frozen=True)
class Offer:
    """What a model chooses from: the ``choices`` behind the sections of the ``item``, and the lines it may name."""

    index: QuestionIndex
    presentation: Presentation
    choices: tuple[Choice, ...]
    lines: tuple[tuple[Choice, TellingLine], ...]
    item: ChooseAnswer


def offer(index: QuestionIndex, presentation: Presentation, conversation: Sequence[Message]) -> Offer:
    """Return what is offered for a question: the nearest problems and the sections that fit it, best first."""
    question = presentation.scored.read
    choices = tuple(islice(presentation.distinct(), OFFERED_SECTIONS))
    read = {choice.row: tuple(best_lines(index, question, choice.solution, LINES)) for choice in choices}
    sections = tuple(
        OfferedSection(
            _title(presentation, choice),
            {name: values for name, values in choice.solution.attributes.items() if values != ANY},
            tuple(line.text[:LINE_CHARACTERS] for line in read[choice.row]),
        )
        for choice in choices
    )
    said = tuple(
        Message(m.role, m.text[:MESSAGE_CHARACTERS])
        for m in (conversation or [Message(CUSTOMER, presentation.scored.text)])[-MESSAGES:]
    )
    spec, asked = index.spec, presentation.asked
    item = ChooseAnswer(
        spec.description or spec.name, spec.attributes, said, asked.attributes, _issues(presentation), sections
    )
    lines = tuple((choice, line) for choice in choices for line in read[choice.row])
    return Offer(index, presentation, choices, lines, item)


def _title(presentation: Presentation, choice: Choice) -> str:
    candidate = presentation.candidates.rows[choice.row]
    return ": ".join(dict.fromkeys(candidate.passage.headings)) if candidate.passage else candidate.heading


def _issues(presentation: Presentation) -> tuple[OfferedIssue, ...]:
    """Return the nearest nodes that are not for others, with the headings of what they show."""
    asked, candidates = presentation.asked, presentation.candidates
    ids = asked.index.ids
    found = []
    for row in best_first(presentation.scored.nodes, OFFERED_ISSUES):
        issue = asked.index.issues[ids[row]]
        shown = asked.shown(issue.id)
        titles = dict.fromkeys(candidates.rows[candidates.row_of[s.id]].heading for s in shown)
        found.append(OfferedIssue(issue.text[:LINE_CHARACTERS], tuple(titles)))
    return tuple(found)


def choose_answer(
    index: QuestionIndex,
    scored: ScoredQuestion,
    found: Answer,
    choosing: Choosing,
    k: int = 5,
) -> Answer:
    """Return what a model makes of an answer; the answer as it is, with the reason, where there is no reply to use.

    What the model read of the customer's attributes replaces what was read; what is for others is never shown.
    """
    presentation = Presentation(scored)
    offered = offer(index, presentation, choosing.conversation)
    if not offered.choices:
        return found
    choosing.first(found)
    chosen, reading = choosing.choose(offered.item)
    if chosen is None:
        return replace(found, reading=reading)
    return replace(_answer_chosen(offered, found, chosen, k), reading=reading)


def _answer_chosen(offered: Offer, found: Answer, chosen: ChosenAnswer, k: int) -> Answer:
    presentation = offered.presentation
    stated = from_lists(chosen.attributes)
    read = presentation.asked.attributes
    if any(read.get(name) != values for name, values in stated.items()):
        presentation = Presentation(offered.index.score(presentation.scored.text, {**read, **stated}))
    rows = [offered.choices[n].row for n in chosen.sections]
    choices = [choice for choice in presentation.fitting(rows) if choice is not None]
    if not choices:
        documents = found.documents if found.outcome == "abstains" else presentation.scored.documents.best(k)
        attributes = presentation.asked.attributes
        return Answer(
            found.query,
            attributes,
            "abstains",
            question=None,
            matches=(),
            passages=(),
            documents=documents,
            reason=NOT_CHOSEN,
        )
    made = answer(found.query, presentation, k=k, chosen=choices)
    back = _question_back(offered, presentation, chosen)
    return replace(
        made,
        outcome="asks" if back else "answered",
        question=back,
        confidence=found.confidence,
        telling=_telling(offered, choices, chosen.line),
    )


def _question_back(offered: Offer, presentation: Presentation, chosen: ChosenAnswer) -> Clarification | None:
    """Return the model's question back, with the values among which the answer decides."""
    if chosen.ask is None or chosen.ask in presentation.asked.attributes:
        return None
    attribute, within = offered.item.configuration[chosen.ask], presentation.asked.within.get(chosen.ask)
    fixed = [choice.solution.attributes.get(chosen.ask, ANY) for choice in offered.choices]
    named = sorted(frozenset().union(*(values for values in fixed if values != ANY)))
    values = tuple(attribute.values) if attribute.kind == "closed" else tuple(named)
    values = tuple(value for value in values if within is None or value in within)
    return Clarification(chosen.ask, values, wording(attribute, values)) if values else None


def _telling(offered: Offer, choices: Sequence[Choice], line: int | None) -> TellingLine | None:
    """Return the line that says it, if it is of the first thing shown."""
    if line is None or line >= len(offered.lines):
        return None
    choice, telling = offered.lines[line]
    return telling if choice.row == choices[0].row else None
