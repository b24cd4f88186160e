"""``autokb move``: a workspace from its folder to a Postgres server, and back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from autokb.stores.moving import Moved


@app.command(
    epilog="Example: autokb move kb --to 'postgresql://autokb@db.example.com/autokb?schema=kb'  and back: "
    "autokb move kb --to kb-in-a-file"
)
def move(
    workspace: Folder,
    to: Annotated[str, typer.Option("--to", metavar="URL|FOLDER", help="postgresql://..., or a new folder.")],
    json: Json = False,
) -> None:
    """Copy a workspace to a Postgres server or back, compare both, and switch over; a killed one goes on."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, stage_bars

    kb = SupportKB.open(workspace)
    with stage_bars() as progress:
        done = kb.move(to, progress=progress)
    emit(json, done.as_json(), lambda: _moved(workspace, done))


def _moved(workspace: Path, done: Moved) -> str:
    from autokb.cli.views import quoted, several

    rows = several(sum(done.tables.values()), "row")
    said = f"Moved {rows} of {several(len(done.tables), 'table')} to {done.to}; both sides are equal."
    if "://" not in done.to:
        return (
            f"{said}\n{workspace} still reads the server, which is as it was ({done.left}). Where AUTOKB_STORE names "
            f"it, take that out of the environment.\nNext: autokb show {quoted(Path(done.to))}"
        )
    return (
        f"{said}\nsettings.yaml says store: now. Where the URL has a password, better keep it in AUTOKB_STORE, and "
        f"take that line out.\n{done.left} is what the file was; nothing reads it, and you can delete it."
    )
