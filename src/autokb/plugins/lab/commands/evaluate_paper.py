"""``autokb evaluate paper``: the tables of the four papers, measured here, beside what they printed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Json
from autokb.plugins.lab.commands.evaluate_commands import Budget, evaluate, show_answer


@evaluate.command(epilog="Example: autokb evaluate paper autokb headphones medical --html tables.html")
def paper(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="autokb, autochunker, tickets or suggestions.")],
    workspaces: Annotated[list[Path], typer.Argument(metavar="WORKSPACE...", help="Which workspaces are measured.")],
    judge: Annotated[str, typer.Option(metavar="MODEL", help="Fill what a model can judge, such as openai:NAME.")] = "",
    budget: Budget = None,
    cases: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            help="tickets: questions with right tickets, golden answers; autochunker: with places of their answers.",
        ),
    ] = None,
    sheets: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="autokb: write the sheets that people fill in.")
    ] = None,
    read: Annotated[Path | None, typer.Option(metavar="FOLDER", help="autokb: read the filled sheets.")] = None,
    html: Annotated[Path | None, typer.Option(metavar="FILE.html", help="Also write one HTML page.")] = None,
    json: Json = False,
) -> None:
    """All tables of a paper: what was measured here with its interval, what the paper printed, what is missing."""
    from autokb.cli.output import check_report, make_console, stage_bars
    from autokb.plugins.lab.evaluation.papers.tables import report_tables
    from autokb.plugins.lab.namespace import EvaluateNamespace

    check_report(html)
    with stage_bars() as progress:
        found = EvaluateNamespace.paper(
            paper,
            workspaces,
            judge=judge,
            budget=budget,
            cases=cases,
            sheets=sheets,
            filled=read,
            progress=progress,
        )
    title = f"The tables of the paper: {paper}"
    width = make_console().width
    show_answer(found.as_json(), json, html, title, report_tables(found.tables), width=width)
