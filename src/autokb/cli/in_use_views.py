"""Gaps and figures of use on the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autokb.cli.output import one_line
from autokb.cli.views import NOT_COUNTED, next_line, quoted, several, skipped_lines
from autokb.core.settings import OFFLINE_MODEL
from autokb.usage.gaps import MOST_LISTED

if TYPE_CHECKING:
    from autokb.stats.bootstrap import Interval
    from autokb.stats.shares import Share
    from autokb.usage.gaps import ForgottenQuestions, Gaps, SettledGap
    from autokb.usage.in_use import Acceptance, InUse, OutcomeComparison
    from autokb.usage.outcomes import ImportedOutcomes, ReportedOutcome

SHOWN = 160  # characters of a question
NO_NAME = "(none)"


def gaps_view(workspace: Path, found: Gaps, documents: int) -> RenderableType:
    """Show the three queues, so many ``documents`` at most, with the ids by which gaps are closed."""
    lines: list[RenderableType] = [_heading("Questions that nobody could answer", found.questions_total)]
    for question in found.questions:
        rejected = f", rejected {question.rejected}" if question.rejected else ""
        asked = f"asked {question.asked} times{rejected}, last {one_line(question.last[:10])}"
        lines.append(Text(f"{one_line(question.id)}  {one_line(question.text, SHOWN)}"))
        lines.append(Text(f"    {asked}{f': {one_line(question.reason, SHOWN)}' if question.reason else ''}", "dim"))
    lines.append(_heading("Issues without a displayed solution", found.issues_total))
    for issue in found.issues:
        withheld = f", {issue.withheld} withheld" if issue.withheld else ""
        lines.append(Text(f"{one_line(issue.id)}  {one_line(issue.text, SHOWN)}"))
        lines.append(Text(f"    {several(issue.raw_issues, 'raw issue')}{withheld}  {one_line(issue.theme)}", "dim"))
    lines.append(_heading("Documents that no displayed solution cites", found.documents_total))
    lines += [
        Text(f"{one_line(one.id)}  {one_line(one.document)}  {one_line(one.title, SHOWN)}")
        for one in found.documents[:documents]
    ]
    if (more := found.documents_total - documents) > 0:
        lines.append(Text(f"… and {more} more; --limit {min(found.documents_total, MOST_LISTED)} shows them", "dim"))
    lines.append(Text(""))
    lines += [Text(line, "dim") for line in _log_lines(found)]
    lines.append(next_line(f"To close one: autokb gaps {quoted(workspace)} --done ID (until it is asked again)"))
    return Group(*lines)


def _heading(words: str, total: int) -> Text:
    return Text(f"{words}: {total}", style="bold")


def _log_lines(found: Gaps) -> Iterator[str]:
    log = found.log
    if not log.enabled:
        yield "log_questions: false in settings.yaml: no question is kept."
    since = f" since {one_line(log.since[:10])}" if log.since else ""
    lost = f"; {several(log.lost, 'question')} could not be kept" if log.lost else ""
    yield f"The service keeps the questions that it is asked, masked: {several(log.kept, 'question')}{since}{lost}."
    yield NOT_COUNTED
    if found.closed:
        yield f"{several(found.closed, 'gap')} on the other side of --closed."


def settled_sentence(done: SettledGap) -> str:
    """Say what a gap is now."""
    return f"{done.id} is {done.status}{'' if done.changed else ', as it was'}."


def forgotten_sentence(done: ForgottenQuestions) -> str:
    """Say what went."""
    return f"The log of questions is empty; it held {several(done.forgotten, 'question')}."


def in_use_view(workspace: Path, found: InUse) -> RenderableType:
    """Show what agents made of suggestions, part by part, and how conversations ended."""
    asked = found.questions
    since = f" since {one_line(found.since)}" if found.since else ""
    lines: list[RenderableType] = [
        Text(f"Suggestions{since}", style="bold"),
        _acceptance_table(found),
        Text(
            f"The log has {several(asked.asked, 'question')}: answered {_share(asked.answered)}, {asked.asks} asked "
            f"back, {asked.abstains} without an answer; {several(asked.conversations, 'conversation')}, with a used "
            f"suggestion {_share(asked.adoption)}."
        ),
    ]
    if any(found.by_reader):
        lines.append(_reader_table(found))
    if found.experiment is not None:
        arms = found.experiment
        name = f" {one_line(arms.salt)}" if arms.salt else ""
        lines.append(Text(f"Experiment{name}: {_share(arms.dealt)} in treatment, {arms.share:.3g} set", style="bold"))
        lines += _comparison_lines(arms.outcomes)
        if arms.unassigned:
            lines.append(Text(f"{several(arms.unassigned, 'outcome')} of conversations without an arm.", "dim"))
    lines.append(Text("Conversations with a used suggestion, and without", style="bold"))
    lines += _comparison_lines(found.use)
    if not any(group.reported for group in found.use.groups.values()):
        lines.append(next_line(f"Next: autokb outcomes import {quoted(workspace)} FILE"))
    return Group(*lines)


def _reader_table(found: InUse) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("chosen by", "questions", "answered [95 %]", "p50 s", "p95 s", "p99 s", "USD a question"):
        table.add_column(column, justify="left" if column == "chosen by" else "right")
    for name, one in found.by_reader.items():
        times = ("-" if seconds is None else f"{seconds:.3f}" for seconds in (one.p50, one.p95, one.p99))
        cost = "unknown" if one.cost is None else f"{one.cost:.5f}"
        label = "offline (failed)" if name == OFFLINE_MODEL else name or "no model"
        table.add_row(Text(one_line(label)), str(one.asked), _share(one.answered), *times, cost)
    return table


def _acceptance_table(found: InUse) -> Table:
    table = Table(box=None, pad_edge=False)
    for column in ("", "", "used", "edited", "rejected", "accepted [95 %]", "helpful [95 %]"):
        table.add_column(column, justify="left" if not column else "right")
    _add_row(table, "all", "", found.suggestions)
    parts: Mapping[str, Mapping[str, Acceptance]] = {
        "source": found.by_source,
        "theme": found.by_theme,
        "group": found.by_group,
        "week": found.by_week,
    }
    for kind, rows in parts.items():
        for name, figures in rows.items():
            _add_row(table, kind, name or NO_NAME, figures)
        if more := found.left_out.get(f"by_{kind}"):
            table.add_row(kind, f"... and {more} more")
    return table


def _add_row(table: Table, kind: str, name: str, figures: Acceptance) -> None:
    counts = map(str, (figures.used, figures.edited, figures.rejected))
    table.add_row(kind, Text(one_line(name)), *counts, _share(figures.rate), _share(figures.helpful_rate))


def _comparison_lines(compared: OutcomeComparison) -> Iterator[RenderableType]:
    table = Table(box=None, pad_edge=False)
    for column in (
        "",
        "conversations",
        "reported",
        "resolved [95 %]",
        "returned [95 %]",
        "median s",
        "p90 s",
        "mean s",
    ):
        table.add_column(column, justify="left" if not column else "right")
    for name, group in compared.groups.items():
        times = (_interval(figure, 0, "") for figure in (group.seconds.p50, group.seconds.p90, group.seconds.mean))
        counts = (str(group.conversations), str(group.reported))
        table.add_row(Text(one_line(name)), *counts, _share(group.resolved), _share(group.returned), *times)
    yield table
    for name, figure in compared.differences.items():
        if figure.value is not None:
            places = 0 if name.startswith("seconds") and not name.endswith("relative") else 3
            yield Text(f"  {one_line(name)}: {_interval(figure, places, '+')}")
    yield Text(compared.note, style="dim")


def _share(figures: Share) -> str:
    if figures.value is None or figures.low is None or figures.high is None:
        return "-"
    return f"{figures.value:.3f} [{figures.low:.3f}, {figures.high:.3f}]"


def _interval(figures: Interval, places: int, sign: Literal["", "+"]) -> str:
    if figures.value is None:
        return "-"
    spec = f"{sign}.{places}f"
    if figures.low is None or figures.high is None:
        return format(figures.value, spec)
    return f"{figures.value:{spec}} [{figures.low:{spec}}, {figures.high:{spec}}]"


def reported_sentence(done: ReportedOutcome) -> str:
    """Say what is known of a conversation."""
    known = [name for name, value in (("resolved", done.resolved), ("returned", done.returned)) if value]
    known += [
        f"not {name}" for name, value in (("resolved", done.resolved), ("returned", done.returned)) if value is False
    ]
    known += [f"{done.seconds:g} seconds"] if done.seconds is not None else []
    return f"{done.conversation}: {', '.join(known)}{'' if done.changed else ' (as before)'}."


def imported_outcomes_view(workspace: Path, done: ImportedOutcomes) -> RenderableType:
    """Show what a file brought."""
    lines: list[RenderableType] = [Text(f"{several(done.taken, 'outcome')} taken, {done.unchanged} as they were")]
    lines += skipped_lines(done.skipped)
    lines.append(next_line(f"Next: autokb in-use {quoted(workspace)}"))
    return Group(*lines)
