"""What befell one solution: who edited, judged or wrote it, what was taken back, what builds made of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from autokb.core.decisions import edit_solution
from autokb.core.nouns import Decision, DecisionName, Solution, Wording
from autokb.core.results import Result


@dataclass(frozen=True, slots=True)
class HistoryEntry(Result):
    """One thing that was done to a solution.

    ``author`` is empty where nobody named one or a build did it. ``before`` and ``after`` are texts: what was shown
    around an edit or the taking back of one; what the build had written around ``built anew`` (in other words since
    its source changed), ``gone`` and ``back``. ``decision`` is the id of an edit or verdict, for ``undone`` that of the
    one taken back, for ``dismissed`` and ``queued again`` (of the review queue, while the solution is gone) that of the
    edit; ``undone`` says that it was taken back since.
    """

    number: int
    date: str
    author: str
    what: DecisionName
    decision: str | None
    undone: bool
    before: str | None
    after: str | None
    reason: str


@dataclass(frozen=True, slots=True)
class SolutionHistory(Result):
    """What befell a solution, the newest first; ``is_there`` says whether the knowledge base still has it."""

    id: str
    is_there: bool
    items: tuple[HistoryEntry, ...]


# Complex: a text at a time follows from all edits before it that were not taken back, in one pass.
def history_of(base: Solution | None, log: Sequence[Decision]) -> list[HistoryEntry]:
    """Return the entries of a log in their order, the texts around each worked out from what was built at that time."""
    built = _first_wording(base, log)
    changes = {one.id for one in log if one.kind == "edit"}
    edits: list[Decision] = []  # those that were not taken back yet, the one that counts last
    told = []
    for one in log:
        before = _text(built, edits, base)
        if one.what == "edited":
            edits.append(one)
        elif one.what == "undone":
            edits = [edit for edit in edits if edit.id != one.decision]
        built = one.after or built
        if one.what == "edited" or (one.what == "undone" and one.decision in changes):
            told.append(_entry(one, before, _text(built, edits, base)))
        else:
            after = one.after.text if one.after else one.text or None
            told.append(_entry(one, one.before.text if one.before else None, after))
    return told


def _first_wording(base: Solution | None, log: Sequence[Decision]) -> Wording | None:
    """Return what was built before all that is known of a solution befell it."""
    told = (wording for one in log for wording in (one.before, one.after) if wording)
    return next(told, Wording(base.text, base.steps) if base else None)


def _entry(one: Decision, before: str | None, after: str | None) -> HistoryEntry:
    about = {"event": one.decision or None, "written": None}.get(one.kind, one.id)
    return HistoryEntry(
        number=one.number,
        date=one.date,
        author=one.author,
        what=one.what,
        decision=about,
        undone=one.undone,
        before=before,
        after=after,
        reason=one.reason,
    )


def _text(built: Wording | None, edits: list[Decision], base: Solution | None) -> str | None:
    """Return the text that an edit gave to what was built; its own where nothing of that is known any more."""
    if built is None:
        return (edits[-1].text or "\n".join(edits[-1].steps)) if edits else None
    solution = Solution("", "", built.text, built.steps, {}, base.evidence if base else ())
    return edit_solution(solution, edits[-1]).text if edits else built.text
