"""The report of whole weeks: increases, new topics since the last publication, and the effect of solutions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

from autokb.core.errors import BadInputError
from autokb.core.in_use import LoggedQuestion
from autokb.core.results import Result
from autokb.heuristics.themes.naming import name_themes, read_terms
from autokb.plugins.insight.dated_events import TreesOf, read_conversations, read_dated
from autokb.plugins.insight.effects import NOT_CAUSAL, Effect, find_effects
from autokb.plugins.insight.rises import PAST_WEEKS, SourceWeeks, Trend, find_trends
from autokb.stores.workspace import Workspace
from autokb.usage.gaps import GapKind, cluster_questions
from autokb.usage.weeks import day_given, monday_of, read_day, today, week_name, week_of_day
from autokb.views.solutions_in_memory import SolutionsInMemory

WEEKS = 4  # that are compared with those before: of a rise to three times its rate they show twice what two weeks do
MOST_WEEKS = PAST_WEEKS
MOST_LISTED = 50  # series, new questions and effects


@dataclass(frozen=True, slots=True)
class NewTopic(Result):
    """Questions in nearly the same words that no tree answers; ``name`` is made of what sets them apart.

    ``asked`` counts how often, once a conversation; ``gap`` is the id of the gap, where nothing was shown for them.
    """

    name: str
    text: str
    asked: int
    first: str
    last: str
    gap: str
    kind: GapKind
    wordings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trends(Result):
    """The report: series of whole weeks of ISO 8601 in UTC, from the last ``weeks`` up to the week ``last``.

    ``series`` are all that were compared, those that rise first, ``left_out`` of them not listed. ``new`` is what was
    asked since ``since``, when what readers see was published (empty where nobody noted it: all of the log).
    """

    last: str
    until: str
    weeks: int
    sources: tuple[SourceWeeks, ...]
    series: tuple[Trend, ...]
    left_out: int
    since: str
    new: tuple[NewTopic, ...]
    new_total: int
    effects: tuple[Effect, ...]
    effects_total: int
    note: str = NOT_CAUSAL

    @property
    def rising(self) -> tuple[Trend, ...]:
        """The series that rise."""
        return tuple(one for one in self.series if one.rises)


def find_all_trends(
    workspace: Workspace, memory: SolutionsInMemory, trees_of: TreesOf, weeks: int | None, until: str | None
) -> Trends:
    """Return the report of the last whole weeks before a day's end (BadInputError for a wrong day or number)."""
    weeks = WEEKS if weeks is None else weeks
    if not 1 <= weeks <= MOST_WEEKS:
        raise BadInputError(f"The last 1 to {MOST_WEEKS} weeks can be compared, not {weeks}.")
    until = day_given(until, "until")  # dates are compared as they are kept
    end = last_whole_week(until)
    with workspace.file() as file:
        conversations = read_conversations(file, trees_of, end)
        with file.snapshot():
            known = memory.read(file)
            dated = read_dated(file, known, conversations)
            effects = find_effects(file, known.decided, dated, end)
    sources, series = find_trends(dated.sources, dated.names, end, weeks)
    since = dated.published.get(dated.shown_version, "")
    asked = [one for one in dated.questions if since <= one.date and one.date[:10] <= (until or one.date[:10])]
    new = _new_topics(asked, workspace.spec.name, workspace.spec.language)
    return Trends(
        last=week_name(end),
        until=(monday_of(end + 1) - timedelta(days=1)).isoformat(),
        weeks=weeks,
        sources=sources,
        series=tuple(series[:MOST_LISTED]),
        left_out=max(0, len(series) - MOST_LISTED),
        since=since,
        new=tuple(new[:MOST_LISTED]),
        new_total=len(new),
        effects=tuple(effects[:MOST_LISTED]),
        effects_total=len(effects),
    )


def last_whole_week(until: str | None) -> int:
    """Return the last week that is over at the end of a day, or was before today; the one that runs never counts.

    BadInputError for a day that has no weeks before it to compare.
    """
    day = read_day(until, "until")
    over = today() if day is None or day >= today() else day + timedelta(days=1)
    last = week_of_day(over) - 1
    if last < MOST_WEEKS + PAST_WEEKS:
        raise BadInputError(f"until is a day such as 2026-03-01, with weeks before it to compare, not {until}.")
    return last


def _new_topics(asked: Iterable[LoggedQuestion], product: str, language: str) -> list[NewTopic]:
    """Return what has no tree, joined as gaps are and named as themes are."""
    gaps = cluster_questions((one for one in asked if not one.issues), language)
    terms = [[read_terms(text, language) for text in (gap.text, *gap.wordings)] for gap in gaps]
    names = name_themes(terms, product, language)
    return [
        NewTopic(
            name=name,
            text=gap.text,
            asked=gap.asked,
            first=gap.first,
            last=gap.last,
            gap=gap.id,
            kind=gap.kind,
            wordings=gap.wordings,
        )
        for name, gap in zip(names, gaps, strict=True)
    ]
