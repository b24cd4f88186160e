"""What happened since a day, on one page of Markdown: for a team's weekly meeting, or its channel."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from autokb.core.changes import Changes
from autokb.core.errors import AutokbError, BadInputError, NothingPublishedError
from autokb.core.in_use import RESOLVING, last_words
from autokb.core.plugins import lines_of, plugins
from autokb.core.results import Result
from autokb.plugins.insight.dated_events import TreesOf
from autokb.plugins.insight.stale import find_stale
from autokb.plugins.insight.trends import MOST_WEEKS, WEEKS, Trends, find_all_trends, last_whole_week
from autokb.stats.bootstrap import Interval
from autokb.stats.shares import Share
from autokb.stores.feedback import read_feedback
from autokb.stores.workspace import Workspace
from autokb.text.control_characters import replace_controls
from autokb.usage.gaps import MOST_LISTED, Gap, find_gaps
from autokb.usage.in_use import InUse, measure_use
from autokb.usage.weeks import read_day, today, week_of_day
from autokb.views.kinds import title_line
from autokb.views.solutions_in_memory import SolutionsInMemory
from autokb.views.versions import Versions, VersionView, diff, list_versions

MOST_LINES = 10  # of a section: what a meeting reads
MOST_PLACES = 2  # of a finding: a pair that disagrees; the page of findings lists the others
LONGEST_LINE = 160  # characters of a customer's words
_Rots = Mapping[str, Sequence[Sequence[str]]]  # the open findings by their kinds, each in words and its places
_ACTIVE = re.compile(r"([\\`*_{}\[\]<>()#|~!&:])")  # what Markdown makes something of inside a line
_LEADING = re.compile(r"^(\d+(?=\.)|(?=[-+]))")  # and what begins a list: -, + and 1. (1) is among the others)


@dataclass(frozen=True, slots=True)
class Digest(Result):
    """One page of Markdown about the days from ``since`` to ``until``, and the counts that it begins with."""

    since: str
    until: str
    markdown: str
    counts: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """Everything that a digest tells, as its sections read it."""

    since: str
    trends: Trends
    gaps: tuple[Gap, ...]
    earlier_gaps: int
    published: tuple[VersionView, ...]
    changes: Changes | None
    in_use: InUse
    helped: tuple[tuple[str, int], ...]
    rots: _Rots


def write_digest(workspace: Workspace, memory: SolutionsInMemory, trees_of: TreesOf, since: str) -> Digest:
    """Return the page about what happened since a day (BadInputError where that is none, or is still to come)."""
    day = read_day(since, "since")
    if day is None or day > today():
        raise BadInputError("A digest needs the day that it begins with, such as 2026-03-02; it cannot lie ahead.")
    since = day.isoformat()  # dates are compared as they are kept
    weeks = min(MOST_WEEKS, max(WEEKS, last_whole_week(None) - week_of_day(day) + 1))
    versions = list_versions(workspace)
    published = tuple(v for v in versions.versions if not v.is_candidate and v.date[:10] >= since)
    gaps, earlier_gaps = _gaps_since(workspace, memory, since)
    found = _Found(
        since=since,
        trends=find_all_trends(workspace, memory, trees_of, weeks, None),
        gaps=gaps,
        earlier_gaps=earlier_gaps,
        published=published,
        changes=_changes(workspace, versions, since) if published else None,
        in_use=measure_use(workspace, since),
        helped=_what_was_used(workspace, memory, since),
        rots=_open_findings(workspace, memory),
    )
    until = today().isoformat()
    lines = [f"# {_said(workspace.spec.name)}: {since} to {until}", ""]
    for title, section in SECTIONS:
        lines += [f"## {title}", "", *section(found), ""]
    lines += _of_plugins(workspace, since)
    counts = {
        "rises": len(found.trends.rising),
        "new_topics": found.trends.new_total,
        "unanswered": len(found.gaps),
        "rots": sum(map(len, found.rots.values())),
        "published": len(published),
        "suggestions_used": found.in_use.suggestions.used + found.in_use.suggestions.edited,
    }
    return Digest(since, until, "\n".join(lines).rstrip() + "\n", counts)


def _of_plugins(workspace: Workspace, since: str) -> Iterator[str]:
    """Give the sections of plug-ins; one that fails says so in its place."""
    for plugin, title, code in ((one.name, *section) for one in plugins() for section in one.digest.items()):
        try:
            told = lines_of(plugin, code, workspace, since)
        except AutokbError as error:
            told = [_said(str(error))]
        yield from (f"## {_said(title)}", "", *told, "")


def _open_findings(workspace: Workspace, memory: SolutionsInMemory) -> _Rots:
    """Return the open findings by their kinds, each in words and its places."""
    try:
        found = find_stale(workspace, memory)
    except NothingPublishedError:
        return {}
    told: dict[str, list[tuple[str, ...]]] = {}
    for one in found.findings:
        places = [f"{place.document}: {place.quote}" if place.document else place.quote for place in one.places]
        told.setdefault(one.kind, []).append((one.text, *dict.fromkeys(places)))
    return told


def _gaps_since(workspace: Workspace, memory: SolutionsInMemory, since: str) -> tuple[tuple[Gap, ...], int]:
    """Return the open questions that were asked since then, in the order of ``gaps``, and how many are from before."""
    listed = find_gaps(workspace, memory, MOST_LISTED)
    found = tuple(gap for gap in listed.questions if gap.last[:10] >= since)
    return found, listed.questions_total - len(found)


def _changes(workspace: Workspace, versions: Versions, since: str) -> Changes | None:
    """Return what readers see otherwise than before a day, or than in the oldest version that is kept."""
    kept = [one for one in versions.versions if not one.is_candidate]
    first = [*kept[:1], *(one for one in kept if one.date[:10] < since)][-1]
    shown = next(one for one in kept if one.published)
    return None if first == shown else diff(workspace, str(first.number), str(shown.number))


def _what_was_used(workspace: Workspace, memory: SolutionsInMemory, since: str) -> tuple[tuple[str, int], ...]:
    """Return the first lines of the solutions that were used, edited or helpful, and how often each was."""
    with workspace.file() as file, file.snapshot():
        said = last_words(one for one in read_feedback(file) if one.date[:10] >= since)
        solutions = memory.read(file).decided.solutions
    counts = Counter(one.solution_id for one in said if one.verdict in RESOLVING and one.solution_id in solutions)
    named = [(title_line(solutions[i]), count) for i, count in counts.items() if i is not None]
    return tuple(sorted(named, key=lambda one: (-one[1], one[0])))


# -- the sections -----------------------------------------------------------------------------------------------------


def _what_rises(found: _Found) -> list[str]:
    trends = found.trends
    weeks = f"The last {trends.weeks} whole weeks, up to {trends.last}, beside those before."
    rising = [
        f"- {_said(one.name) or 'All'} ({one.source}): {one.recent}, {_ratio(one.ratio, 'its past rate')}"
        for one in trends.rising
    ]
    untold = [f"- {source.source}: {source.why}" for source in trends.sources if source.why]
    return [
        weeks,
        "",
        *(_cut(rising) or ["No significant increase."]),
        *([""] if untold else []),
        *untold,
    ]


def _what_is_new(found: _Found) -> list[str]:
    topics = [f"- {_said(one.name)}: {_said(one.text)} ({_times(one.asked)})" for one in found.trends.new]
    asked = f"since {found.trends.since[:10]}" if found.trends.since else "in all of the log"
    return _cut(topics, found.trends.new_total) or [f"No question {asked} was without a tree."]


def _what_is_unanswered(found: _Found) -> list[str]:
    lines = [
        f"- {_said(gap.text)} ({_times(gap.asked)}, last {gap.last[:10]}"
        f"{', perhaps about something else' if gap.kind == 'other_topic' else ''})"
        for gap in found.gaps
    ]
    if found.earlier_gaps:
        words = "question was last asked" if found.earlier_gaps == 1 else "questions were last asked"
        earlier = [f"{found.earlier_gaps} unanswered {words} before {found.since}; autokb gaps lists all."]
        return [*_cut(lines), *([""] if lines else []), *earlier]
    return _cut(lines) or ["No question is unanswered."]


def _what_rots(found: _Found) -> list[str]:
    lines = [
        "\n  - ".join([f"- {kind.replace('_', ' ')}: {_said(text)}", *map(_said, places[:MOST_PLACES])])
        for kind, findings in found.rots.items()
        for text, *places in findings
    ]
    return _cut(lines) or ["Nothing is left to look at."]


def _what_builds_changed(found: _Found) -> list[str]:
    if not found.published:
        return ["Nothing was published."]
    lines = [
        f"- Version {one.number}, {one.date[:10]}{f', {_said(one.by)}' if one.by else ''}: {one.documents} documents, "
        f"{one.issues} issues, {one.solutions} solutions"
        for one in found.published[::-1]
    ]
    if found.changes is None:
        return _cut(lines)
    counts = found.changes.counts
    told = ", ".join(f"{counts[name]} {name}" for name in ("added", "removed", "changed"))
    texts = [one.after or one.before or "" for one in (*found.changes.added, *found.changes.changed)]
    named = [f"- {_said(text.partition(chr(10))[0])}" for text in texts]
    return [*_cut(lines), "", f"Solutions that readers see otherwise: {told}.", *([""] if named else []), *_cut(named)]


def _what_helped(found: _Found) -> list[str]:
    use = found.in_use.suggestions
    asked = found.in_use.questions
    lines = [
        f"- Suggestions: {use.used} used, {use.edited} edited, {use.rejected} rejected; accepted {_share(use.rate)}",
        f"- Thumbs: {use.helpful} up, {use.unhelpful} down; helpful {_share(use.helpful_rate)}",
        f"- Questions: {asked.asked}; answered directly {_share(asked.answered)}",
    ]
    for name, one in found.in_use.use.groups.items():
        if one.reported:
            kind = "with a used suggestion" if name == "used" else "without one"
            lines.append(f"- Conversations {kind}: {one.reported} reported, resolved {_share(one.resolved)}")
    lines += _cut([f"- {_said(title)}: {_times(count)}" for title, count in found.helped])
    return lines


def _what_solutions_did(found: _Found) -> list[str]:
    told = [
        f"- {_said(one.name)} ({one.source}), solution of {one.published}: {one.before} in {one.weeks_before} weeks "
        f"before, {one.after} in {one.weeks_after} after: {_ratio(one.ratio, 'the rate')}"
        for one in found.trends.effects
        if not one.why
    ]
    return [*_cut(told), "", found.trends.note] if told else ["No publication has enough weeks on both sides yet."]


# The page in its order: each section tells one thing of what was found.
SECTIONS: tuple[tuple[str, Callable[[_Found], list[str]]], ...] = (
    ("Trends", _what_rises),
    ("New topics", _what_is_new),
    ("Needs attention", _what_rots),
    ("Unanswered questions", _what_is_unanswered),
    ("Changes by builds", _what_builds_changed),
    ("What helped", _what_helped),
    ("Effect of solutions", _what_solutions_did),
)


def _said(text: str) -> str:
    """Return words of customers and documents as one line in which Markdown finds nothing of its own."""
    words = " ".join(replace_controls(text).split())
    words = words if len(words) <= LONGEST_LINE else words[: LONGEST_LINE - 1].rstrip() + "…"
    return _LEADING.sub(r"\1\\", _ACTIVE.sub(r"\\\1", words))


def _cut(lines: Iterable[str], total: int | None = None) -> list[str]:
    lines = list(lines)
    more = (len(lines) if total is None else total) - MOST_LINES
    return [*lines[:MOST_LINES], *([f"- and {more} more"] if more > 0 else [])]


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _ratio(figures: Interval, of: str) -> str:
    if figures.value is None:
        return "none before"
    high = "" if figures.high is None else f"{figures.high:.2g}"
    return f"{figures.value:.2g} times {of} (95 %: {figures.low or 0.0:.2g} to {high})"


def _share(figures: Share) -> str:
    if figures.value is None or figures.low is None or figures.high is None:
        return "not known"
    return f"{figures.value:.0%} (95 %: {figures.low:.0%} to {figures.high:.0%}, n = {figures.n})"
