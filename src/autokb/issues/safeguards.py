"""What the rules leave of a solution: displayed, repaired by leaving steps out, or withheld with the reason."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from autokb.core.domain import ENGLISH, DomainSpec
from autokb.core.nouns import Issue, Solution, Verdict
from autokb.core.solution_text import counted_text, solution_title, with_steps
from autokb.core.step_numbers import BULLET, find_loss, shown_name, step_numbers, with_shown_names
from autokb.heuristics.rules import RuleVerdict
from autokb.heuristics.solutions.instructions import instructs
from autokb.heuristics.solutions.words import ManualWords
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules
from autokb.text.lexicons import alternation, language_data, word_lists


def rules_request(solution: Solution, issue: Issue | None, spec: DomainSpec, *, explains: bool = False) -> CheckRules:
    """Ask whether a solution keeps the rules of its domain; without its issue equal texts are one question.

    One that ``explains`` wants a reason for each rule that is kept.
    """
    return CheckRules(
        domain=spec.in_words,
        issue="" if issue is None else issue.text,
        title=solution_title(solution),
        steps=solution.steps,
        text=counted_text(solution.text, solution.steps, solution.quotes),
        rules=spec.rules,
        language=spec.language,
        explains=explains,
    )


def safeguard(
    solution: Solution, reply: CheckedRules, language: str = ENGLISH, *, shows_doubted: bool = False
) -> Solution:
    """Return a solution that obeys the rules, repaired where it still makes sense, else withheld; both say why.

    It still makes sense when the title keeps the rules, something to do is left, and no step that stays needs one that
    goes: the steps of an ordered list need those before them, unless the one that goes is optional or comes last, and
    ``Then restart it`` needs the step before it. It must keep its beginning and half of its steps. Of a step with
    bullets only the offending bullets go. What was withheld or repaired before stays so, with its reason. What may
    break a rule (``doubt``) is treated as if it did, unless it ``shows_doubted``; the doubt is on record either way,
    for a person to decide.
    """
    named = (
        v.model_copy(update={"reason": with_shown_names(v.reason, solution.steps, solution.quotes)})
        for v in reply.verdicts
    )
    reply = reply.model_copy(update={"verdicts": tuple(named)})
    against = ("broken",) if shows_doubted else ("broken", "doubt")
    broken = [v for v in reply.verdicts if v.verdict in against]
    if not broken or solution.status == "withheld":
        return replace(solution, rules=record_verdicts(reply))
    left = _remove_broken(solution.steps, broken)
    if hindrance := _find_hindrance(solution, broken, left, language):
        return _withhold_solution(solution, reply, broken, hindrance)
    return _repair_solution(solution, reply, broken, left)


def _append_reason(solution: Solution, reason: str) -> str:
    """Return a reason behind the one that the solution has already."""
    return f"{solution.reason} {reason}" if solution.reason else reason


def record_verdicts(reply: CheckedRules, repair: str = "") -> tuple[Verdict, ...]:
    """Return what the rules say as it is kept; what was broken is kept after a ``repair``."""
    return tuple(
        Verdict(v.rule, "kept", f"{repair} {v.reason}")
        if repair and v.verdict == "broken"
        else Verdict(v.rule, v.verdict, v.reason)
        for v in reply.verdicts
    )


def _remove_broken(steps: Sequence[str], broken: Sequence[RuleVerdict]) -> dict[int, str]:
    """Return what stays of each step, by its number from 1; a step that goes is missing."""
    left = dict(enumerate(steps, 1))
    for place, step in enumerate(steps, 1):
        lines = step.split("\n")
        gone = _lines_against(place, len(lines), broken)
        if not gone:
            continue
        stay = [line for n, line in enumerate(lines) if n not in gone]
        if all(lines[n].lstrip().startswith("- ") for n in gone) and not stay[-1].endswith((":", "：")):
            left[place] = "\n".join(stay)
        else:
            del left[place]
    return left


def _lines_against(place: int, lines: int, broken: Sequence[RuleVerdict]) -> set[int]:
    """Return the lines of a step that break a rule, all of them where a verdict names the step alone."""
    against = set[int]()
    for verdict in broken:
        if place in verdict.places:
            against.update([n for p, n in verdict.lines if p == place] or range(lines))
    return against


def _find_hindrance(solution: Solution, broken: Sequence[RuleVerdict], left: Mapping[int, str], language: str) -> str:
    """Return why a solution cannot be repaired, or nothing."""
    if any(0 in verdict.places for verdict in broken):
        return "Its title breaks a rule, so all of it is about what must not be said."
    if any(not verdict.places for verdict in broken):
        return "No single step breaks the rule, so none can be left out."
    has_instruction = partial(_has_instruction, language=language)
    if not left or (any(map(has_instruction, solution.steps)) and not any(map(has_instruction, left.values()))):
        return "Nothing to do would be left without the steps that break it."
    return _find_step_needed(solution, left, language)


def _find_step_needed(solution: Solution, left: Mapping[int, str], language: str) -> str:
    numbers, is_optional = step_numbers(solution.steps, solution.quotes), _compile_optional_openings(language).match
    for place, step in enumerate(solution.steps, 1):
        if place in left:
            continue
        name = shown_name(numbers[place - 1], step)
        name = name[0].upper() + name[1:]
        if numbers[place - 1] not in (None, BULLET) and max(left) > place and not is_optional(step):
            return f"{name} cannot be left out: the steps after it may need it. If they do not, edit the text."
        if place + 1 in left and _compile_continuations(language).match(solution.steps[place]):
            return f"{name} cannot be left out: the step after it goes on from it."
    return find_loss(numbers, [n for n, step in enumerate(solution.steps) if n + 1 in left or is_optional(step)])


@cache
def _compile_optional_openings(language: str) -> re.Pattern[str]:
    openings = "|".join(map(re.escape, language_data(language).optional_step_openings))
    return re.compile(rf"\W*(?:{openings or '(?!)'})\b", re.IGNORECASE)


@cache
def _compile_continuations(language: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{alternation(word_lists(ManualWords, language).continuations)})\b", re.IGNORECASE)


def _has_instruction(step: str, language: str) -> bool:
    return any(instructs(part, language) for part in re.split(r"(?<=[.!?])\s+|\n", step))


def _withhold_solution(
    solution: Solution, reply: CheckedRules, broken: Sequence[RuleVerdict], hindrance: str
) -> Solution:
    breaks = "It breaks" if any(v.verdict == "broken" for v in broken) else "It may break"
    reason = _append_reason(solution, f"{breaks} {', '.join(v.rule for v in broken)}. {hindrance}")
    return replace(solution, status="withheld", reason=reason, rules=record_verdicts(reply))


def _repair_solution(
    solution: Solution, reply: CheckedRules, broken: Sequence[RuleVerdict], left: Mapping[int, str]
) -> Solution:
    whole = [n for n in range(1, len(solution.steps) + 1) if n not in left]
    parts = [n for n, step in left.items() if step != solution.steps[n - 1]]
    told = " and ".join((*(f"step {n}" for n in whole), *(f"part of step {n}" for n in parts)))
    named = with_shown_names(told, solution.steps, solution.quotes)
    reasons = " ".join(f"{v.rule}: {v.reason}" for v in broken)
    return replace(
        with_steps(solution, left),
        status="repaired",
        reason=_append_reason(solution, f"Left out {named}. {reasons}"),
        rules=record_verdicts(reply, f"Kept without {named}."),
    )
