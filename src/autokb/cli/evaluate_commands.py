"""``autokb evaluate``: retrieval, quality, and two stored answers side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from autokb.cli.commands import Folder, Json, evaluate

Report = Annotated[Path | None, typer.Option(metavar="FILE.html", help="Also write one HTML page.")]


@evaluate.command(
    epilog="Example: autokb evaluate retrieval kb --queries queries.jsonl --qrels qrels.tsv --systems raw autokb+hr"
)
def retrieval(
    workspace: Folder,
    queries: Annotated[Path, typer.Option(help="JSONL with id and text.")],
    qrels: Annotated[Path, typer.Option(help="TSV or trec: query id, document id, grade.")],
    systems: Annotated[
        list[str] | None,
        typer.Option(help="Which systems; several with commas or the option repeated. All without it."),
    ] = None,
    extra: Annotated[list[str] | None, typer.Argument(metavar="[SYSTEM]...", hidden=True)] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Hit rate, MRR and nDCG of every retrieval system, with intervals and paired differences."""
    from autokb.app.evaluating import evaluate_workspace_retrieval
    from autokb.app.workspace import open_workspace
    from autokb.cli.output import stage_bars

    named = [name for words in [*(systems or []), *(extra or [])] for name in words.replace(",", " ").split()]
    with stage_bars() as progress:
        answer = evaluate_workspace_retrieval(open_workspace(workspace), queries, qrels, named, progress)
    _show(answer, json, report, "Retrieval")


@evaluate.command(
    epilog="Example: autokb evaluate quality kb --sheet sheet.csv  (fill in the answers)  --read sheet.csv"
)
def quality(
    workspace: Folder,
    sheet: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write a sheet for two annotators.")] = None,
    read: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="How many solutions the sheet holds at most.")] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Granularity (Q_M), rules kept (Q_D) and, from a filled sheet, correctness (Q_C)."""
    from autokb.app.evaluating import evaluate_workspace_quality
    from autokb.app.workspace import open_workspace

    _show(evaluate_workspace_quality(open_workspace(workspace), sheet, read, most), json, report, "Quality")


@evaluate.command(epilog="Example: autokb evaluate compare before.json after.json --metric hit_rate@1 --gate 0.02")
def compare(
    before: Annotated[Path, typer.Argument(metavar="BEFORE.json")],
    after: Annotated[Path, typer.Argument(metavar="AFTER.json")],
    metric: Annotated[
        str | None, typer.Option(help="For example hit_rate@1, autokb+hr.mrr or q_m; all without it.")
    ] = None,
    gate: Annotated[float | None, typer.Option(help="End with 1 when the metric fell by more than this.")] = None,
    report: Report = None,
    json: Json = False,
) -> int:
    """Compare two stored answers."""
    from autokb.evaluation.compare import compare as compare_answers
    from autokb.evaluation.compare import read_answer

    comparison = compare_answers(read_answer(before), read_answer(after), metric, gate)
    _show(comparison.as_json(), json, report, "Comparison")
    return comparison.exit_status


def _show(answer: dict[str, Any], as_json: bool, report: Path | None, title: str) -> None:
    from rich.console import Group

    from autokb.cli.output import emit
    from autokb.errors import AutokbError
    from autokb.evaluation.report import page, tables

    if report is not None:
        try:
            report.write_text(page(answer, title), encoding="utf-8")
        except OSError as error:
            raise AutokbError(f"{report} cannot be written ({error.strerror}).") from error
    emit(as_json, answer, lambda: Group(*tables(answer)))
