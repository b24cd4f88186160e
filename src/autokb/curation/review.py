"""What a person should look at first: solutions by how many readers a fault in them would reach."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from autokb.core.decisions import find_offers
from autokb.core.errors import BadInputError
from autokb.core.nouns import DISPLAYED, Solution, VerdictName
from autokb.core.results import Listed, Result
from autokb.views.browse import listed_solution
from autokb.views.kinds import SolutionView
from autokb.views.solutions_in_memory import AllSolutions

ReasonKind = Literal[
    "source_changed",
    "edit_orphaned",
    "withheld",
    "disliked",
    "doubt",
    "rules",
    "little_evidence",
    "waiting",
    "unreviewed",
]
REASON_KINDS: tuple[str, ...] = get_args(ReasonKind)
# What each reason adds to the weight of an item; ours, and to be read as an order: an edit that may be wrong or lost
# outweighs what nobody sees, that what a model was not sure of, what was mended or has few sources, and all of them
# what is only unread.
POINTS: Mapping[ReasonKind, int] = {
    "source_changed": 5,
    "edit_orphaned": 5,
    "withheld": 4,
    "disliked": 4,
    "doubt": 3,
    "rules": 2,
    "little_evidence": 2,
    "waiting": 2,
    "unreviewed": 1,
}
HEADS = "!"  # in front of a place: of what comes before all others
FAILED = ("rejected", "unhelpful")  # feedback that says that a suggestion did not help


@dataclass(frozen=True, slots=True)
class ReviewReason(Result):
    """Why an item is in the queue; ``points`` is what that adds to its weight."""

    kind: ReasonKind
    points: int
    text: str


@dataclass(frozen=True, slots=True)
class OrphanedText(Result):
    """An edit whose solution is gone."""

    solution_id: str
    text: str
    author: str
    date: str
    offered_for: str | None


@dataclass(frozen=True, slots=True)
class ReviewItem(Result):
    """A solution to look at, or an edit that lost its solution (``solution`` is None then).

    ``impact`` is ``(1 + reported + asked)`` times the points of the reasons: ``reported`` counts the raw issues of the
    node, ``asked`` the kept questions that it was shown first for and the feedback on it, by verdict in ``feedback``.
    An approved text whose source has changed comes before all others; ``source_text`` is what the build has now.
    ``edit`` and ``offered_for`` are of an edit that lost its solution: ``autokb approve`` with its id gives it to the
    solution that it is offered for, ``autokb dismiss`` takes it out of the queue and keeps it.
    """

    id: str
    impact: int
    reasons: tuple[ReviewReason, ...]
    reported: int
    asked: int
    feedback: Mapping[str, int]
    issue_id: str
    issue: str
    solution: SolutionView | None
    edit: OrphanedText | None = None
    source_text: str | None = None


@dataclass(frozen=True, slots=True)
class ReviewPage(Listed, Result):
    """Some items, the highest impact first; ``next`` is the ``after`` of the next page, None at the end.

    ``counts`` are of the whole queue: all of it, and by each kind of reason.
    """

    items: tuple[ReviewItem, ...]
    next: str | None
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Reason:
    id: str
    impact: int
    reasons: Mapping[ReasonKind, str]
    reported: int
    asked: int
    feedback: Mapping[str, int]
    heads: bool = False  # of an approval: readers may see what its source says otherwise by now

    @property
    def place(self) -> tuple[bool, int, str]:
        return not self.heads, -self.impact, self.id

    @property
    def told_place(self) -> str:
        return f"{HEADS if self.heads else ''}{self.impact}:{self.id}"


# Complex: counts are of the whole queue, the page of one kind.
def review_page(
    found: AllSolutions,
    feedback: Mapping[str, Mapping[str, int]],
    asked: Mapping[str, int],
    limit: int,
    after: str,
    kind: str,
) -> ReviewPage:
    """Return a page of the queue, of one kind of reason or of all (BadInputError for a kind that is none).

    ``feedback`` counts the verdicts on each solution, ``asked`` how often it was shown first.
    """
    if kind and kind not in REASON_KINDS:
        raise BadInputError(f"A kind is one of {', '.join(REASON_KINDS)}, not {kind!r}.")
    queue = sorted((*_solutions(found, feedback, asked), *_orphans(found, feedback)), key=lambda one: one.place)
    counts: Counter[str] = Counter(name for one in queue for name in one.reasons)
    start = bisect_right(queue, _read_place(after), key=lambda one: one.place) if after else 0
    chosen = [one for one in queue[start:] if not kind or kind in one.reasons]
    page = chosen[:limit]
    further = page[-1].told_place if len(chosen) > limit else None
    offers = (
        find_offers(found.decided, found.issues) if any(one.id not in found.decided.solutions for one in page) else {}
    )
    return ReviewPage(
        tuple(_item(found, one, offers) for one in page),
        further,
        {"all": len(queue), **{name: counts[name] for name in REASON_KINDS}},
    )


def _read_place(after: str) -> tuple[bool, int, str]:
    """Return the place in the queue behind which a page begins; it stays right when its item has left the queue."""
    impact, _, item = after.removeprefix(HEADS).partition(":")
    if not item or not (impact.isascii() and impact.isdigit()) or len(impact) > 18:
        raise BadInputError("after is the next of the page before; leave it out for the first page.")
    return not after.startswith(HEADS), -int(impact), item


def _solutions(
    found: AllSolutions, feedback: Mapping[str, Mapping[str, int]], asked: Mapping[str, int]
) -> Iterator[_Reason]:
    for i, solution in found.decided.solutions.items():
        given = feedback.get(i, {})
        if reasons := _reasons(found, solution, given):
            node = found.issues.get(solution.issue_id)
            reported = len(node.raw_issues) if node else 0
            times = asked.get(i, 0) + sum(given.values())
            impact = (1 + reported + times) * sum(map(POINTS.__getitem__, reasons))
            heads = "source_changed" in reasons and i in found.decided.verdicts
            yield _Reason(i, impact, reasons, reported, times, given, heads=heads)


# Complex: one condition for each reason, and a status that makes those below it needless ends the list.
def _reasons(found: AllSolutions, solution: Solution, feedback: Mapping[str, int]) -> Mapping[ReasonKind, str]:
    """Return why somebody should look at a solution."""
    decided, i = found.decided, solution.id
    if solution.status in ("rejected", "hidden"):
        return {}
    said: dict[ReasonKind, str] = {}
    if decided.source_changed(i):
        said["source_changed"] = _what_changed(found, solution)
    if solution.status == "approved":
        return said
    if i in decided.held:
        said["unreviewed"] = "Readers do not see it before it is approved."
    elif solution.status == "withheld":
        said["withheld"] = solution.reason or "It is withheld."
    failed = sum(feedback.get(name, 0) for name in FAILED)
    if failed and 2 * failed >= sum(feedback.values()):
        said["disliked"] = f"{failed} of {sum(feedback.values())} said that it did not help."
    said |= _what_rules_say(solution)
    if i not in decided.written:
        places = len({(e.document, e.start, e.end) for e in solution.evidence})
        if places < len(solution.steps):
            said["little_evidence"] = f"{places} places in documents for {len(solution.steps)} steps."
    if decided.is_waiting(i):
        said["waiting"] = solution.reason
    elif solution.status in DISPLAYED:
        said["unreviewed"] = "Not approved yet."
    return said


def _what_changed(found: AllSolutions, solution: Solution) -> str:
    """Return what a reviewer is told of a text whose source has changed."""
    edit, verdict = found.decided.edits.get(solution.id), found.decided.verdicts.get(solution.id)
    if found.decided.keeps_approved(solution.id) and verdict is not None:
        whose = " ".join(filter(None, (f"by {verdict.author}" if verdict.author else "", verdict.date)))
        return (
            f"Its source has changed since it was approved {whose}".rstrip() + "; readers keep the approved text. "
            "Approve it again where it still holds, or undo that for the new text."
        )
    return "What it was edited from is built in other words now." if edit is not None else solution.reason


def _what_rules_say(solution: Solution) -> dict[ReasonKind, str]:
    """Return which rules a solution may break, and which it breaks or broke before its steps were repaired."""
    said: dict[ReasonKind, str] = {}
    if doubted := _reasons_of(solution, "doubt"):
        said["doubt"] = f"It may break a rule. {doubted}"
    if solution.status == "repaired":
        said["rules"] = solution.reason or "Steps that broke a rule were taken out."
    elif broken := _reasons_of(solution, "broken"):
        said["rules"] = f"It breaks a rule. {broken}"
    return said


def _reasons_of(solution: Solution, verdict: VerdictName) -> str:
    return " ".join(f"{one.rule}: {one.reason}" for one in solution.rules if one.verdict == verdict)


def _orphans(found: AllSolutions, feedback: Mapping[str, Mapping[str, int]]) -> Iterator[_Reason]:
    """Yield the edits whose solution is gone and whose text is that of no other solution since; not dismissed ones.

    Of several of one solution only the newest counts.
    """
    used = {(edit.text, edit.steps) for edit in found.decided.edits.values()}
    text = "The solution that it was made for is gone; its text is kept and shown to nobody."
    for one in found.decided.lost_edits:
        if not one.dismissed and (one.text, one.steps) not in used:
            node = found.issues.get(one.origin.tree)
            reported, given = len(node.raw_issues) if node else 0, feedback.get(one.solution_id, {})
            reasons: Mapping[ReasonKind, str] = {"edit_orphaned": text}
            impact = (1 + reported + sum(given.values())) * POINTS["edit_orphaned"]
            yield _Reason(one.id, impact, reasons, reported, sum(given.values()), given)


def _item(found: AllSolutions, one: _Reason, offers: Mapping[str, str]) -> ReviewItem:
    solution = listed_solution(found, one.id) if one.id in found.decided.solutions else None
    orphan = None
    issue_id = solution.issue_id if solution else ""
    if solution is None:
        edit = next(o for o in found.decided.lost_edits if o.id == one.id)
        text = edit.text or "\n".join(edit.steps)
        orphan = OrphanedText(edit.solution_id, text, edit.author, edit.date, offers.get(edit.id))
        issue_id = edit.origin.tree if edit.origin.tree in found.issues else ""
    issue = found.issues[issue_id].text if issue_id in found.issues else ""
    reasons = tuple(ReviewReason(kind, POINTS[kind], text) for kind, text in one.reasons.items())
    return ReviewItem(
        id=one.id,
        impact=one.impact,
        reasons=reasons,
        reported=one.reported,
        asked=one.asked,
        feedback=one.feedback,
        issue_id=issue_id,
        issue=issue,
        solution=solution,
        edit=orphan,
        source_text=found.decided.base[one.id].text if "source_changed" in one.reasons else None,
    )
