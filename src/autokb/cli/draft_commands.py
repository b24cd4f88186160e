"""``autokb draft-spec``: what is proposed for a person to edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, Model, app

if TYPE_CHECKING:
    from autokb.pipeline.draft_spec import Draft

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
