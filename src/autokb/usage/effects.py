"""What became of a tree's volume after a solution for it was published."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from autokb.core.decisions import Decided
from autokb.core.nouns import DISPLAYED
from autokb.core.results import Result
from autokb.evaluation.statistics.bootstrap import NOT_MEASURED, Interval
from autokb.evaluation.statistics.counts import rate_ratio
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage.dated_events import DatedKnowledge
from autokb.usage.rises import FEWEST_EVENTS, PAST_WEEKS, DatedEvents, SourceName
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
    """Return what is known of each publication up to a week: those that are sure first, then the newest."""
    found = [
        effect
        for source in dated.sources
        if source.source in SOURCES
        for (tree, week), solutions in _publications(file, decided, dated).items()
        for effect in _effects(source, tree, dated.names.get(("tree", tree), tree), solutions, week, end)
    ]
    return sorted(found, key=lambda one: (bool(one.why), -abs(_distance(one)), one.tree, one.published, one.source))


def _distance(one: Effect) -> float:
    """Return how far the interval is from saying that nothing changed, below 0 where it does not."""
    low, high = one.ratio.low, one.ratio.high
    return 0.0 if low is None else max(low - 1, 0.0 if high is None else 1 - high, 0.0)


def _publications(file: WorkspaceFile, decided: Decided, dated: DatedKnowledge) -> dict[tuple[str, int], list[str]]:
    """Return the solutions that readers see by their tree and the week in which they first did, where it is known."""
    since = file.first_versions("solution")
    found: dict[tuple[str, int], list[str]] = {}
    for solution, one in sorted(decided.solutions.items()):
        if one.status not in DISPLAYED or one.issue_id not in dated.roots:
            continue
        week = week_of(_first_shown(solution, decided, since, dated.published))
        if week is not None:
            found.setdefault((dated.roots[one.issue_id], week), []).append(solution)
    return found


def _first_shown(solution: str, decided: Decided, since: Mapping[str, int], published: Mapping[int, str]) -> str:
    """Return when readers first saw a solution: by a build, or by the person who wrote or approved it."""
    if solution in decided.written:
        return decided.written[solution].date
    if decided.base[solution].status not in DISPLAYED and solution in decided.verdicts:
        return decided.verdicts[solution].date
    return published.get(since.get(solution, 0), "")


def _effects(source: DatedEvents, tree: str, name: str, solutions: list[str], week: int, end: int) -> Iterator[Effect]:
    """Give what one publication did to one source, where that has anything of the tree."""
    begun = min((one for one, _ in source.events), default=end) + 1
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
