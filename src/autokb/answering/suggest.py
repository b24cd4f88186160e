"""Up to three suggestions for an agent: each a different help, short, in the knowledge base's own words, cited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice
from typing import Any, ClassVar, Literal

from autokb.answering.answer import Answer, Matched, Outcome
from autokb.core.attributes import ANY, Attributes, Match, as_lists, fixed_values
from autokb.core.domain import DomainSpec
from autokb.core.in_use import Arm
from autokb.core.nouns import Evidence, Solution
from autokb.core.reply_rules import ReplyRules, count_words
from autokb.core.results import Listed
from autokb.core.solution_text import heading_of, is_source_of, written_steps
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.core.step_numbers import BULLET, step_numbers
from autokb.core.tickets import TicketEvidence
from autokb.heuristics.conversations.read_turn import NOTHING_SAID, SaidBefore
from autokb.heuristics.conversations.reply_excerpt import ReplyExcerpt, condition_of, excerpt, warning_excerpt
from autokb.heuristics.conversations.words import ConversationWords
from autokb.heuristics.question_kind import asks_fact
from autokb.heuristics.solutions.audience import mask_values
from autokb.heuristics.solutions.instructions import instructs
from autokb.notebook.html import html
from autokb.retrieval.reader import ReaderRun
from autokb.text.lexicon import text_attributes
from autokb.text.lexicons import word_lists
from autokb.text.sentences import sentences
from autokb.text.words import content_words

NO_DOMAIN = DomainSpec(name="")
MOST_SUGGESTIONS = 3  # that an agent is offered; keys 1 to 3 take one
# Share of the words of the shorter of two suggestions that the other has: above it they are one help said twice. Of a
# suggestion and a message of the agent: above it the customer has tried it.
SAME_HELP = 0.7
WORDS_OF_ADVICE = 3  # a message of fewer is none that could be tried
MARKUP_OF_TITLE = 8  # characters around the title that a document begins with
Source = Literal["solution", "passage", "ticket", "question", "small_talk", "refusal"]
HELPS: tuple[Source, ...] = ("solution", "passage", "ticket")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that is ready to be sent; small talk, a refusal and a question back have no evidence.

    Nor has what a person wrote by hand, whose source is the solution. Evidence in a past ticket names the ticket and
    its section in place of a document. ``match`` is how the node of a
    solution matches the question, ``attributes`` are what the solution holds for, ``steps`` are all of its steps where
    the text has a part of them, with their ``numbers``; a question back has its ``choices``. Its ``title``, how it was
    ``matched`` and the ``chance`` that a past ticket is about the same problem (None where nobody knows it) are for who
    shows it, and in no JSON.
    """

    text: str
    source: Source
    evidence: tuple[Evidence | TicketEvidence, ...] = ()
    solution_id: str | None = None
    match: Match | None = None
    attributes: Attributes = field(default_factory=dict, hash=False)
    choices: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    numbers: tuple[int | None, ...] = ()
    title: str = field(default="", compare=False)
    matched: Matched | None = field(default=None, compare=False)
    chance: float | None = field(default=None, compare=False)

    @property
    def is_help(self) -> bool:
        """Whether it is of what is known, and neither small talk, a refusal nor a question back."""
        return self.source in HELPS

    @property
    def is_by_hand(self) -> bool:
        """Whether it is help that a person wrote, which cites no document."""
        return self.is_help and not self.evidence

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "text": self.text,
            "source": self.source,
            "evidence": [asdict(one) for one in self.evidence],
            "solution_id": self.solution_id,
            "match": self.match and str(self.match),
            "attributes": as_lists(self.attributes),
            "choices": list(self.choices),
            "steps": list(self.steps),
        }

    def _repr_html_(self) -> str:
        return html("suggested", found=None, suggestions=(self,))


