"""Lines that open with whom they are for (``On a Mac, ...``) are not shown to a customer who has said to be another."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from autokb.answering.answer import Answer
from autokb.core.attributes import Attributes, fixed_values
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Solution
from autokb.core.solution_text import with_steps
from autokb.core.step_numbers import find_loss, step_numbers
from autokb.heuristics.solutions.audience import AudienceReader, audience_reader
from autokb.text.sentences import sentences

_NUMBER_OF_STEP = re.compile(r"\b(?:steps?|schritt\w*)\s+\d", re.IGNORECASE)  # which would name another one without it


def without_lines_for_others(answer: Answer, spec: DomainSpec) -> Answer:
    """Return an answer whose solutions have no line that is for other values than the question states.

    An urgent warning is shown whole. So is a solution whose lines refer to each other by number, one that would lose
    its beginning with no other in its place, one with nothing but lines for others, and all that depends on a customer
    having none of something (no illness): a line about it warns.
    """
    stated = fixed_values(answer.attributes)
    if not stated or not answer.shown:
        return answer
    reader = audience_reader(spec.attributes, spec.language)
    solutions = {solution.id: solution for solution in _solutions(answer)}
    seen = {i: s if i in answer.urgent else _for_customer(s, stated, reader) for i, s in solutions.items()}
    return answer if seen == solutions else _showing(answer, seen)


def _showing(answer: Answer, seen: Mapping[str, Solution]) -> Answer:
    """Return an answer with its solutions as they are ``seen``, by their ids."""
    telling = answer.telling
    return replace(
        answer,
        matches=tuple(replace(m, solutions=tuple(seen[s.id] for s in m.solutions)) for m in answer.matches),
        passages=tuple(replace(p, solution=seen[p.solution.id]) for p in answer.passages),
        shown=tuple(seen[s.id] for s in answer.shown),
        telling=telling if telling and telling.evidence in seen[answer.shown[0].id].evidence else None,
    )


def _solutions(answer: Answer) -> list[Solution]:
    of_matches = [solution for match in answer.matches for solution in match.solutions]
    return [*of_matches, *(passage.solution for passage in answer.passages), *answer.shown]


# Complex: each condition is another reason to show a solution whole.
def _for_customer(solution: Solution, stated: Attributes, reader: AudienceReader) -> Solution:
    steps, evidence = solution.steps, solution.evidence
    if len(steps) != len(evidence) or any(map(_NUMBER_OF_STEP.search, steps)):
        return solution
    gone = [n for n, step in enumerate(steps) if _is_for_others(step, stated, reader)]
    kept = {n: _without_items_for_others(s, stated, reader) for n, s in enumerate(steps) if n not in gone}
    some = [n for n, words in kept.items() if reader.of_condition(words)]
    is_cut = find_loss(step_numbers(steps, solution.quotes), kept, gone, some)
    if not kept or is_cut or tuple(kept.values()) == steps:
        return solution
    return with_steps(solution, {n + 1: words for n, words in kept.items()})


def _without_items_for_others(step: str, stated: Attributes, reader: AudienceReader) -> str:
    """Return a step without those of the items below its words that are for others."""
    first, *items = step.split("\n")
    return "\n".join((first, *(item for item in items if not _is_for_others(item, stated, reader))))


def _is_for_others(step: str, stated: Attributes, reader: AudienceReader) -> bool:
    """Return whether the condition that opens a line, or a model in its first sentence, rules the customer out.

    So it does where no further words name others.
    """
    told = [step[start:end] for start, end in sentences(step, language=reader.spec.language)]
    audience, further = reader.of_condition(step), told[1:]
    if not audience:
        audience, further = reader.of_label("".join(told[:1])), [step]
    if not audience or not reader.excludes(audience, stated):
        return False
    named = map(reader.of_text, further)
    return all(values <= audience.get(name, values) for one in named for name, values in one.items())
