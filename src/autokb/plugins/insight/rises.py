"""Increases against the own past: weekly counts of dated things, tested so that chance seldom raises an alarm."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from autokb.core.results import Result
from autokb.stats.bootstrap import NOT_MEASURED, Interval
from autokb.stats.counts import chance_of_more, chance_of_share, dispersion, holm, rate_ratio
from autokb.usage.weeks import week_name

PAST_WEEKS = 26  # that the last ones are compared with at most: half a year, so that an old habit is no news
FEWEST_WEEKS = 8  # of the past, below which its rate says too little
FEWEST_EVENTS = 3  # of a series in all its weeks, below which no share of them could be an alarm among others
ALARM = 0.05  # probability, corrected for all series of a report, below which something rises
TOO_SHORT = f"Too short: fewer than {FEWEST_WEEKS} whole weeks lie before the last ones."
TOO_FEW = f"Too few: fewer than {FEWEST_EVENTS} in all these weeks."

SourceName = Literal["issues", "questions", "conversations", "tickets"]
GroupKind = Literal["all", "theme", "tree", "component", "project"]
Group = tuple[GroupKind, str]  # its kind and id
ALL: Group = ("all", "")


@dataclass(frozen=True, slots=True)
class DatedEvents:
    """What one source has: the week of each thing and the groups that it counts for; ``undated`` have no week.

    Where the oldest things were too many to be read, ``unread`` says so. A group that is only known since a week
    ``begins`` with it: before, nothing could fall into it.
    """

    source: SourceName
    events: Sequence[tuple[int, tuple[Group, ...]]]
    undated: int = 0
    unread: str = ""
    begins: Mapping[Group, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trend(Result):
    """A weekly series, ``counts`` from the week ``first`` on: what its last weeks have beside those before.

    ``ratio`` is the rate of the ``recent`` weeks over that of the ``past`` ones with its exact Poisson interval,
    ``chance`` the probability of such a rise by chance, corrected for all series of the report (Holm). Both are None
    where ``why`` says why nothing was tested. All kinds but ``all`` must also rise beside everything of their source.
    """

    source: SourceName
    kind: GroupKind
    id: str
    name: str
    first: str
    counts: tuple[int, ...]
    recent: int
    past: int
    ratio: Interval
    chance: float | None
    rises: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class SourceWeeks(Result):
    """What one source has: its dated and undated things, and the first and last week with any.

    ``why`` says why nothing of it was tested, or that its oldest things were not read.
    """

    source: SourceName
    dated: int
    undated: int
    first: str
    last: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class _Window:
    """The whole weeks that are compared: the past from ``start``, the last ones from ``turn`` up to ``end``."""

    start: int
    turn: int
    end: int

    @property
    def weeks(self) -> int:
        return self.end - self.turn + 1

    @property
    def past(self) -> int:
        return self.turn - self.start


def describe_source(one: DatedEvents, end: int, weeks: int) -> SourceWeeks:
    """Say what a source has up to a week, and why it cannot be compared if it cannot."""
    known = [week for week, _ in one.events if week <= end]
    why = " ".join(filter(None, (_why_not(known, _window(one, end, weeks)), one.unread)))
    first, last = (min(known), max(known)) if known else (None, None)
    return SourceWeeks(one.source, len(known), one.undated, week_name(first), week_name(last), why)


def _why_not(known: Sequence[int], window: _Window) -> str:
    """Say why a source with things of these weeks cannot be compared; nothing where it can."""
    if not known:
        return "Nothing is dated before the current week."
    if window.past < FEWEST_WEEKS:
        return TOO_SHORT
    if max(known) < window.turn:
        return f"None in these weeks; the last is of {week_name(max(known))}."
    return ""


def first_week(weeks: Sequence[int], end: int) -> int:
    """Return the first of ascending weeks up to one, without those before a gap that no comparison looks across.

    A single wrong date, such as 1970, says nothing of when a source began. Without any it is ``end``.
    """
    first = last = bisect_right(weeks, end)
    while first and (first == last or weeks[first] - weeks[first - 1] <= PAST_WEEKS):
        first -= 1
    return weeks[first] if last else end


def find_trends(
    sources: Sequence[DatedEvents], names: Mapping[Group, str], end: int, weeks: int
) -> tuple[tuple[SourceWeeks, ...], list[Trend]]:
    """Compare the last ``weeks`` up to the week ``end`` with those before, source by source.

    Returns what the sources have, and all series: those that rise first, then by chance.
    """
    told = tuple(describe_source(one, end, weeks) for one in sources)
    series = [trend for one in sources for trend in _series(one, names, _window(one, end, weeks))]
    tested = [n for n, one in enumerate(series) if one.chance is not None]
    for n, chance in zip(tested, holm([series[n].chance or 0.0 for n in tested]), strict=True):
        series[n] = replace(series[n], chance=chance, rises=chance < ALARM)
    series.sort(key=lambda t: (not t.rises, 2.0 if t.chance is None else t.chance, -t.recent, t.source, t.kind, t.id))
    return told, series


def _window(one: DatedEvents, end: int, weeks: int) -> _Window:
    """Return the weeks that count; the first one that has anything may have begun before the source did."""
    turn = end - weeks + 1
    first = first_week(sorted({week for week, _ in one.events}), end)
    return _Window(max(turn - PAST_WEEKS, min(first + 1, turn)), turn, end)


def _series(one: DatedEvents, names: Mapping[Group, str], window: _Window) -> Iterator[Trend]:
    """Give the series of all groups that have anything in these weeks."""
    why = _why_not([week for week, _ in one.events if week <= window.end], window)
    weekly = _weekly(one, window)
    for group in sorted(weekly, key=lambda one: (one != ALL, one)):
        since = max(window.start, one.begins.get(group, window.start))
        own = replace(window, start=min(since, window.turn))
        reason = why or (TOO_SHORT if own.past < FEWEST_WEEKS else "")
        counts, everything = ([weekly[g][week] for week in range(own.start, own.end + 1)] for g in (group, ALL))
        yield _trend(one.source, group, names.get(group, group[1]), (counts, everything), own, why=reason)


def _weekly(one: DatedEvents, window: _Window) -> dict[Group, Counter[int]]:
    """Count each group's things by week; a theme that one tree is alone in is left to it."""
    weekly: dict[Group, Counter[int]] = {}
    trees_of: dict[Group, set[Group]] = {}
    for week, groups in one.events:
        if window.start <= week <= window.end:
            for group in (ALL, *_counted(one, groups, window)):
                weekly.setdefault(group, Counter())[week] += 1
                if group[0] == "theme":
                    trees_of.setdefault(group, set()).add(groups[0])
    alone = {theme for theme, firsts in trees_of.items() if len(firsts) == 1 and theme not in firsts}
    return {group: counts for group, counts in weekly.items() if group not in alone}


