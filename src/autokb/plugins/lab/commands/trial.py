"""``autokb trial`` and ``autokb draft-cases``: a model tried on one's own data, and test sets made of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, Model
from autokb.cli.views import first_lines, money, next_line, quoted, several

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autokb.core.spending import Figures, Spending
    from autokb.plugins.lab.evaluation.blind_sheet import SheetMarks
    from autokb.plugins.lab.evaluation.report import Table
    from autokb.plugins.lab.studies.draft_cases import DraftedCases
    from autokb.plugins.lab.studies.trial import TrialReport

Budget = Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Ask for no more than this much money.")]


def trial(
    workspace: Folder,
    model: Model = "",
    budget: Annotated[
        float, typer.Option(metavar="USD", min=0, help="Never spend more, all runs of the trial together.")
    ] = 1.0,
    themes: Annotated[int, typer.Option(min=1, help="How many of the largest themes the sample has.")] = 10,
    questions: Annotated[int, typer.Option(min=1, help="How many past questions are asked at most.")] = 30,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where the trial lies; WORKSPACE/trial without it.")
    ] = None,
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet instead; its key lies beside it.")
    ] = None,
    json: Json = False,
) -> int:
    """Build a sample offline and by a model, ask both past questions, and say what the whole would cost."""
    from autokb.app import SupportKB
    from autokb.cli import STOPPED
    from autokb.cli.output import emit, stage_bars

    kb = SupportKB.open(workspace, model=model)
    if sheet is not None:
        marks = kb.evaluate.read_trial_sheet(sheet)
        emit(json, marks.as_json(), lambda: _marks_view(marks))
        return 0
    with stage_bars() as progress:
        report = kb.evaluate.trial(budget, themes=themes, questions=questions, out=out, progress=progress)
    emit(json, report.as_json(), lambda: _trial_view(workspace, report))
    return STOPPED if report.stopped else 0


def _trial_view(workspace: Path, report: TrialReport) -> RenderableType:
    """Show the two systems, what the sample and the whole cost, and where the sheet lies."""
    from rich.console import Group
    from rich.text import Text

    from autokb.plugins.lab.evaluation.report import interval_text, terminal_tables

    largest = f" of the {several(report.themes, 'largest theme')}" if report.themes else ""
    kept = "of the log of questions" if report.asked_from == "log" else "held out of both builds"
    systems, costs = terminal_tables([_systems_table(report), _costs_table(report)])
    lines: list[RenderableType] = [
        Text(f"Sample: {several(report.documents, 'document')}, {several(report.issues, 'issue')}{largest}."),
        Text(f"Asked: {several(report.questions, 'past question')}, {kept}."),
        systems,
    ]
    if (same := report.same_first).n:
        words = f"Both show the same section first in {interval_text(same.as_json())} of {same.n} questions."
        lines.append(Text(words))
    lines.append(costs)
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
    from autokb.plugins.lab.evaluation.report import Table

    both = (report.systems["offline"], report.systems["model"])
    counts = {
        "themes": "themes",
        "trees": "parents",
        "children": "children",
        "solutions": "solutions",
        "solutions withheld": "withheld",
        "questions asked": "asked",
        "  answered": "answered",
        "  asked back": "asked_back",
        "  refused": "refused",
        "seconds a question, p50": "seconds_p50",
        "seconds a question, p95": "seconds_p95",
    }
    rows = {name: [getattr(one, field) for one in both] for name, field in counts.items()}
    spent = [(one.build, one.ask) for one in both]
    requests, read, written, cost = (
        [f"{build.calls:,} and {ask.calls:,}" for build, ask in spent],
        [f"{build.tokens.input:,} and {ask.tokens.input:,}" for build, ask in spent],
        [f"{build.tokens.output:,} and {ask.tokens.output:,}" for build, ask in spent],
        [f"{money(build.cost)} and {money(ask.cost)}" for build, ask in spent],
    )
    rows |= {"requests, build and questions": requests, "tokens in, build and questions": read}
    rows |= {"tokens out, build and questions": written, "cost, build and questions": cost}
    return Table.of("Both systems", rows, ("offline", report.model))


def _costs_table(report: TrialReport) -> Table:
    from autokb.plugins.lab.evaluation.report import Table

    planned: dict[str, Figures | Spending] = {
        "the sample, planned": report.sample_plan,
        "the sample, so far" if report.ratio is None else "the sample, spent": report.systems["model"].build,
        "the whole, planned": report.whole_plan,
    }
    rows = {
        name: [*(f"{n:,}" for n in (of.calls, of.tokens.input, of.tokens.output)), money(of.cost)]
        for name, of in planned.items()
    }
    if report.ratio is not None:
        rows[f"the whole, {report.ratio:.2f} times its plan"] = ["", "", "", money(report.whole_cost)]
    return Table.of("The model's build", rows, ("requests", "tokens in", "tokens out", "cost"))


def _marks_view(marks: SheetMarks) -> RenderableType:
    """Show what people said of the two systems."""
    from rich.console import Group
    from rich.text import Text

    from autokb.plugins.lab.evaluation.report import Table, interval_text, terminal_tables

    rows: dict[str, list[object]] = {
        "helps (yes 1, partly .5, no 0)": [*(one.as_json() for one in marks.helps.values()), ""],
        "is the better one": [one.as_json() for one in marks.better.values()],
    }
    systems = " minus help of ".join(reversed(list(marks.helps)))
    difference = interval_text(marks.help_difference.as_json(), signed=True)
    return Group(
        Text(f"{several(marks.questions, 'question')} marked; 95 % intervals."),
        *terminal_tables([Table.of("What people say", rows, (*marks.helps, "same"))]),
        Text(f"Help of {systems}, question by question: {difference}."),
    )


def draft_cases(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSONL file that is not there yet.")],
    source: Annotated[
        str, typer.Option("--from", help="chats, or documents: a task makes questions of them.")
    ] = "chats",
    out_of_domain: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSONL with id and text: questions that are to be refused.")
    ] = None,
    model: Model = "",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Write questions with their replies, of added chats or documents, as cases for a test set; private data masked."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.core.errors import BadInputError
    from autokb.plugins.lab.studies.draft_cases import CASE_SOURCES

    named = next((known for known in CASE_SOURCES if known == source), None)
    if named is None:
        raise BadInputError(f"--from takes {' or '.join(CASE_SOURCES)}, not {source!r}.")
    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        drafted = kb.evaluate.draft_cases(file, named, out_of_domain, budget=budget, progress=progress)
    emit(json, drafted.as_json(), lambda: _cases_view(drafted))


def _cases_view(drafted: DraftedCases) -> str:
    """Show how many cases there are and table 1 of the paper, and say what to do with them."""
    counts = drafted.statistics
    rows = (
        ("documents", counts.documents),
        ("questions", counts.questions),
        ("replies", counts.replies),
        ("out of domain", counts.out_of_domain),
    )
    table = "\n".join(
        f"  {name:<14}{count.n:>7}{'–' if count.mean_words is None else f'{count.mean_words:.1f}':>9} words"
        for name, count in rows
    )
    origin = f" in {several(drafted.conversations, 'conversation')}" if drafted.conversations else ""
    failed = "".join(f"\nNot made: {failure.item}: {failure.reason}" for failure in drafted.failures)
    documents = "" if drafted.conversations == 0 else ", and name in documents the pages that answer each"
    return (
        f"Found {several(drafted.cases, 'case')}{origin}, questions and replies by {drafted.made_by}:\n{table}\n"
        f"E-mail addresses, phone numbers, cards and secrets masked: {drafted.masked}; names of people are not found."
        f"{failed}\nWrote {drafted.file}. Next: read it{documents}."
    )
