"""What a person sees of a trial: two knowledge bases side by side, and what the whole would cost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from autokb.cli.views import first_lines, money, next_line, quoted, several
from autokb.plugins.lab.evaluation.report import interval_text

if TYPE_CHECKING:
    from autokb.core.spending import Figures, Spending
    from autokb.plugins.lab.evaluation.blind_sheet import SheetMarks
    from autokb.plugins.lab.studies.trial import TrialReport, TrialSystem

NOT_THERE = "–"


def trial_view(workspace: Path, report: TrialReport) -> RenderableType:
    """Show the two systems, what the sample and the whole cost, and where the sheet lies."""
    largest = f" of the {several(report.themes, 'largest theme')}" if report.themes else ""
    kept = "of the log of questions" if report.asked_from == "log" else "held out of both builds"
    first = (
        f"Sample: {several(report.documents, 'document')}, {several(report.issues, 'issue')}{largest}.\n"
        f"Asked: {several(report.questions, 'past question')}, {kept}."
    )
    lines: list[RenderableType] = [Text(first), _systems_table(report)]
    if (same := report.same_first).n:
        words = f"Both show the same section first in {interval_text(same.as_json())} of {same.n} questions."
        lines.append(Text(words))
    lines.append(_costs_table(report))
    if report.cost_a_question is not None:
        lines.append(Text(f"A question with the model: ${report.cost_a_question:.5f}."))
    lines.append(Text(f"The trial has spent {money(report.spent)} of {money(report.budget)}."))
    lines += first_lines([f"  {' '.join(note.split())}" for note in report.notes], "yellow")
    if report.stopped:
        lines.append(Text(f"Not all was done: {report.stopped}", style="yellow"))
    if report.sheet is not None and report.key is not None:
        lines.append(next_line(f"The blind sheet: {report.sheet}  (whose answer is whose: {report.key})", ""))
        read = f"autokb trial {quoted(workspace)} --sheet {quoted(Path(report.sheet))}"
        lines.append(next_line(f"Next: mark it, then: {read}"))
    return Group(*lines)


def _systems_table(report: TrialReport) -> Table:
    offline, by_model = report.systems["offline"], report.systems["model"]
    rows: list[tuple[str, Callable[[TrialSystem], str]]] = [
        ("themes", lambda one: _count(one.themes)),
        ("trees", lambda one: _count(one.parents)),
        ("children", lambda one: _count(one.children)),
        ("solutions", lambda one: _count(one.solutions)),
        ("solutions withheld", lambda one: _count(one.withheld)),
        ("questions asked", lambda one: str(one.asked)),
        ("  answered", lambda one: str(one.answered)),
        ("  asked back", lambda one: str(one.asked_back)),
        ("  refused", lambda one: str(one.refused)),
        ("seconds a question, p50", lambda one: _seconds(one.seconds_p50)),
        ("seconds a question, p95", lambda one: _seconds(one.seconds_p95)),
        ("requests, build and questions", lambda one: f"{one.build.calls:,} and {one.ask.calls:,}"),
        ("tokens in, build and questions", lambda one: f"{one.build.tokens.input:,} and {one.ask.tokens.input:,}"),
        ("tokens out, build and questions", lambda one: f"{one.build.tokens.output:,} and {one.ask.tokens.output:,}"),
        ("cost, build and questions", lambda one: f"{money(one.build.cost)} and {money(one.ask.cost)}"),
    ]
    table = Table("", "offline", report.model, box=None)
    for name, cell in rows:
        table.add_row(name, cell(offline), cell(by_model))
    return table


def _costs_table(report: TrialReport) -> Table:
    table = Table("the model's build", "requests", "tokens in", "tokens out", "cost", box=None)

    def add(name: str, row: Figures | Spending) -> None:
        figures = (row.calls, row.tokens.input, row.tokens.output)
        table.add_row(name, *(f"{figure:,}" for figure in figures), money(row.cost))

    add("the sample, planned", report.sample_plan)
    add("the sample, so far" if report.ratio is None else "the sample, spent", report.systems["model"].build)
    add("the whole, planned", report.whole_plan)
    if report.ratio is not None:
        name = f"the whole, {report.ratio:.2f} times its plan"
        table.add_row(name, "", "", "", money(report.whole_cost))
    return table


def marks_view(marks: SheetMarks) -> RenderableType:
    """Show what people said of the two systems."""
    table = Table("", *marks.helps, "same", box=None)
    helps = (interval_text(one.as_json()) for one in marks.helps.values())
    table.add_row("helps (yes 1, partly .5, no 0)", *helps, "")
    table.add_row("is the better one", *(interval_text(one.as_json()) for one in marks.better.values()))
    systems = " minus help of ".join(reversed(list(marks.helps)))
    difference = interval_text(marks.help_difference.as_json(), signed=True)
    return Group(
        Text(f"{several(marks.questions, 'question')} marked; 95 % intervals."),
        table,
        Text(f"Help of {systems}, question by question: {difference}."),
    )


def _count(value: int | None) -> str:
    return NOT_THERE if value is None else str(value)


def _seconds(value: float | None) -> str:
    return NOT_THERE if value is None else f"{value:.2f}"
