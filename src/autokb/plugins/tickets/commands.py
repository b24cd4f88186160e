"""``autokb tickets``: past tickets as a graph of sections."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import BuildBudget, Folder, Json, Model
from autokb.cli.manual import Commands

tickets = Commands(help="Past tickets as trees of sections in a graph.", no_args_is_help=True)

Most = Annotated[int, typer.Option("--k", min=1, metavar="N", help="How many tickets at most.")]


@tickets.command(epilog="Example: autokb tickets build kb  (after: autokb add kb export.json --as tickets)")
def build(
    workspace: Folder,
    model: Model = "",
    budget: BuildBudget = None,
    rethink: Annotated[
        bool, typer.Option("--rethink", help="Choose anew how alike titles must be, and what each signal counts.")
    ] = False,
    json: Json = False,
) -> None:
    """Build the ticket graph; only tickets that changed are worked out, and a killed build goes on."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.plugins.tickets.views import build_report_view

    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        built = kb.tickets.build(rethink=rethink, budget=budget, progress=progress)
    emit(json, built.as_json(), lambda: build_report_view(workspace, built))


@tickets.command(epilog="Example: autokb tickets show kb  and  autokb tickets show kb APP-42")
def show(
    workspace: Folder,
    ticket: Annotated[str | None, typer.Argument(metavar="[TICKET]", help="The id of a ticket.")] = None,
    json: Json = False,
) -> None:
    """Draw a ticket's tree of sections and its links, or count what there is."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import graph_view, ticket_view

    kb = SupportKB.open(workspace)
    if ticket is None:
        shown = kb.tickets.overview()
        emit(json, shown.as_json(), lambda: graph_view(workspace, shown))
    else:
        one = kb.tickets.show(ticket)
        emit(json, one.as_json(), lambda: ticket_view(one))


@tickets.command(epilog="Example: autokb tickets similar kb 'app crashes when the camera opens'")
def similar(
    workspace: Folder,
    text: Annotated[str, typer.Argument(metavar="TEXT|ID", help="What somebody reports, or the id of a ticket.")],
    k: Most = 5,
    json: Json = False,
) -> None:
    """List the tickets that are most like a text, or like another ticket."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import similar_view

    found = SupportKB.open(workspace).tickets.similar(text, k)
    emit(json, found.as_json(), lambda: similar_view(workspace, found))
