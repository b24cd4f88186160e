"""What became of a tree's volume after a solution for it was published."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import log

from autokb.core.decisions import Decided
from autokb.core.nouns import DISPLAYED
from autokb.core.results import Result
from autokb.core.review_policy import ReviewPolicy
from autokb.plugins.insight.dated_events import DatedKnowledge
from autokb.plugins.insight.rises import FEWEST_EVENTS, PAST_WEEKS, DatedEvents, SourceName, first_week
from autokb.stats.bootstrap import NOT_MEASURED, Interval
from autokb.stats.counts import rate_ratio
from autokb.stores.published import REVIEW
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage.weeks import week_name, week_of

FEWEST_WEEKS = 4  # whole weeks before and after: a month each, so that one odd week is not all there is
SOURCES: frozenset[SourceName] = frozenset({"issues", "conversations"})
NOT_CAUSAL = (
    "Before and after, no experiment: what else changed then counts too, and a tree gets its solution when it is busy, "
    "which would have passed by itself."
)


@dataclass(frozen=True, slots=True)
class Effect(Result):
    """A tree's volume before and after the week in which ``solutions`` were first shown for it, that week in neither.

    ``ratio`` is the weekly rate after over that before, with its exact Poisson interval; not measured where ``why``
    says why. Only what is sorted into today's trees whenever it is from counts: ``source`` is issues or conversations.
    """

    source: SourceName
    tree: str
    name: str
    solutions: tuple[str, ...]
    published: str
    weeks_before: int
    before: int
    weeks_after: int
    after: int
    ratio: Interval
    why: str = ""


def find_effects(file: WorkspaceFile, decided: Decided, dated: DatedKnowledge, end: int) -> list[Effect]:
    """Return what is known of each publication up to a week, in order."""
    published = _publications(file, decided, dated)
    found: list[Effect] = []
    for source in (one for one in dated.sources if one.source in SOURCES):
        weeks = sorted({week for week, _ in source.events})
        for (tree, week), solutions in published.items():
            begun = first_week(weeks, min(end, week + PAST_WEEKS)) + 1
            name = dated.names.get(("tree", tree), tree)
            found += _effects(source, (tree, name), solutions, week, (begun, end))
    return in_order(found)


def in_order(found: Iterable[Effect]) -> list[Effect]:
    """Return effects in the order in which they are told: the surest and largest first, then the newest."""
    newest = sorted(sorted(found, key=lambda one: (one.tree, one.source)), key=lambda one: one.published, reverse=True)
    return sorted(newest, key=lambda one: (bool(one.why), -_distance(one)))


def _distance(one: Effect) -> float:
    """Return how far the interval is from saying that nothing changed, by its logarithm; 0 where it says so."""
    low, high = one.ratio.low, one.ratio.high
    return max(log(low) if low else 0.0, -log(high) if high else 0.0, 0.0)


def _publications(file: WorkspaceFile, decided: Decided, dated: DatedKnowledge) -> dict[tuple[str, int], list[str]]:
    """Return the solutions that readers see by their tree and the week in which they first did, where it is known."""
    since = file.first_versions("solution")
    policy = ReviewPolicy.of_setting(file.record("setting", REVIEW))
    found: dict[tuple[str, int], list[str]] = {}
    for solution, one in sorted(decided.solutions.items()):
        if one.status not in DISPLAYED or one.issue_id not in dated.roots:
            continue
        week = week_of(_first_shown(solution, decided, policy) or dated.published.get(since.get(solution, 0), ""))
        if week is not None:
            found.setdefault((dated.roots[one.issue_id], week), []).append(solution)
    return found


def _first_shown(solution: str, decided: Decided, policy: ReviewPolicy) -> str:
    """Return when a person first showed readers a solution, by writing or approving it; nothing where a build did."""
    if solution in decided.written:
        return decided.written[solution].date
    if policy.show != "approved" and decided.base[solution].status in DISPLAYED:
        return ""
    approvals = (one for one in decided.taken.get(solution, ()) if one.what == "approved" and not one.undone)
    by_author: dict[str, str] = {}
    for one in approvals:
        by_author.setdefault(one.author, one.date)
    return "".join([*by_author.values()][: policy.approvals][-1:])


def _effects(
    source: DatedEvents, named: tuple[str, str], solutions: list[str], week: int, known: tuple[int, int]
) -> Iterator[Effect]:
    """Give what one publication did to one source, where that has anything of the tree.

    ``named`` are the tree's id and name, ``known`` the first and last whole week of the source.
    """
    (tree, name), (begun, end) = named, known
    first, last = max(begun, week - PAST_WEEKS), min(end, week + PAST_WEEKS)
    weeks = [one for one, groups in source.events if ("tree", tree) in groups and first <= one <= last]
    if not weeks:
        return
    before, after = sum(one < week for one in weeks), sum(one > week for one in weeks)
    weeks_before, weeks_after = max(0, week - first), max(0, last - week)
    why = ""
    if min(weeks_before, weeks_after) < FEWEST_WEEKS:
        why = f"Too short: {FEWEST_WEEKS} whole weeks before and after are needed."
    elif before + after < FEWEST_EVENTS:
        why = f"Too few: fewer than {FEWEST_EVENTS} in all these weeks."
    yield Effect(
        source=source.source,
        tree=tree,
        name=name,
        solutions=tuple(solutions),
        published=week_name(week),
        weeks_before=weeks_before,
        before=before,
        weeks_after=weeks_after,
        after=after,
        ratio=NOT_MEASURED if why else rate_ratio(after, before, weeks_after, weeks_before),
        why=why,
    )
