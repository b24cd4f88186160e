"""What the task is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass

from autokb.core.domain import Rule
from autokb.core.nouns import VerdictName
from autokb.tasks.reply import Reply


@dataclass(frozen=True, slots=True)
class CheckRules:
    """A solution as it would be shown, its issue and the rules; ``text`` is title and steps together."""

    domain: str
    issue: str
    title: str
    steps: tuple[str, ...]
    text: str
    rules: tuple[Rule, ...]


class RuleVerdict(Reply):
    """What one rule says; ``places`` are where it is broken: 0 is the title, 1 the first step.

    ``lines`` narrow a place down: (2, 3) is the fourth line of the second step. A place without lines is broken whole.
    """

    rule: str
    verdict: VerdictName
    reason: str
    places: tuple[int, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


class CheckedRules(Reply):
    """One verdict for each rule, in the order of the rules."""

    verdicts: tuple[RuleVerdict, ...]