@dataclass(frozen=True, slots=True)
class Suggested(Listed):
    """What an agent is offered for the customer's last message; ``question`` is what was searched for.

    ``strategy`` is how a model was asked, with so many ``passages``, and what that took; where ``fallback`` says why,
    the suggestions are the knowledge base's own words all the same. ``arm`` is that of an experiment: in ``control``
    there are no suggestions, and the outcome is what it would have been with them. ``attributes`` are those that were
    read of the customer's words; they are for who shows them, and in no JSON. ``reading`` says which model chose among
    what was found, or why it did not; ``chosen_by`` is the one that chose the first suggestion.
    ``warning`` is the heading of an emergency, whose suggestion stands alone.
    """

    LIST: ClassVar[str] = "suggestions"
    outcome: Outcome
    suggestions: tuple[Suggestion, ...]
    question: str
    reason: str | None = None
    confidence: float = 0.0
    seconds: float = 0.0
    strategy: str = "plain"
    passages: int = 0
    spent: Spending = NOTHING_SPENT
    fallback: str | None = None
    arm: Arm | None = None
    attributes: Attributes = field(default_factory=dict, hash=False)
    reading: ReaderRun | None = field(default=None, compare=False)
    chosen_by: str = field(default="", compare=False)
    warning: str = field(default="", compare=False)

    def is_narrower(self, one: Suggestion) -> bool:
        """Return whether a suggestion is for some customers alone, of whom this one has not said to be."""
        return not fixed_values(one.attributes).keys() <= fixed_values(self.attributes).keys()

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``suggest`` prints."""
        tokens = self.spent.tokens
        return {
            "outcome": self.outcome,
            "suggestions": [one.as_json() for one in self.suggestions],
            "question": self.question,
            "reason": self.reason,
            "confidence": self.confidence,
            "seconds": self.seconds,
            "strategy": self.strategy,
            "passages": self.passages,
            "requests": self.spent.calls,
            "tokens": {"input": tokens.input, "output": tokens.output, "reasoning": tokens.reasoning},
            "cost": self.spent.cost,
            "fallback": self.fallback,
            "arm": self.arm,
            **({"warning": self.warning} if self.warning else {}),
            **(self.reading.as_json() if self.reading else {}),
        }

    def _repr_html_(self) -> str:
        return html("suggested", found=self, suggestions=self.suggestions)


def suggestions_from(
    answer: Answer,
    rules: ReplyRules,
    refusal: str,
    tried: Sequence[str] = (),
    spec: DomainSpec = NO_DOMAIN,
    *,
    asked: Sequence[str] = (),
    said: SaidBefore = NOTHING_SAID,
    others: Iterable[Suggestion] = (),
) -> tuple[Suggestion, ...]:
    """Return what an agent could send: the question back first where there is one, then help that was not ``tried``.

    A question that is among those that the agent has ``asked`` is not asked again; help goes on behind the steps that
    the words ``said`` before tell, and introductions stand behind it unless a fact is asked for. The first of
    ``others`` comes before the answer's help where it is likelier to be right, all else of them behind it. Raises
    nothing: where no help is short enough for the rules, there is none.
    """
    language = spec.language
    if answer.outcome == "abstains":
        helped = tuple(islice(different_helps(others, tried, language), MOST_SUGGESTIONS))
        return helped or ((Suggestion(refusal, "refusal"),) if rules.fits(refusal) else ())
    found: list[Suggestion] = []
    back, said_of = answer.question, [content_words(one, language) for one in asked]
    if back and not rules.has_negative_words(back.text) and not _is_among(content_words(back.text, language), said_of):
        found.append(Suggestion(back.text, "question", choices=back.values))
    helps = _helps(answer, rules, spec, said)
    if answer.warning:
        return tuple(_warned(one, answer.warning, rules) for one in islice(helps, 1))
    offered = chain(found, _likelier_first(helps, answer.confidence, others))
    return tuple(islice(different_helps(offered, tried, language), MOST_SUGGESTIONS))


def _warned(one: Suggestion, warning: str, rules: ReplyRules) -> Suggestion:
    """Return help in an emergency: the line that says what to do at once first, alone where both are too long."""
    line = warning.partition(": ")[2].rstrip(".") + "."
    rest = " ".join(one.text.replace(line, "").split())
    text = f"{line} {rest}".strip()
    return replace(one, text=text if rules.fits(text) else line)


def _likelier_first(
    helps: Iterable[Suggestion], confidence: float, others: Iterable[Suggestion]
) -> Iterator[Suggestion]:
    """Give help of which the first is right with a probability of ``confidence``, with that of others.

    Both are calibrated: that of an answer on written questions, that of a past ticket on the workspace's own links.
    """
    behind = iter(others)
    first = next(behind, None)
    leads = first is not None and first.chance is not None and first.chance > confidence
    alone = () if first is None else (first,)
    return chain(alone, helps, behind) if leads else chain(helps, alone, behind)


def _helps(answer: Answer, rules: ReplyRules, spec: DomainSpec, said: SaidBefore) -> Iterator[Suggestion]:
    """Give what of an answer's solutions is sent, in their order; to a problem, introductions are sent last."""
    made = (_help(solution, source, answer, rules, spec, said) for solution, source in helps_in_order(answer))
    found = filter(None, made)
    if asks_fact(answer.query, spec.language):
        return found
    return iter(sorted(found, key=lambda one: one.solution_id not in answer.urgent and _introduces(one, spec.language)))


def _introduces(one: Suggestion, language: str) -> bool:
    """Return whether a suggestion is what a document begins with, and tells its reader nothing to do."""
    is_first = bool(one.title) and any(
        e.start <= len(one.title) + MARKUP_OF_TITLE for e in one.evidence if isinstance(e, Evidence)
    )
    parts = (one.text[start:end] for start, end in sentences(one.text, language=language))
    return is_first and not any(instructs(part, language) for part in parts)


