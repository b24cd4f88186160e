"""``autokb checks``: questions that must stay right, and whether they are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Candidate, Folder, Json, app
from autokb.cli.manual import Commands

if TYPE_CHECKING:
    from rich.console import RenderableType

    from autokb.pipeline.gate.checks import CheckRun

checks = Commands(help="Questions that must stay right, and whether they are.", no_args_is_help=True)
app.add_typer(checks, name="checks")
Ids = Annotated[list[str], typer.Argument(metavar="ID...", help="The ids of checks.")]


@checks.command(epilog="Example: autokb checks add kb checks.jsonl")
def add(
    workspace: Folder,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSONL: id, text, and what is right.")],
    json: Json = False,
) -> None:
    """Add checks; one with the id of another takes its place.

    A line has an id and a text, perhaps attributes, and what is right: a document and its heading, a solution, a past
    ticket, or an outcome (answered, asks, abstains). What draft-cases wrote is read too.
    """
    from autokb.app import SupportKB
    from autokb.cli.output import emit, one_line, say

    kept = SupportKB.open(workspace).checks.add(file)
    if kept.unresolved:
        names = ", ".join(map(one_line, kept.unresolved[:5])) + (", ..." if len(kept.unresolved) > 5 else "")
        say([f"{len(kept.unresolved)} name what is not published now, and are wrong until it is: {names}"])
    emit(json, kept.as_json(), lambda: f"{kept.added} added, {kept.updated} updated, {kept.unchanged} as they were.")


@checks.command(name="list", epilog="Example: autokb checks list kb --json")
def list_(workspace: Folder, json: Json = False) -> None:
    """List the checks; with --json each is a line that checks add reads."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, one_line

    found = SupportKB.open(workspace).checks.list()

    def text() -> str:
        lines = []
        for one in found.checks:
            right = ": ".join(filter(None, (one.document or one.solution or one.ticket, one.heading))) or one.outcome
            lines.append(f"{one_line(one.id)}  {one_line(one.text)}  -> {one_line(right)}")
        return "\n".join(lines) or "There are no checks."

    emit(json, found.as_json(), text)


@checks.command(epilog="Example: autokb checks remove kb pairing-1")
def remove(workspace: Folder, ids: Ids, json: Json = False) -> None:
    """Forget checks."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    left = SupportKB.open(workspace).checks.remove(ids)
    emit(json, left.as_json(), lambda: f"{len(left.checks)} are left.")


@checks.command(epilog="Example: autokb checks run kb  and  autokb checks run kb --candidate")
def run(workspace: Folder, candidate: Candidate = False, json: Json = False) -> None:
    """Ask the questions, offline: right first, right among three, outcome; a candidate beside what readers see."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit

    found = SupportKB.open(workspace).checks.run(candidate=candidate)
    emit(json, found.as_json(), lambda: show_run(found, candidate))


def show_run(found: CheckRun, candidate: bool) -> RenderableType:
    """Show the three shares, beside readers where a candidate was asked, and what is wrong or turned."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    from autokb.cli.output import one_line
    from autokb.cli.views import answer_of, turned_lines
    from autokb.pipeline.gate.checks import MEASURES

    beside = found.difference or {}
    table = Table("", "share", "95 %", *(["vs current", "95 %"] if beside else []), box=None)
    for name, words in MEASURES.items():
        one, change = getattr(found, name), beside.get(name)
        more = [f"{change.value:+.2f}", f"{change.low:+.2f} to {change.high:+.2f}"] if change else []
        table.add_row(words, f"{one.value:.2f}", f"{one.low:.2f} to {one.high:.2f}", *more)
    lines = [f"wrong: {one_line(one.id)}  {answer_of(one)}" for one in found.wrong]
    if beside:
        lines = [*turned_lines(found.turned)] or ["No check got worse."]
    elif candidate:
        lines.append("Nothing is published that it could be compared with.")
    return Group(Text(f"{found.n} checks"), table, *map(Text, lines))
