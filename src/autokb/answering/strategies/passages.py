"""Passages that replies are written from, and the places in documents that their words stand at."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from autokb.answering.answer import Answer
from autokb.answering.suggest import Source, helps_in_order
from autokb.core.nouns import Evidence, Solution
from autokb.core.solution_text import heading_of
from autokb.core.tickets import TicketEvidence
from autokb.heuristics.replies.drafts import GivenPassage
from autokb.text.plain_text import plain_text
from autokb.text.table_rows import with_rows_as_lines

Place = Evidence | TicketEvidence


@dataclass(frozen=True, slots=True)
class PassagePart:
    """Words as they are shown, and where they are from; a step that a person wrote is from nowhere."""

    text: str
    evidence: Place | None

    def evidence_of(self, start: int, end: int) -> Place | None:
        """Return where ``text[start:end]`` is from: that place alone, but all of it where the words were edited."""
        place = self.evidence
        if place is None or self.text != place.quote:
            return place
        return replace(place, start=place.start + start, end=place.start + end, quote=self.text[start:end])


@dataclass(frozen=True, slots=True)
class StrategyPassage:
    """What one solution, section or ticket says."""

    title: str
    parts: tuple[PassagePart, ...]
    source: Source
    solution_id: str | None = None

    @property
    def given(self) -> GivenPassage:
        """What a task is shown of it."""
        return GivenPassage(self.title, tuple(part.text for part in self.parts), self.source != "ticket")

    def evidence_of(self, start: int, end: int) -> Iterator[Place]:
        """Give where the words ``start`` to ``end`` of the given text are from."""
        here = 0
        for part in self.parts:
            first, last = max(start, here), min(end, here + len(part.text))
            if first < last and (found := part.evidence_of(first - here, last - here)):
                yield found
            here += len(part.text) + 1  # the line break between two parts


def passage_of_text(
    place: Place, source: Source = "passage", title: str = "", solution_id: str | None = None
) -> StrategyPassage:
    """Return a place in a document or a past ticket as a passage."""
    name = place.document if isinstance(place, Evidence) else place.ticket
    return StrategyPassage(title or name, (PassagePart(place.quote, place),), source, solution_id)


def passages_of(answer: Answer, most: int) -> tuple[StrategyPassage, ...]:
    """Return what an answer shows, best first: its checked solutions, then sections.

    What is too far from the question to be sent as it stands comes last, for a model that may pass it over.
    """
    solutions: list[tuple[Solution, Source]] = [(s, "solution") for match in answer.matches for s in match.solutions]
    sections: list[tuple[Solution, Source]] = [(passage.solution, "passage") for passage in answer.passages]
    found: dict[str, StrategyPassage] = {}
    for solution, source in chain(helps_in_order(answer), solutions, sections):
        if len(found) == most:
            break
        passage = _passage(solution, source)
        found.setdefault(passage.given.text, passage)  # nodes share solutions
    return tuple(found.values())


def near_passages(answer: Answer, most: int) -> tuple[StrategyPassage, ...]:
    """Return what is near a question that the gate refuses, best first, for a model that may decline too."""
    return tuple(_passage(solution, "passage") for solution in answer.near[:most])


def _passage(solution: Solution, source: Source) -> StrategyPassage:
    places = [*solution.evidence, *[None] * len(solution.steps)]
    parts = tuple(_part(step, place) for step, place in zip(solution.steps, places, strict=False))
    if not parts:
        return StrategyPassage("", (PassagePart(solution.text, None),), source, solution.id)
    return StrategyPassage(heading_of(solution.text, solution.steps), parts, source, solution.id)


def _part(step: str, place: Evidence | None) -> PassagePart:
    """Return a step as its document has it, unless a person or a model said it in other words."""
    is_verbatim = place is not None and plain_text(with_rows_as_lines(place.quote)) == plain_text(step)
    return PassagePart(place.quote if place is not None and is_verbatim else step, place)
