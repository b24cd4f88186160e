"""``autokb demo``: the headphones domain, built offline, shown, and asked three questions."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from autokb.cli.commands import Json, app


@app.command(epilog="Example: autokb demo  and then  autokb serve demo-workspace")
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="[FOLDER]", help="Where to make it; nothing that is there is written over.")
    ] = Path("demo-workspace"),
    json: Json = False,
) -> int:
    """Build the headphones example offline, show it, and ask it three questions.

    It needs no network, no key and no model. Each command that it runs is shown as you would type it.
    """
    from autokb.app import SupportKB
    from autokb.app.demo import DOMAIN, QUESTIONS, TREES, check_new
    from autokb.cli.output import emit

    if json:
        emit(json, SupportKB.demo(folder).as_json(), str)
        return 0
    check_new(folder)
    name = str(folder)
    steps = [("init", name, "--domain", DOMAIN, "--examples"), ("build", name), ("show", name, "--most", str(TREES))]
    for step in steps:
        if status := _run(*step):
            return status
    for what, question in QUESTIONS:
        if status := _run("ask", name, question, "--k", "1", under=what):
            return status
    emit(
        json,
        None,
        lambda: (
            f"\nAll of it is in {name}: one SQLite file and two YAML files. Open it in a browser:\n"
            f"{shlex.join((*_own_command(), 'serve', name))}\nOr ask a question of your own:\n"
            f"{shlex.join((*_own_command(), 'ask', name, 'One of my earbuds is silent'))}"
        ),
    )
    return 0


def _run(*words: str, under: str = "") -> int:
    """Show a command as it would be typed, under a heading perhaps, and run it."""
    from autokb.cli import main
    from autokb.cli.output import emit

    heading = f"\n--- {under} ---\n" if under else ""
    emit(False, None, lambda: f"{heading}\n$ autokb {shlex.join(words)}")
    return main(words)


def _own_command() -> tuple[str, ...]:
    """Return how autokb is called from here: by its name where it is on the path, else by the program beside Python."""
    program = Path(sys.executable).with_name("autokb")
    if not program.exists():
        return sys.executable, "-m", "autokb"
    # uvx puts the program on the path for as long as it runs alone, and names itself in UV.
    on_path = None if "UV" in os.environ else shutil.which("autokb")
    if on_path and Path(on_path).absolute() == program:
        return ("autokb",)
    here = Path.cwd()
    return (str(program.relative_to(here) if program.is_relative_to(here) else program),)
