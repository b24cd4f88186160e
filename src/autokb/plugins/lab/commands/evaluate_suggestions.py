"""``autokb evaluate suggestions``: what is suggested, beside what people replied."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, Model
from autokb.plugins.lab.commands.evaluate_commands import (
    Budget,
    Report,
    evaluate,
    show_answer,
    split_names,
    which_systems,
)


@evaluate.command(
    epilog="Example: autokb evaluate suggestions kb --cases cases.jsonl --systems autokb,incumbent --sheet sheet.csv  "
    "and, judged by a model:  autokb evaluate suggestions kb --cases cases.jsonl --judge --model openai:NAME"
)
def suggestions(
    workspace: Folder,
    cases: Annotated[Path, typer.Option(help="JSONL with id, messages, reply (empty: to refuse) and documents.")],
    systems: Annotated[list[str] | None, which_systems("autokb and incumbent")] = None,
    baseline: Annotated[str, typer.Option(help="What the others are compared with; the incumbent without it.")] = "",
    judge: Annotated[bool, typer.Option("--judge", help="Have a model judge which suggestions are correct.")] = False,
    similarity: Annotated[
        str,
        typer.Option(
            metavar="EMBEDDER", help="Compare replies by this encoder too; it must not be the workspace's own."
        ),
    ] = "",
    sheet: Annotated[
        Path | None, typer.Option(metavar="FILE.csv", help="Write a blind sheet of two systems for two annotators.")
    ] = None,
    read: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Read a filled sheet.")] = None,
    most: Annotated[int | None, typer.Option(min=1, help="How many cases the sheet holds at most.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="What the sheet's order and sides are drawn by.")] = 0,
    model: Model = "",
    budget: Budget = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """Coverage, documents, consistency and likeness to people's replies, with intervals and paired differences."""
    from autokb.app import SupportKB
    from autokb.cli.output import check_report, make_console, say, stage_bars
    from autokb.plugins.lab.evaluation.report import systems_chart
    from autokb.plugins.lab.evaluation.suggestions.report import suggestion_tables
    from autokb.plugins.lab.studies.evaluate_suggestions import SuggestionEvaluation

    check_report(report)
    named = tuple(split_names(systems))
    wanted = SuggestionEvaluation(
        cases=cases,
        systems=named,
        baseline=baseline,
        judge=judge,
        similarity=similarity,
        sheet=sheet,
        read=read,
        most=most,
        seed=seed,
    )
    with stage_bars() as progress:
        found = SupportKB.open(workspace, model=model).evaluate.suggestions(wanted, budget=budget, progress=progress)
    answer = found.as_json()
    say(answer["notes"])
    tables, chart = suggestion_tables(answer), systems_chart(answer)
    show_answer(answer, json, report, "Suggestions", tables, chart, width=make_console().width)
