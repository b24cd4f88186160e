"""Questions that must stay right: what a team asks of every version, and what is right then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from autokb.core.attributes import Attributes
from autokb.core.results import CheckResult, Result, Turned


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
