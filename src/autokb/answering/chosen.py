"""An answer that a model chose: what it is offered of a scored question, and what its choice makes of the answer.

The ranker finds the right section among its ten best far oftener than it puts it first. A model that reads their best
lines beside the question chooses among them; it writes nothing, so whatever it replies, only what is known is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from autokb.answering.answer import Answer, answer
from autokb.answering.clarify import Clarification, ask_back
from autokb.answering.present import Choice, Presentation
from autokb.answering.probability import LISTED, Shown, first_right
from autokb.answering.telling import TellingLine, best_lines
from autokb.core.attributes import ANY, Attributes, Match, from_lists
from autokb.core.nouns import CUSTOMER, Message
from autokb.core.ranking import best_first
from autokb.core.reply_rules import LEFT_OPEN
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.retrieval.reader import ReaderRun
from autokb.tasks.answers.choose_answer.task import ChooseAnswer, ChosenAnswer, OfferedIssue, OfferedSection

OFFERED_SECTIONS = 10  # some 600 tokens; among the first twenty is the right one in .97 of the questions (decision 43)
OFFERED_ISSUES = 5
LINES = 2  # of a section; more gain nothing that is sure (decision 48)
LINE_CHARACTERS = 300  # of a line, and of an issue's text
MESSAGES = 6  # of a conversation, the last ones
MESSAGE_CHARACTERS = 2_000


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
    lines: tuple[tuple[Choice, TellingLine | None], ...]
    item: ChooseAnswer


def offer(index: QuestionIndex, presentation: Presentation, conversation: Sequence[Message]) -> Offer:
    """Return what is offered for a question: the nearest problems and the sections that fit it, best first."""
    choices = tuple(islice(presentation.distinct(), OFFERED_SECTIONS))
    lines = _lines(index, presentation.scored.read, choices)
    sections = tuple(
        OfferedSection(
            _title(presentation, choice),
            {name: values for name, values in choice.solution.attributes.items() if values != ANY},
            tuple(text[:LINE_CHARACTERS] for text, _ in lines[choice.row]),
        )
        for choice in choices
    )
    said = tuple(
        Message(m.role, m.text[:MESSAGE_CHARACTERS])
        for m in (conversation or [Message(CUSTOMER, presentation.scored.text)])[-MESSAGES:]
    )
    spec, asked = index.spec, presentation.asked
    item = ChooseAnswer(spec.in_words, spec.attributes, said, asked.attributes, _issues(presentation), sections)
    named = tuple((choice, line) for choice in choices for _, line in lines[choice.row])
    return Offer(index, presentation, choices, named, item)


def _lines(
    index: QuestionIndex, question: str, choices: Sequence[Choice]
) -> dict[int, list[tuple[str, TellingLine | None]]]:
    """Return by row the lines of solutions that say most; of one by hand, which has no evidence, its first steps."""
    best = best_lines(index, question, [choice.solution for choice in choices], LINES)
    return {
        choice.row: [(line.text, line) for line in lines] or [(step, None) for step in choice.solution.steps[:LINES]]
        for choice, lines in zip(choices, best, strict=True)
    }


def _title(presentation: Presentation, choice: Choice) -> str:
    candidate = presentation.candidates.rows[choice.row]
    return ": ".join(dict.fromkeys(candidate.passage.headings)) if candidate.passage else candidate.heading


def _issues(presentation: Presentation) -> tuple[OfferedIssue, ...]:
    """Return the nearest nodes that are not for others, with the headings of what they show."""
    asked, candidates = presentation.asked, presentation.candidates
    ids, nodes = asked.index.ids, presentation.scored.nodes.of_all
    nearest = (asked.index.issues[ids[row]] for row in best_first(nodes, len(nodes)))
    found = []
    for issue in islice((i for i in nearest if asked.match(i.id) is not Match.CONFLICT), OFFERED_ISSUES):
        shown = asked.shown(issue.id)
        titles = dict.fromkeys(candidates.rows[candidates.row_of[s.id]].heading for s in shown)
        found.append(OfferedIssue(issue.text[:LINE_CHARACTERS], tuple(titles)))
    return tuple(found)


def choose_answer(
    index: QuestionIndex,
    scored: ScoredQuestion,
    found: Answer,
    choosing: Choosing,
    overrides: Attributes,
    k: int = 5,
) -> Answer:
    """Return what a model makes of an answer; the answer as it is, with the reason, where there is no reply to use.

    What the model read of the customer's attributes replaces what was read, but for ``overrides``, which whoever asks
    has given. What is for others is never shown.
    """
    presentation = Presentation(scored)
    offered = offer(index, presentation, choosing.conversation)
    if not offered.choices:
        return found
    choosing.first(found)
    chosen, reading = choosing.choose(offered.item)
    if chosen is None:
        return replace(found, reading=reading)
    stated = {name: values for name, values in from_lists(chosen.attributes).items() if name not in overrides}
    made = _answer_chosen(offered, found, chosen, stated, k)
    return replace(made, reading=reading, explanation=found.explanation, chosen_by=reading.name)


def _answer_chosen(offered: Offer, found: Answer, chosen: ChosenAnswer, stated: Attributes, k: int) -> Answer:
    index, presentation = offered.index, offered.presentation
    read = presentation.asked.attributes
    if any(read.get(name) != values for name, values in stated.items()):
        presentation = Presentation(index.score(presentation.scored.text, {**read, **stated}))
    rows = [offered.choices[n].row for n in chosen.sections]
    choices = list(presentation.fitting(rows))
    if not choices:
        documents = found.documents if found.outcome == "abstains" else presentation.scored.documents.best(k)
        attributes, reason = presentation.asked.attributes, found.reason or LEFT_OPEN
        return Answer(found.query, attributes, "abstains", documents=documents, reason=reason)
    made = answer(found.query, presentation, k=k, chosen=choices, warnings=index.warnings)
    warned = choices[0].row in index.warnings  # which a customer reads before anything is asked
    back = None if warned else _question_back(offered, presentation, chosen)
    others = (choice for choice in presentation.choose(LISTED) if choice.row != choices[0].row)
    shown = Shown(index, presentation, (choices[0], *others))
    return replace(
        made,
        outcome="asks" if back else "answered",
        question=back,
        confidence=round(first_right(shown), 4),  # by the ranker's scores: that a model chose it is not counted
        telling=_telling(offered, choices, chosen.line),
    )


def _question_back(offered: Offer, presentation: Presentation, chosen: ChosenAnswer) -> Clarification | None:
    """Return the model's question back, with the values among which the answer decides."""
    if chosen.ask is None or chosen.ask in presentation.asked.attributes:
        return None
    fixed = (choice.solution.attributes.get(chosen.ask, ANY) for choice in offered.choices)
    back = ask_back(chosen.ask, (values for values in fixed if values != ANY), presentation)
    return back if back.values else None


def _telling(offered: Offer, choices: Sequence[Choice], line: int | None) -> TellingLine | None:
    """Return the line that says it, if it is of the first thing shown."""
    if line is None or line >= len(offered.lines):
        return None
    choice, telling = offered.lines[line]
    return telling if choice.row == choices[0].row else None
