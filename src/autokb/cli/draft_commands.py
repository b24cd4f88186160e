"""``autokb draft-spec`` and ``draft-cases``: what is proposed for a person to edit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, Model, app

if TYPE_CHECKING:
    from autokb.app.draft import Draft
    from autokb.app.draft_cases import DraftedCases

Budget = Annotated[float | None, typer.Option(min=0.0, metavar="USD", help="Ask for no more than this much money.")]


@app.command(name="draft-spec", epilog="Example: autokb draft-spec kb --model openai:NAME")
def draft_spec(workspace: Folder, model: Model = "", budget: Budget = None, json: Json = False) -> None:
    """Propose attributes and rules from issues and documents, in a file of its own beside domain.yaml."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars

    kb = SupportKB.open(workspace, model=model)
    with stage_bars() as progress:
        drafted = kb.draft_spec(budget=budget, progress=progress)
    emit(json, drafted.as_json(), lambda: _view(drafted))


def _view(drafted: Draft) -> str:
    """Show the draft and say what to do with it."""
    counts = f"{len(drafted.attributes)} attributes and {len(drafted.rules)} rules"
    left_out = "".join(f"\nNot taken: {reason}" for reason in drafted.left_out)
    return (
        f"{drafted.yaml}\nWrote {counts}, made by {drafted.made_by}, to {drafted.file}.{left_out}\n"
        "Next: edit the file, and save it as domain.yaml."
    )


@app.command(name="draft-cases", epilog="Example: autokb draft-cases kb cases.jsonl")
def draft_cases(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A JSONL file that is not there yet.")],
    json: Json = False,
) -> None:
    """Write the questions of added chats with the agents' replies as cases for a test set, private data masked."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    drafted = SupportKB.open(workspace).draft_cases(file)
    emit(json, drafted.as_json(), lambda: _cases_view(drafted))


def _cases_view(drafted: DraftedCases) -> str:
    """Show how many cases there are, and say what to do with them."""
    from autokb.cli.views import several

    return (
        f"Found {several(drafted.cases, 'case')} in {several(drafted.conversations, 'conversation')}, "
        f"questions of {drafted.question_words:.1f} and replies of {drafted.reply_words:.1f} words.\n"
        f"E-mail addresses, phone numbers, cards and secrets masked: {drafted.masked}; names of people are not found.\n"
        f"Wrote {drafted.file}. Next: read it, and name in documents the pages that answer each."
    )
