"""``autokb feedback``: what became of suggestions, kept, listed and fed back."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app
from autokb.cli.manual import Commands
from autokb.cli.output import one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autokb.usage.feedback import FedFeedback, FeedbackPage, GivenFeedback, UndoneFeedback

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
    from autokb.cli.output import emit

    done = SupportKB.open(workspace).usage.undo_feedback(feedback_id)
    emit(json, done.as_json(), lambda: undone_sentence(done))


@feedback.command(epilog="Example: autokb feedback feed kb  and then  autokb build kb")
def feed(workspace: Folder, json: Json = False) -> None:
    """Let resolved questions count: for searching at once, as issues with outcomes in the next build."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    fed = SupportKB.open(workspace).usage.ingest_feedback()
    emit(json, fed.as_json(), lambda: fed_view(workspace, fed))


SHOWN = 160  # characters of a question or a reply


def given_sentence(given: GivenFeedback) -> str:
    """Say what was stored."""
    one = given.feedback
    known = "" if given.changed else " already"
    cited = f", which cites {', '.join(map(one_line, one.documents))}" if one.documents else ""
    return f"{one.id} is{known} stored: {one.verdict}{cited}."


def page_view(workspace: Path, page: FeedbackPage) -> RenderableType:
    """Show feedback, newest last, with what was sent in the place of what was suggested."""
    from rich.console import Group
    from rich.text import Text

    from autokb.cli.views import next_line, quoted

    if not page.items:
        return Text("There is no feedback.")
    lines: list[RenderableType] = []
    for one in page.items:
        who = " ".join(filter(None, map(one_line, (one.date[:10], one.author, one.group))))
        about = one_line(one.solution_id or one.source or "no solution")
        lines.append(Text(f"{one.id}  {one.verdict:<9} {about}  {who}".rstrip(), style="bold"))
        if one.conversation:
            lines.append(Text(f"  conversation: {one_line(one.conversation, SHOWN)}"))
        lines.append(Text(f"  asked: {one_line(one.query, SHOWN)}"))
        if one.text:
            lines.append(Text(f"  sent: {one_line(one.text, SHOWN)}"))
    if page.next is not None:
        more = f"autokb feedback list {quoted(workspace)} --after {shlex.quote(page.next)}"
        lines.append(next_line(f"More: {more}"))
    return Group(*lines)


def undone_sentence(done: UndoneFeedback) -> str:
    """Say what was taken back."""
    unstaged = " Its question is no resolved one any more." if done.unstaged else ""
    return f"{done.id} was taken back.{unstaged}"


def fed_view(workspace: Path, fed: FedFeedback) -> str:
    """Say what counts now."""
    from autokb.cli.views import quoted, several

    left_out = "".join(f"\nLeft out: {n} of which it {reason}" for reason, n in fed.left_out.items())
    return (
        f"{several(fed.issues, 'resolved question')} from feedback ({fed.added} new, {fed.removed} removed): history "
        f"from now on.{left_out}\nNext: autokb build {quoted(workspace)} makes issues of them; "
        f"autokb remove {quoted(workspace)} feedback takes them out again."
    )
