"""``autokb feedback``: what became of suggestions, kept, listed and fed back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, app
from autokb.cli.manual import Commands

feedback = Commands(help="What became of suggestions, and learning from it.", no_args_is_help=True)
app.add_typer(feedback, name="feedback")


@feedback.command(
    epilog="Example: autokb feedback add kb --verdict used --query 'it does not pair' --solution solution-3f2a"
)
def add(
    workspace: Folder,
    query: Annotated[str, typer.Option(metavar="TEXT", help="What the customer asked.")],
    verdict: Annotated[str, typer.Option(metavar="VERDICT", help="used, edited, rejected, helpful or unhelpful.")],
    solution: Annotated[
        str, typer.Option(metavar="ID", help="The solution_id of the suggestion; none for a question back.")
    ] = "",
    document: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="What a suggestion without a solution cites: a ticket's id.")
    ] = None,
    text: Annotated[str, typer.Option(metavar="TEXT", help="What was sent, where it was edited.")] = "",
    text_file: Annotated[Path | None, typer.Option(metavar="FILE", help="The same from a file.")] = None,
    source: Annotated[
        str, typer.Option(metavar="SOURCE", help="Of one without a solution: ticket, question, refusal, small_talk.")
    ] = "",
    conversation: Annotated[str, typer.Option(metavar="C", help="The conversation's id.")] = "",
    author: Annotated[str, typer.Option(metavar="A", help="Who says so.")] = "",
    group: Annotated[str, typer.Option(metavar="G", help="The group of agents.")] = "",
    json: Json = False,
) -> None:
    """Store what became of a suggestion; the same feedback is stored once."""
    from autokb.app import SupportKB
    from autokb.cli.feedback_views import given_sentence
    from autokb.cli.output import emit
    from autokb.usage.feedback import read_sent_text

    given = SupportKB.open(workspace).usage.give_feedback(
        query,
        verdict,  # type: ignore[arg-type]  # checked behind the door
        solution or None,
        read_sent_text(text, text_file),
        documents=document or (),
        source=source,  # type: ignore[arg-type]  # likewise
        conversation=conversation,
        author=author,
        group=group,
    )
    emit(json, given.as_json(), lambda: given_sentence(given))


@feedback.command(name="list", epilog="Example: autokb feedback list kb --limit 20")
def list_(
    workspace: Folder,
    limit: Annotated[int, typer.Option(metavar="N", help="At most this many.")] = 100,
    after: Annotated[str, typer.Option(metavar="ID", help="Go on behind this one: the page before's next.")] = "",
    json: Json = False,
) -> None:
    """List feedback in the order of its taking, with what agents sent."""
    from autokb.app import SupportKB
    from autokb.cli.feedback_views import page_view
    from autokb.cli.output import emit

    page = SupportKB.open(workspace).usage.feedback(limit, after)
    emit(json, page.as_json(), lambda: page_view(workspace, page))


@feedback.command(epilog="Example: autokb feedback undo kb feedback-3f2a")
def undo(
    workspace: Folder,
    feedback_id: Annotated[str, typer.Argument(metavar="ID", help="The feedback's id.")],
    json: Json = False,
) -> None:
    """Withdraw a feedback entry; it no longer counts, whether it was fed already or not."""
    from autokb.app import SupportKB
    from autokb.cli.feedback_views import undone_sentence
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).usage.undo_feedback(feedback_id)
    emit(json, done.as_json(), lambda: undone_sentence(done))


@feedback.command(epilog="Example: autokb feedback feed kb  and then  autokb build kb")
def feed(workspace: Folder, json: Json = False) -> None:
    """Let resolved questions count: for searching at once, as issues with outcomes in the next build."""
    from autokb.app import SupportKB
    from autokb.cli.feedback_views import fed_view
    from autokb.cli.output import emit

    fed = SupportKB.open(workspace).usage.ingest_feedback()
    emit(json, fed.as_json(), lambda: fed_view(workspace, fed))