def _counted(one: DatedEvents, groups: tuple[Group, ...], window: _Window) -> tuple[Group, ...]:
    """Return the groups that something counts for: a young tree's theme would rise with what is known of it."""
    is_young = any(one.begins.get(group, window.start) > window.start for group in groups)
    return tuple(group for group in groups if not (is_young and group[0] == "theme"))


def _trend(
    source: SourceName,
    group: Group,
    name: str,
    counted: tuple[Sequence[int], Sequence[int]],
    window: _Window,
    *,
    why: str,
) -> Trend:
    """Return a series, compared where nothing says why not; ``counted`` are its things and those of its source."""
    counts, everything = counted
    recent, past = sum(counts[window.past :]), sum(counts[: window.past])
    why = why or (TOO_FEW if recent + past < FEWEST_EVENTS else "")
    return Trend(
        source=source,
        kind=group[0],
        id=group[1],
        name=name,
        first=week_name(window.start),
        counts=tuple(counts),
        recent=recent,
        past=past,
        ratio=NOT_MEASURED if why else rate_ratio(recent, past, window.weeks, window.past),
        chance=None if why else chance_of_rise(group, counts, everything, window.weeks),
        rises=False,
        why=why,
    )


def chance_of_rise(group: Group, counts: Sequence[int], everything: Sequence[int], weeks: int) -> float:
    """Return the probability of so many in the last weeks by chance, against the series' own past.

    All of a source rise and fall together (a holiday, a release). A series must therefore have more than in its own
    past weeks and a larger share of everything too: the larger of both probabilities counts. For everything itself the
    spread of its past takes that place (decision 55).
    """
    past = len(counts) - weeks
    recent, before = sum(counts[past:]), sum(counts[:past])
    if group == ALL:
        spread = _spread_of_weeks(counts[:past], weeks)
        return chance_of_more(recent / spread, before / spread, weeks, past)
    own = chance_of_more(recent, before, weeks, past)
    share = chance_of_share(recent, recent + before, sum(everything[past:]), sum(everything))
    # Some series come in bursts. That makes chances of shares larger, as a quasi-likelihood does: by its logarithm.
    return float(max(own, share ** (1 / _spread_of_share(counts[:past], everything[:past]))))


def _spread_of_weeks(counts: Sequence[int], weeks: int) -> float:
    """Return the dispersion of single weeks or of spans of several, for a busy week seldom comes alone."""
    spans = [sum(counts[end - weeks : end]) for end in range(len(counts), weeks - 1, -weeks)]
    return max(dispersion(some, [sum(some) / max(1, len(some))] * len(some)) for some in (counts, spans))


def _spread_of_share(counts: Sequence[int], everything: Sequence[int]) -> float:
    """Return the dispersion of a series around its share of each week's things."""
    share = sum(counts) / max(1, sum(everything))
    return dispersion(counts, [share * count for count in everything])