def _is_among(words: frozenset[str], others: Iterable[frozenset[str]]) -> bool:
    """Return whether a text says the same as one of the others, by the words of the shorter that the other has."""
    return any(len(words & other) / max(1, min(len(words), len(other))) > SAME_HELP for other in others)


def helps_in_order(answer: Answer) -> Iterator[tuple[Solution, Source]]:
    """Give the solutions of an answer in its order, which is that of ``ask``, none far behind the first.

    Beside an urgent warning that was called for stands only what its own documents say, for a household tip would be
    tried first.
    """
    sections = {passage.solution.id for passage in answer.passages}
    alarming = {_document(one) for one in answer.shown if one.id in answer.urgent} - {""}
    for solution in (one for one in answer.shown if one.id not in answer.far):
        if not answer.called or solution.id in answer.urgent or _document(solution) in alarming:
            yield solution, "passage" if solution.id in sections else "solution"


def _document(solution: Solution) -> str:
    """Return the document that a solution begins in; nothing for one that a person wrote."""
    return solution.evidence[0].document if solution.evidence else ""


# Complex: what a person wrote has not one source a step; each part of a suggestion is another where it lacks them.
def _help(
    solution: Solution, source: Source, answer: Answer, rules: ReplyRules, spec: DomainSpec, said: SaidBefore
) -> Suggestion | None:
    """Return what of a solution is sent, None where no part of it is short enough and can be read by itself."""
    steps, evidence, title = solution.steps, solution.evidence, heading_of(solution.text, solution.steps)
    language = spec.language
    condition = _audience(solution, title, answer, spec)
    is_paired = len(steps) == len(evidence) and all(map(is_source_of, (e.quote for e in evidence), steps))
    written = [e.quote for e in evidence] if is_paired else written_steps(solution.text, steps)
    found = excerpt(steps, written, answer.query, rules, language, condition=condition, said=said, title=title)
    if found is None and solution.id in answer.urgent:
        found = warning_excerpt(title, steps, rules)
    if found is None:
        return None
    cites = tuple(dict.fromkeys([evidence[n] for n in found.steps] if is_paired else evidence))
    matched = next((m for m in answer.matches if solution in m.solutions), None)
    words_told = count_words(found.text) - count_words(condition)
    further = steps if count_words(" ".join(steps)) > words_told else ()
    numbers = step_numbers(further, written)
    return Suggestion(
        _text_of(found, numbers, language), source, cites, solution.id, matched.match if matched else None,
        attributes=solution.attributes, steps=further, numbers=numbers, title=title, matched=matched,
    )  # fmt: skip


def _text_of(found: ReplyExcerpt, numbers: Sequence[int | None], language: str) -> str:
    """Return the words of a reply; part of a procedure ends with the offer to go on."""
    is_part = found.is_cut and any(number not in (None, BULLET) for number in numbers)
    further = word_lists(ConversationWords, language).replies.get("further", "") if is_part else ""
    return f"{found.text} {further}".rstrip()


def _audience(solution: Solution, title: str, answer: Answer, spec: DomainSpec) -> str:
    """Return for whom a solution is of whom the customer has not said to be, empty where it is for everybody.

    That is the condition in its title, or what the title calls them, else the domain's words for what a question back
    asks, or for the first value. What holds for a customer by one attribute needs no condition.
    """
    fixed = fixed_values(solution.attributes)
    left = {n: v for n, v in fixed.items() if not answer.attributes.get(n, ANY) <= v}
    if left == fixed and (condition := condition_of(title, answer.query, spec.language)):
        return condition
    if part := _part_that_names(title, left, spec):
        return part
    asked = answer.question.attribute if answer.question else ""
    name = asked if asked in left else next(iter(left), "")
    names = spec.attributes[name].labels if name in spec.attributes else {}
    labels = ", ".join(names.get(value, value) for value in sorted(left.get(name, ())))
    return labels[:1].upper() + labels[1:]


def _part_that_names(title: str, audience: Attributes, spec: DomainSpec) -> str:
    """Return the last part of a title that is nothing but a name of an audience, empty where none is."""
    parts = (p for p in reversed(title.split(": ")) if all(s.startswith("<") for s in mask_values(p, spec)))
    named = ((part, text_attributes(part, spec)) for part in parts)
    return next((part for part, some in named if any(some.get(n) == v for n, v in audience.items())), "")


def different_helps(suggestions: Iterable[Suggestion], tried: Sequence[str], language: str) -> Iterator[Suggestion]:
    """Give those that say something else than the ones before, and than what the agent wrote already."""
    before = [words for text in tried if len(words := content_words(text, language)) >= WORDS_OF_ADVICE]
    for one in suggestions:
        words = content_words(one.text, language)
        if one.text and not _is_among(words, before):
            before.append(words)
            yield one
