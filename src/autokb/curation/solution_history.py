"""What befell one solution: who edited, judged or wrote it, what was taken back, what builds made of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from autokb.core.decisions import Decision, edit_solution
from autokb.core.errors import UnknownIdError
from autokb.core.nouns import Edit, HandWritten, HumanVerdict, Solution, SolutionEvent, Wording
from autokb.core.results import Result
from autokb.stores.published import read_decisions, read_events
from autokb.stores.workspace import Workspace
from autokb.views.solutions_in_memory import SolutionsInMemory

What = (
    Literal["edited", "approved", "rejected", "hidden", "written"]
    | Literal["undone", "built anew", "gone", "back", "dismissed", "queued again"]
)


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
    what: What
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


def show_history(workspace: Workspace, memory: SolutionsInMemory, solution: str) -> SolutionHistory:
    """Return the history of a solution, also of one that is gone (UnknownIdError where nothing is known of it)."""
    with workspace.file() as file, file.snapshot():
        decided = memory.read_with(file, solution).decided
        events = read_events(file, solution)
        base = decided.base.get(solution)
        if base is not None:
            decisions: list[Decision] = [*decided.taken.get(solution, ()), *_by_hand(decided.written, solution)]
        else:
            decisions = [one for one in read_decisions(file) if _is_about(one, solution)]
    if base is None and not decisions and not events:
        raise UnknownIdError(f"No solution has the id {solution!r}; the list of solutions has those there are.")
    told = _tell(base, decisions, events)
    return SolutionHistory(solution, base is not None, tuple(reversed(told)))


def _is_about(decision: Decision, solution: str) -> bool:
    return solution == (decision.id if isinstance(decision, HandWritten) else decision.solution_id)


def _by_hand(written: Mapping[str, HandWritten], solution: str) -> list[HandWritten]:
    return [written[solution]] if solution in written else []


def _tell(base: Solution | None, decisions: Iterable[Decision], events: list[SolutionEvent]) -> list[HistoryEntry]:
    """Return the entries in their order, the texts around each worked out from what was built at that time."""
    built = _first_wording(base, events)
    by_id = {one.id: one for one in decisions}
    edits: list[Edit] = []  # those that were not taken back yet, the one that counts last
    told = []
    for one in sorted((*by_id.values(), *events), key=lambda one: one.number):
        before = _text(built, edits)
        texts: tuple[str | None, str | None] = (None, None)
        if isinstance(one, Edit):
            edits.append(one)
            texts = (before, _text(built, edits))
        elif isinstance(one, SolutionEvent) and one.what != "undone":
            built = one.after or built
            texts = (one.before.text if one.before else None, one.after.text if one.after else None)
        elif isinstance(one, SolutionEvent) and isinstance(by_id.get(one.decision), Edit):
            edits = [edit for edit in edits if edit.id != one.decision]
            texts = (before, _text(built, edits))
        told.append(_entry(one, *texts))
    return told


def _first_wording(base: Solution | None, events: Iterable[SolutionEvent]) -> Wording | None:
    """Return what was built before all that is known of a solution befell it."""
    told = (wording for event in events for wording in (event.before, event.after) if wording)
    return next(told, Wording(base.text, base.steps) if base else None)


def _entry(one: Decision | SolutionEvent, before: str | None, after: str | None) -> HistoryEntry:
    start = (one.number, one.date, one.author)
    if isinstance(one, SolutionEvent):
        return HistoryEntry(*start, one.what, one.decision or None, False, before, after, "")
    if isinstance(one, Edit):
        return HistoryEntry(*start, "edited", one.id, one.undone, before, after, "")
    if isinstance(one, HumanVerdict):
        return HistoryEntry(*start, one.verdict, one.id, one.undone, None, None, one.reason)
    return HistoryEntry(*start, "written", None, False, None, one.text, "")


def _text(built: Wording | None, edits: list[Edit]) -> str | None:
    """Return the text that an edit gave to what was built; its own where nothing of that is known any more."""
    if built is None:
        return (edits[-1].text or "\n".join(edits[-1].steps)) if edits else None
    solution = Solution("", "", built.text, built.steps, {}, ())
    return edit_solution(solution, edits[-1]).text if edits else built.text
