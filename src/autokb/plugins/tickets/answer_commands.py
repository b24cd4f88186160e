"""``autokb tickets ask``, ``accept``, ``report``, ``draft-template`` and ``feed``: what past tickets answer."""

from __future__ import annotations

from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, Model
from autokb.cli.draft_commands import Budget
from autokb.plugins.tickets.commands import Most, tickets


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
    from autokb.plugins.tickets.answer_views import answer_view

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
    from autokb.plugins.tickets.answer_views import accepted_view

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
    from autokb.plugins.tickets.answer_views import report_view

    shown = SupportKB.open(workspace).tickets.report(by)
    emit(json, shown.as_json(), lambda: report_view(shown))


@tickets.command(name="draft-template", epilog="Example: autokb tickets draft-template kb")
def draft_template(workspace: Folder, model: Model = "", budget: Budget = None, json: Json = False) -> None:
    """Propose sections of tickets from those that were added, in a file of its own beside domain.yaml."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars
    from autokb.plugins.tickets.answer_views import template_view

    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        drafted = kb.tickets.draft_template(budget=budget, progress=progress)
    emit(json, drafted.as_json(), lambda: template_view(drafted))


@tickets.command(epilog="Example: autokb tickets feed kb  and then  autokb build kb")
def feed(workspace: Folder, json: Json = False) -> None:
    """Stage resolved tickets as documents and their reports as issues, for the next autokb build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit
    from autokb.plugins.tickets.answer_views import fed_view

    fed = SupportKB.open(workspace).tickets.ingest()
    emit(json, fed.as_json(), lambda: fed_view(workspace, fed))
