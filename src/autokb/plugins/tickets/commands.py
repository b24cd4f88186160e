"""``autokb tickets``: past tickets as a graph of sections, and what they answer."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import BuildBudget, Folder, Json, Model
from autokb.cli.draft_commands import Budget
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


@tickets.command(epilog="Example: autokb tickets ask kb 'how was the crash of the camera fixed?'")
def ask(
    workspace: Folder,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="A question, or what a customer reports.")],
    k: Most = 5,
    cypher: Annotated[
        bool, typer.Option("--cypher", help="Show what is asked of the graph as Cypher, which a model may write.")
    ] = False,
    model: Model = "",
    budget: Budget = None,
    json: Json = False,
) -> None:
    """Answer a question from past tickets, each part with the place it is from."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import answer_view

    answer = SupportKB.open(workspace, model=model).tickets.ask(text, k, cypher=cypher, budget=budget)
    emit(json, answer.as_json(), lambda: answer_view(workspace, answer))


@tickets.command(
    epilog="Example: autokb tickets accept kb APP-42 'how was the crash of the camera fixed?' --author ann"
)
def accept(
    workspace: Folder,
    ticket: Annotated[str, typer.Argument(metavar="TICKET", help="The id of the ticket that answers the question.")],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The question.")],
    author: Annotated[str, typer.Option(metavar="A", help="Who decides; kept with the decision.")] = "",
    undo: Annotated[bool, typer.Option("--undo", help="Take it back.")] = False,
    json: Json = False,
) -> None:
    """Confirm that a ticket answers a question: it counts for questions like it from now on, without a build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import accepted_view

    accepted = SupportKB.open(workspace).tickets.accept(text, ticket, author=author, undo=undo)
    emit(json, accepted.as_json(), lambda: accepted_view(accepted))


@tickets.command(epilog="Example: autokb tickets report kb --by component  and  --by 'created<2024-06-01'")
def report(
    workspace: Folder,
    by: Annotated[str, typer.Option(metavar="FIELD", help="A field of tickets, or a date: created<2024-06-01.")],
    json: Json = False,
) -> None:
    """Compare how long groups of tickets took to be resolved, with 95 % intervals."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import report_view

    shown = SupportKB.open(workspace).tickets.report(by)
    emit(json, shown.as_json(), lambda: report_view(shown))


@tickets.command(name="draft-template", epilog="Example: autokb tickets draft-template kb")
def draft_template(workspace: Folder, model: Model = "", budget: Budget = None, json: Json = False) -> None:
    """Propose sections of tickets from those that were added, in a file of its own beside domain.yaml."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.plugins.tickets.views import template_view

    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        drafted = kb.tickets.draft_template(budget=budget, progress=progress)
    emit(json, drafted.as_json(), lambda: template_view(drafted))


@tickets.command(epilog="Example: autokb tickets feed kb  and then  autokb build kb")
def feed(workspace: Folder, json: Json = False) -> None:
    """Stage resolved tickets as documents and their reports as issues, for the next autokb build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.views import fed_view

    fed = SupportKB.open(workspace).tickets.ingest()
    emit(json, fed.as_json(), lambda: fed_view(workspace, fed))
