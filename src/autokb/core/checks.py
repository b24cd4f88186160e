"""Questions that must stay right: what a team asks of every version, and what is right then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autokb.core.attributes import Attributes
from autokb.core.results import Result


@dataclass(frozen=True, slots=True)
class CheckResult(Result):
    """Whether what a check names was ``first``, among the ``three`` first, and whether the ``outcome`` was right.

    ``answer`` is the outcome that it got, ``shown`` the title of what was shown first, with its document.
    """

    id: str
    first: bool
    three: bool
    outcome: bool
    answer: str = ""
    shown: str = ""

    @property
    def is_right(self) -> bool:
        """Whether what comes first and the outcome are right."""
        return self.first and self.outcome


@dataclass(frozen=True, slots=True)
class Turned(Result):
    """A check that was right ``before`` and is not ``now``; before is None where nothing was published."""

    id: str
    before: CheckResult | None
    now: CheckResult


@dataclass(frozen=True, slots=True)
class KeptChecks(Result):
    """What became of checks that were added; ``unresolved`` are those whose document or solution is not published."""

    added: int
    updated: int
    unchanged: int
    unresolved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal(Result):
    """Why readers stay where they are: what they would lose, what the gate has against it, the checks that turned."""

    reasons: tuple[str, ...]
    checks: tuple[Turned, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of a publication that the gate refuses."""
        return {"published": False, **Result.as_json(self)}


@dataclass(frozen=True, slots=True)
class Check:
    """A question and what is right: a document and perhaps its heading, a solution, a past ticket, or how it ends.

    ``attributes`` are what an agent states beside the text. An ``outcome`` is answered, asks or abstains; without one
    any is right that shows something.
    """

    id: str
    text: str
    attributes: Attributes = field(default_factory=dict)
    document: str = ""
    heading: str = ""
    solution: str = ""
    ticket: str = ""
    outcome: str = ""
    author: str = ""

    @property
    def names_a_place(self) -> bool:
        """Whether it says what is to be shown, not only how the question ends."""
        return bool(self.document or self.solution or self.ticket)


@dataclass(frozen=True, slots=True)
class CheckList(Result):
    """All checks of a workspace, in the order of their adding."""

    checks: tuple[Check, ...]

    def as_json(self) -> dict[str, Any]:
        """Return each as the line that ``checks add`` reads."""
        return {"checks": [check_json(one) for one in self.checks]}


def check_json(check: Check) -> dict[str, Any]:
    """Return a check as the line that is read; what it leaves open is left out."""
    attributes = {name: sorted(values) for name, values in sorted(check.attributes.items())}
    places = ("document", "heading", "solution", "ticket", "outcome", "author")
    named = {name: value for name in places if (value := getattr(check, name))}
    return {"id": check.id, "text": check.text, **({"attributes": attributes} if attributes else {}), **named}


def turned(before: Mapping[str, CheckResult], now: Sequence[CheckResult]) -> tuple[Turned, ...]:
    """Return the checks whose first or outcome was right before and is not now."""
    return tuple(
        Turned(one.id, was, one)
        for one in now
        if (was := before.get(one.id)) and (was.first > one.first or was.outcome > one.outcome)
    )
