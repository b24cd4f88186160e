"""A reply that a model composes from what an answer shows, and what must hold before anybody reads it.

It is given the lines of what is shown and nothing else, and says of each sentence on which of them it stands. One
sentence that its lines do not bear out, and the whole reply is left out: what is shown is read in its place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from autokb.answering.answer import Answer, WrittenSentence
from autokb.answering.strategies.checks import JudgeRules, check_replies, places_of
from autokb.answering.strategies.passages import PassagePart, StrategyPassage
from autokb.answering.strategies.strategy import Ask, WrittenReplies
from autokb.answering.telling import TellingLine, lines_of
from autokb.core.attributes import in_words
from autokb.core.domain import DomainSpec
from autokb.core.nouns import CUSTOMER, Evidence, Message, Solution
from autokb.core.reply_rules import ReplyRules, count_words, read_reply_rules
from autokb.core.solution_text import heading_of
from autokb.heuristics.grounding.support import unsupported_fact
from autokb.heuristics.replies.drafts import DraftedReply, Drafting, ReplyStyle
from autokb.heuristics.replies.facts import ungrounded
from autokb.heuristics.replies.fidelity import unfaithful
from autokb.tasks.answers.compose_reply.task import TASK as COMPOSE_REPLY
from autokb.text.mail_parts import without_mail_parts

SECTIONS = 3  # that a reply is composed from, as many as a person reads
LINES = 40  # of a section; some 1,000 tokens
QUESTION_CHARACTERS = 2_000
ASKS_BACK = "It asks back first; a reply can be written when that is known."
NOTHING_SHOWN = "Nothing is shown that a reply could be written from."
WARNS = "An urgent warning is given in its own words alone."
NOT_FROM_THESE = "The model wrote no reply from what is shown."


@dataclass(frozen=True, slots=True)
class Composed:
    """The sentences of a reply; where there are none, ``reason`` says why, empty where no model replied at all."""

    sentences: tuple[WrittenSentence, ...] = ()
    reason: str = ""


def why_not_composed(answer: Answer) -> str:
    """Return why no model is asked to write a reply, or nothing."""
    if answer.outcome != "answered":
        return ASKS_BACK if answer.outcome == "asks" else NOTHING_SHOWN
    if answer.called or answer.urgent:
        return WARNS
    return answer.reading.note or "" if answer.reading else ""


def compose_reply(answer: Answer, spec: DomainSpec, ask: Ask, judge: JudgeRules) -> Composed:
    """Have a model write a reply from what an answer shows, and check it."""
    shown = [_section(solution, spec.language) for solution in answer.shown[:SECTIONS]]
    rules = read_reply_rules(spec.reply)
    house = ReplyStyle(spec.in_words, rules, tuple(rule.text for rule in spec.rules), spec.language)
    question = Message(CUSTOMER, without_mail_parts(answer.query)[0][:QUESTION_CHARACTERS])
    written = ask(COMPOSE_REPLY, Drafting((question,), tuple(one.given for one in shown), house))
    if written is None:
        return Composed()
    if reason := _fault(written.replies, shown, question, spec, rules, judge):
        return Composed(reason=reason)
    return Composed(tuple(WrittenSentence(one.text, tuple(_quotes(one, shown))) for one in written.replies))


def _fault(
    written: Sequence[DraftedReply],
    shown: Sequence[StrategyPassage],
    question: Message,
    spec: DomainSpec,
    rules: ReplyRules,
    judge: JudgeRules,
) -> str:
    """Return why a reply is left out: a sentence that its lines do not bear out, or what no reply may say."""
    if not written:
        return NOT_FROM_THESE
    for sentence in written:
        if doubt := _doubt(sentence, shown, question.text, spec.language):
            return f"A sentence of the reply is not borne out by its lines: {doubt}."
    text = " ".join(sentence.text for sentence in written)
    whole = DraftedReply(text=text, quotes=tuple(quote for sentence in written for quote in sentence.quotes))
    unbounded = replace(rules, max_words=count_words(text) + 1)  # its type bounds it; the rules' are suggestions
    checked = check_replies(WrittenReplies((whole,), tuple(shown)), (question,), spec, unbounded, judge)
    return "" if checked.suggestions else " ".join(checked.reasons)


def _section(solution: Solution, language: str) -> StrategyPassage:
    """Return what a solution says line by line, under a title that says for whom it is."""
    fixed = in_words(solution.attributes)
    heading = heading_of(solution.text, solution.steps)
    title = f"{heading} (for {fixed})".lstrip() if fixed else heading
    lines = [PassagePart(line.text, _place(line)) for line in lines_of(solution, language)]
    parts = lines or [PassagePart(step, None) for step in solution.steps]  # by hand, which has no evidence
    return StrategyPassage(title, tuple(parts[:LINES]), "passage", solution.id)


def _place(line: TellingLine) -> Evidence:
    """Return where a line stands: it alone, but its whole step where the line was edited."""
    whole = line.evidence
    words = r"\s+".join(map(re.escape, line.text.split()))
    if (found := re.search(words, whole.quote)) is None:
        return whole
    start, end = found.span()
    return replace(whole, start=whole.start + start, end=whole.start + end, quote=whole.quote[start:end])


def _doubt(sentence: DraftedReply, shown: Sequence[StrategyPassage], said: str, language: str) -> str:
    """Return what a sentence names or says otherwise than its lines, or nothing."""
    given = [one.given for one in shown]
    lines = "\n".join(quote.words(given) for quote in sentence.quotes)
    titles = "\n".join(dict.fromkeys(shown[quote.passage - 1].title for quote in sentence.quotes))
    return (
        unsupported_fact(sentence.text, f"{lines}\n{titles}")
        or ungrounded(sentence.text, f"{lines}\n{titles}\n{said}", language)
        or unfaithful(sentence.text, lines, said, language)
    )


def _quotes(sentence: DraftedReply, shown: Sequence[StrategyPassage]) -> Iterator[Evidence]:
    """Give the places that a sentence stands on; a step that a person wrote is from nowhere."""
    for quote in sentence.quotes:
        yield from (place for place in places_of(quote, shown) if isinstance(place, Evidence))
