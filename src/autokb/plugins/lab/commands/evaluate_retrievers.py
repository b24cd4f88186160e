"""``autokb evaluate retrievers``: which encoder and which search find the right documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json
from autokb.plugins.lab.commands.evaluate_commands import Budget, Report, evaluate, show_answer


@evaluate.command(epilog="Example: autokb evaluate retrievers kb --embedders packaged,local:models/minilm,openai:NAME")
def retrievers(
    workspace: Folder,
    embedders: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EMBEDDER",
            help="packaged, local:FOLDER or openai:NAME; several with commas. The workspace's own without it.",
        ),
    ] = None,
    cases: Annotated[
        Path | None,
        typer.Option(help="JSONL with id, messages or text, and documents. Past issues with outcomes without it."),
    ] = None,
    budget: Budget = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Recall of documents by encoder and search, per cent over the worst, and cosines above thresholds."""
    from autokb.app import SupportKB
    from autokb.cli.output import check_report, make_console, say, stage_bars
    from autokb.plugins.lab.evaluation.report import systems_chart
    from autokb.plugins.lab.evaluation.retrieval.report import retriever_tables

    check_report(report)
    named = [name.strip() for words in embedders or () for name in words.split(",") if name.strip()]
    with stage_bars() as progress:
        kb = SupportKB.open(workspace)
        answer = kb.evaluate.retrievers(named, cases, budget=budget, progress=progress).as_json()
    say(answer["notes"])
    tables, chart = retriever_tables(answer), systems_chart(answer)
    show_answer(answer, json, report, "Retrievers", tables, chart, width=make_console().width)
