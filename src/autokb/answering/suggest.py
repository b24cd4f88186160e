"""Up to three suggestions for an agent: each a different help, short, in the knowledge base's own words, cited."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.answering.answer import Answer, Outcome
from autokb.core.domain import ENGLISH
from autokb.core.nouns import Evidence, Solution
from autokb.core.reply_rules import ReplyRules
from autokb.heuristics.conversations.standing_alone import stands_alone
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.words import content_words

MOST_SUGGESTIONS = 3
# Share of the words of the shorter of two suggestions that the other has: above it they are one help said twice.
SAME_HELP = 0.6
# Share of the words of the shorter of a suggestion and a message of the agent that the other has: above it the customer
# has tried it. A message of fewer words is none that could be tried.
TRIED, WORDS_OF_ADVICE = 0.7, 3
# Document score by which a document may be behind that of the first help. Of 80 further suggestions from documents that
# were farther behind (tuning questions and development conversations of four knowledge bases) one was right.
FAR_BEHIND = 0.3
_ENDS = (".", "!", "?", ":", "…", "。", "！", "？")
Source = Literal["solution", "passage", "ticket", "question", "small_talk", "refusal"]


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that is ready to be sent; small talk, a refusal and a question back have no evidence."""

    text: str
    source: Source
    evidence: tuple[Evidence, ...] = ()
    solution_id: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the shape of the interface."""
        return {
            "text": self.text,
            "source": self.source,
            "evidence": [
                {"document": e.document, "start": e.start, "end": e.end, "quote": e.quote} for e in self.evidence
            ],
            "solution_id": self.solution_id,
        }


@dataclass(frozen=True, slots=True)
class Suggested:
    """What an agent is offered for the customer's last message; ``question`` is what was searched for."""

    outcome: Outcome
    suggestions: tuple[Suggestion, ...]
    question: str
    reason: str | None = None
    confidence: float = 0.0
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the object that ``suggest`` prints."""
        return {
            "outcome": self.outcome,
            "suggestions": [one.as_json() for one in self.suggestions],
            "question": self.question,
            "reason": self.reason,
            "confidence": self.confidence,
            "seconds": self.seconds,
        }


def suggestions_from(
    answer: Answer, rules: ReplyRules, refusal: str, tried: Sequence[str] = (), language: str = ENGLISH
) -> tuple[Suggestion, ...]:
    """Return what an agent could send: the question back first where there is one, then help that was not ``tried``.

    Raises nothing: where no help is short enough for the rules, there is none.
    """
    if answer.outcome == "abstains":
        return (Suggestion(refusal, "refusal"),) if rules.fits(refusal) else ()
    found: list[Suggestion] = []
    if answer.question is not None and not rules.has_negative_words(answer.question.text):
        found.append(Suggestion(answer.question.text, "question"))
    helps = (_help(solution, source, rules, language) for solution, source in _in_order(answer))
    return tuple(_different((*found, *filter(None, helps)), tried, language))[:MOST_SUGGESTIONS]


def _in_order(answer: Answer) -> Iterator[tuple[Solution, Source]]:
    """Give the solutions of an answer, the first of each match before the second of any, none of a far document."""
    shown = [match.solutions for match in answer.matches]
    found: list[tuple[Solution, Source]] = []
    for place in range(max(map(len, shown), default=0)):
        found += [(solutions[place], "solution") for solutions in shown if place < len(solutions)]
    found += [(passage.solution, "passage") for passage in answer.passages]
    scores = {hit.id: hit.score for hit in answer.documents}
    first = next((scores[d] for solution, _ in found for d in _documents(solution) if d in scores), 0.0)
    for solution, source in found:
        behind = [first - scores.get(document, -1.0) for document in _documents(solution)]
        if not behind or min(behind) <= FAR_BEHIND:
            yield solution, source


def _documents(solution: Solution) -> list[str]:
    """Return the documents that a solution cites; one by hand cites none."""
    return [evidence.document for evidence in solution.evidence]


def _help(solution: Solution, source: Source, rules: ReplyRules, language: str) -> Suggestion | None:
    """Return the beginning of a solution as a reply: whole steps, else whole sentences of its first.

    It ends before a step that speaks of what the customer cannot see, such as a table above.
    """
    parts: list[str] = []
    cited: list[Evidence] = []
    for step, evidence in zip(solution.steps, solution.evidence, strict=False):
        text = _as_sentence(plain_text(step))
        if not stands_alone(text, language, opens=not parts):
            break
        if not rules.fits(" ".join((*parts, text))):
            if not parts and (opening := _opening(text, rules, language)):
                parts, cited = [opening], [evidence]
            break
        parts.append(text)
        cited.append(evidence)
    if not parts:
        return None
    return Suggestion(" ".join(parts), source, tuple(dict.fromkeys(cited)), solution.id)


def _opening(text: str, rules: ReplyRules, language: str) -> str:
    """Return as many of the first sentences as fit, none where the first does not."""
    spans = sentences(text, language=language)
    fitting = [text[spans[0][0] : end] for _, end in spans if rules.fits(text[spans[0][0] : end])]
    return fitting[-1] if fitting else ""


def _as_sentence(text: str) -> str:
    words = " ".join(text.split())
    return words if not words or words.endswith(_ENDS) else f"{words}."


def _different(suggestions: Iterable[Suggestion], tried: Sequence[str], language: str) -> Iterator[Suggestion]:
    """Give those that say something else than the ones before, and than what the agent wrote already."""
    advice = [words for text in tried if len(words := content_words(text, language)) >= WORDS_OF_ADVICE]
    before: list[frozenset[str]] = []
    for one in suggestions:
        words = content_words(one.text, language)
        is_known = one.source != "question" and any(
            len(words & other) > TRIED * min(len(words), len(other)) for other in advice
        )
        is_same = any(len(words & other) > SAME_HELP * max(1, min(len(words), len(other))) for other in before)
        if one.text and not is_known and not is_same:
            before.append(words)
            yield one
