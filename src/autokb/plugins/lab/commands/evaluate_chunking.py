"""``autokb evaluate chunking``: one table for all methods."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import IdField, Json, Ledger, MaxSize, Model, SettingsFile, TextField, TitleField
from autokb.plugins.lab.commands.evaluate_commands import Budget, Report, evaluate, show_answer, split_names


@evaluate.command(
    epilog="Example: autokb evaluate chunking manuals/ --methods auto_chunker,fixed --json  and, judged by a model:  "
    "autokb evaluate chunking manuals/ --judge openai:NAME --ledger judged.db"
)
def chunking(
    paths: Annotated[list[Path], typer.Argument(metavar="PATH...", help="Files and folders.")],
    methods: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Which methods, with commas between; all without it.")
    ] = None,
    max_size: MaxSize = 2048,
    model: Model = "",
    judge: Annotated[
        str, typer.Option(metavar="MODEL", help="A model that only judges and makes questions; chunkers stay offline.")
    ] = "",
    questions: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="JSONL: question, and perhaps document and references with start and end."),
    ] = None,
    gold: Annotated[
        Path | None, typer.Option(metavar="FILE", help="JSONL: document, and the text that should be kept of it.")
    ] = None,
    task: Annotated[str, typer.Option(help="What the chunks are to serve, in words; product support without it.")] = "",
    sample: Annotated[int, typer.Option(metavar="N", min=1, help="Chunks of a method that are judged at most.")] = 100,
    asked: Annotated[
        int, typer.Option(metavar="N", min=1, help="Without --questions: how often a model makes five of them.")
    ] = 8,
    budget: Budget = None,
    ledger: Ledger = None,
    report: Report = None,
    settings: SettingsFile = None,
    text_field: TextField = None,
    title_field: TitleField = None,
    id_field: IdField = None,
    json: Json = False,
) -> None:
    """Judge and count the chunks of every method; what is counted and what is judged stand apart."""
    from autokb.app import SupportKB
    from autokb.chunking.methods import METHODS
    from autokb.cli.output import check_report, make_console, say, stage_bars
    from autokb.plugins.lab.evaluation.chunking.report import chunking_tables
    from autokb.plugins.lab.studies.evaluate_chunking import SUPPORT, ChunkEvaluation
    from autokb.sources import Fields

    check_report(report)
    wanted = ChunkEvaluation(
        methods=tuple(dict.fromkeys(split_names(methods))) or METHODS,
        max_size=max_size,
        model=model,
        judge=judge,
        questions=questions,
        gold=gold,
        task=task.strip() or SUPPORT,
        sample=sample,
        asked=asked,
        ledger=ledger,
        settings=settings,
        fields=Fields(text_field or None, title_field or None, id_field or None),
    )
    if (model or judge) and ledger is None:
        say(["The model's replies are kept for this call only; with --ledger FILE they are paid for once."])
    with stage_bars() as progress:
        answer = SupportKB.evaluate_chunking(paths, wanted, budget=budget, progress=progress).as_json()
    say(f"{failure['item']}: {failure['reason']}" for failure in answer["failures"])
    show_answer(answer, json, report, "Chunking", chunking_tables(answer), width=make_console().width)
