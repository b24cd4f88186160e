"""The trees as they were published, with what surrounds them, and an issue by the start of its id."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.nouns import Decision, Issue
from autokb.core.results import Result
from autokb.views.kinds import IssueView


@dataclass(frozen=True, slots=True)
class OrphanedEdit(Result):
    """A hand edit whose solution is gone; ``offered_for`` is the solution that it may belong to now.

    One that is ``dismissed`` is in no review queue.
    """

    id: str
    solution_id: str
    text: str
    date: str
    offered_for: str | None = None
    dismissed: bool = False

    @classmethod
    def of(cls, edit: Decision, offers: Mapping[str, str]) -> OrphanedEdit:
        """Return a decision's edit; ``offers`` has the solutions that edits are offered for."""
        text = edit.text or "\n".join(edit.steps)
        return cls(edit.id, edit.solution_id, text, edit.date, offers.get(edit.id), edit.dismissed)


@dataclass(frozen=True, slots=True)
class OrphanedVerdict(Result):
    """A person's verdict whose solution is gone; ``offered_for`` is the solution that it may fit now."""

    id: str
    solution_id: str
    verdict: str
    date: str
    offered_for: str | None = None


@dataclass(frozen=True, slots=True)
class ShownKB(Result):
    """The published trees and what surrounds them; ``staged`` counts what was added, ``trees_in_all`` all trees."""

    domain: str
    staged: Mapping[str, int]
    documents: int
    raw_issues: int
    themes: tuple[str, ...]
    solutions: int
    trees: tuple[IssueView, ...]
    trees_in_all: int
    orphaned_edits: tuple[OrphanedEdit, ...]
    orphaned_verdicts: tuple[OrphanedVerdict, ...] = ()


def find_issue(issues: Mapping[str, Issue], wanted: str, folder: Path | None = None) -> Issue:
    """Return the issue with this id or these first letters of one (BadInputError where several have them).

    Another case counts where none is written like that. UnknownIdError where none has them at all, which names the
    command that lists those of a workspace's ``folder``.
    """
    if wanted in issues:
        return issues[wanted]
    fitting = _beginning_with(issues, wanted) if wanted else []
    if not fitting:
        listed = "the list of the knowledge base has those there are."
        where = f"this lists them: autokb show {shlex.quote(str(folder))}" if folder else listed
        raise UnknownIdError(f"No issue has the id {wanted!r}; {where}")
    if len(fitting) > 1:
        raise BadInputError(
            f"{len(fitting)} issues start with {wanted!r}: {', '.join(fitting[:3])} ...; write more of it."
        )
    return issues[fitting[0]]


def _beginning_with(issues: Iterable[str], wanted: str) -> list[str]:
    """Return the ids that begin with these letters, in any case if none does with these very ones."""
    begins = (wanted, f"issue-{wanted}")
    if fitting := sorted(i for i in issues if i.startswith(begins)):
        return fitting
    folded = {i: i.casefold() for i in issues}
    whole = sorted(i for i, text in folded.items() if text == wanted.casefold())
    return whole or sorted(i for i, text in folded.items() if text.startswith(tuple(map(str.casefold, begins))))
