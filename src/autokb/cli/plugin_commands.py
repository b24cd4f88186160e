"""``autokb plugins``: what is installed beside autokb, and what each brings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Json, app

if TYPE_CHECKING:
    from autokb.app.plugins import ListedPlugins


@app.command(epilog="Example: autokb plugins kb")
def plugins(
    workspace: Annotated[
        Path | None, typer.Argument(metavar="[WORKSPACE]", help="Also list what this workspace lacks.")
    ] = None,
    json: Json = False,
) -> None:
    """List the plug-ins that are installed, what each brings, and what does not load."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.plugins(workspace or "")
    emit(json, found.as_json(), lambda: _listed(found))


def _listed(found: ListedPlugins) -> str:
    lines = []
    for one in found.plugins:
        source = "part of autokb" if one.built_in else f"{one.package} {one.version}"
        lines.append(f"{one.name}  {source}  {one.summary}".rstrip())
        lines += [f"  {kind:<12} {', '.join(names)}" for kind, names in one.brings.items()]
    said = (("problem", found.problems), ("missing", found.out_of_reach))
    lines += [f"{kind:<14} {sentence}" for kind, sentences in said for sentence in sentences]
    return "\n".join(lines) or "No plug-ins are installed."
