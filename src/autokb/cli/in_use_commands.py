"""``autokb gaps``, ``in-use`` and ``outcomes``: what is lacking, what is used, and what became of conversations."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Folder, Json, app
from autokb.cli.manual import Commands

outcomes = Commands(help="How conversations ended, reported back.", no_args_is_help=True)
app.add_typer(outcomes, name="outcomes")
LISTED = 50  # gaps of a list, where nothing is said
DOCUMENTS_SHOWN = 10  # in a terminal, where nothing is said: they stand last and are the least urgent
FieldName = Annotated[str | None, typer.Option(metavar="F", help="Where a record has it, if not under its own name.")]


@app.command(epilog="Example: autokb gaps kb --limit 20  and then  autokb gaps kb --done gap-3f2a91c07d15ab44")
def gaps(
    workspace: Folder,
    limit: Annotated[
        int | None,
        typer.Option(metavar="N", help="At most this many of each list; else 50, and 10 documents are shown."),
    ] = None,
    newest: Annotated[bool, typer.Option("--newest", help="The newest first, not the most asked.")] = False,
    closed: Annotated[bool, typer.Option("--closed", help="What was closed, in place of what is open.")] = False,
    done: Annotated[str, typer.Option(metavar="ID", help="Close a gap until it is asked again.")] = "",
    dismiss: Annotated[str, typer.Option(metavar="ID", help="Close a gap for good.")] = "",
    undo: Annotated[str, typer.Option(metavar="ID", help="Open a gap again.")] = "",
    author: Annotated[str, typer.Option(metavar="A", help="Who says so.")] = "",
    forget: Annotated[bool, typer.Option("--forget", help="Empty the log of questions that were asked.")] = False,
    json: Json = False,
) -> None:
    """Show what was asked and not answered, issues without solution, and documents that nothing cites."""
    from autokb.app import SupportKB
    from autokb.cli.in_use_views import forgotten_sentence, gaps_view, settled_sentence
    from autokb.cli.output import emit
    from autokb.core.errors import BadInputError

    if sum(map(bool, (done, dismiss, undo, forget))) > 1:
        raise BadInputError("Give one of --done, --dismiss, --undo and --forget at a time.")
    kb = SupportKB.open(workspace)
    if forget:
        forgotten = kb.usage.forget_questions()
        emit(json, forgotten.as_json(), lambda: forgotten_sentence(forgotten))
    elif done or dismiss or undo:
        settled = kb.usage.dismiss_gap(done or dismiss or undo, done=bool(done), undo=bool(undo), author=author)
        emit(json, settled.as_json(), lambda: settled_sentence(settled))
    else:
        found = kb.usage.gaps(LISTED if limit is None else limit, newest=newest, closed=closed)
        emit(json, found.as_json(), lambda: gaps_view(workspace, found, DOCUMENTS_SHOWN if limit is None else limit))


@app.command(name="in-use", epilog="Example: autokb in-use kb --since 2026-03-01")
def in_use(
    workspace: Folder,
    since: Annotated[str, typer.Option(metavar="DAY", help="From this day on.")] = "",
    json: Json = False,
) -> None:
    """Show how often suggestions are used, and how conversations end, by arm and by use, with intervals."""
    from autokb.app import SupportKB
    from autokb.cli.in_use_views import in_use_view
    from autokb.cli.output import emit

    found = SupportKB.open(workspace).usage.in_use(since)
    emit(json, found.as_json(), lambda: in_use_view(workspace, found))


@outcomes.command(epilog="Example: autokb outcomes add kb --conversation c-17 --resolved --seconds 310")
def add(
    workspace: Folder,
    conversation: Annotated[str, typer.Option(metavar="C", help="The id that suggest and feedback were given.")],
    resolved: Annotated[bool | None, typer.Option("--resolved/--unresolved", help="Whether it was resolved.")] = None,
    returned: Annotated[
        bool | None, typer.Option("--returned/--not-returned", help="Whether the customer came back with it.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(metavar="S", help="How long it took.")] = None,
    date: Annotated[str, typer.Option(metavar="DAY", help="When, if not now.")] = "",
    json: Json = False,
) -> None:
    """Store how a conversation ended; what is not said stays as it was."""
    from autokb.app import SupportKB
    from autokb.cli.in_use_views import reported_sentence
    from autokb.cli.output import emit

    reported = SupportKB.open(workspace).usage.report_outcome(conversation, resolved, returned, seconds, date)
    emit(json, reported.as_json(), lambda: reported_sentence(reported))


@outcomes.command(
    name="import", epilog="Example: autokb outcomes import kb closed-chats.csv --seconds-field handling_time"
)
def import_(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="CSV, TSV, JSON or JSONL, a record a conversation.")],
    conversation_field: FieldName = None,
    resolved_field: FieldName = None,
    returned_field: FieldName = None,
    seconds_field: FieldName = None,
    date_field: FieldName = None,
    json: Json = False,
) -> None:
    """Store how the conversations of a file ended; importing it again changes nothing."""
    from autokb.app import SupportKB
    from autokb.cli.in_use_views import imported_outcomes_view
    from autokb.cli.output import emit
    from autokb.sources.outcomes import OutcomeFields

    fields = OutcomeFields(conversation_field, resolved_field, returned_field, seconds_field, date_field)
    done = SupportKB.open(workspace).usage.import_outcomes(file, fields)
    emit(json, done.as_json(), lambda: imported_outcomes_view(workspace, done))
