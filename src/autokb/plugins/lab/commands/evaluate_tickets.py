"""``autokb evaluate tickets``: how past tickets are ranked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json
from autokb.plugins.lab.commands.evaluate_commands import Report, evaluate, show_measures, split_names, which_systems


@evaluate.command(epilog="Example: autokb evaluate tickets kb --queries queries.jsonl --qrels qrels.tsv")
def tickets(
    workspace: Folder,
    queries: Annotated[Path, typer.Option(help="JSONL with id and text, perhaps created and components.")],
    qrels: Annotated[Path, typer.Option(help="TSV or trec: query id, ticket id, grade.")],
    systems: Annotated[list[str] | None, which_systems("All")] = None,
    report: Report = None,
    json: Json = False,
) -> None:
    """MRR, recall and nDCG of tickets by each signal alone and together, beside plain text chunks."""
    from autokb.app import SupportKB
    from autokb.cli.output import check_report, stage_bars

    check_report(report)
    with stage_bars() as progress:
        answer = SupportKB.open(workspace).evaluate.tickets(queries, qrels, split_names(systems), progress=progress)
    show_measures(answer.as_json(), json, report, "Tickets")
