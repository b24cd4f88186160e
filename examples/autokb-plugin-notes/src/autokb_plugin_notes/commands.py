"""``autokb notes pin`` and ``autokb notes list``."""

from pathlib import Path
from typing import Annotated

import typer

from autokb.app import SupportKB
from autokb.cli.output import emit

notes = typer.Typer(no_args_is_help=True)
Folder = Annotated[Path, typer.Argument(metavar="WORKSPACE", help="The workspace's folder.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")]


@notes.command()
def pin(workspace: Folder, document: str, author: str = "", reason: str = "", json: Json = False) -> None:
    """Pin a document."""
    pins = SupportKB.open(workspace).notes.add(document, author, reason)
    _show(pins, json)


@notes.command("list")
def list_(workspace: Folder, json: Json = False) -> None:
    """List what is pinned."""
    _show(SupportKB.open(workspace).notes.list(), json)


def _show(pins: list, json: bool) -> None:
    shown = "\n".join(pin.document for pin in pins) or "Nothing is pinned."
    emit(json, {"pins": [vars(pin) for pin in pins]}, lambda: shown)
