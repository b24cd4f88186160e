"""``autokb sync``: the workspace kept in step with the sources of its settings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json, app

if TYPE_CHECKING:
    from autokb.core.results import Synced, SyncedSource


@app.command(epilog="Example: autokb sync kb --build  and, as a service,  autokb sync kb --watch --build")
def sync(
    workspace: Folder,
    source: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="This source alone; may be repeated.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, each source as often as its entry every: says, until it is stopped.")
    ] = False,
    build: Annotated[bool, typer.Option("--build", help="Build after it, where something changed.")] = False,
    json: Json = False,
) -> None:
    """Read what is new, changed or gone in the sources of settings.yaml; one that fails stops no other."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, say, spinner

    kb = SupportKB.open(workspace)
    if watch:
        _watch(kb, source or [], build=build, json=json)
        return
    with spinner("Reading") as progress:
        done = kb.sync(source or [], build=build, progress=progress)
    emit(json, done.as_json(), lambda: _text(workspace, done))
    if done.errors:
        say(done.errors)
        raise typer.Exit(1)


def _watch(kb: object, names: list[str], *, build: bool, json: bool) -> None:
    """Run until SIGTERM or Ctrl-C, which both end it cleanly: what was read is stored."""
    import signal
    from datetime import UTC, datetime

    from autokb.app import SupportKB
    from autokb.cli.output import say, write_json

    assert isinstance(kb, SupportKB)

    def tell(done: Synced | str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        if json:
            write_json({"date": now} | ({"error": done} if isinstance(done, str) else done.as_json()))
        elif isinstance(done, str):
            say([f"{now} {done}"])
        else:
            say(f"{now} {name}: {_line(one)}" for name, one in done.sources.items())
            if done.build is not None:
                say([f"{now} built: {done.build.solutions} solutions"])

    signal.signal(signal.SIGTERM, lambda _signal, _frame: signal.raise_signal(signal.SIGINT))
    try:
        kb.watch(names, build=build, tell=tell)
    except KeyboardInterrupt:
        return


def _line(one: SyncedSource) -> str:
    counts = f"{one.added} added, {one.updated} updated, {one.removed} removed, {one.unchanged} unchanged"
    skipped = f", {len(one.skipped)} not taken" if one.skipped else ""
    end = f"; {one.error}" if one.error else ""
    return f"{counts}{skipped}; {one.requests:,} requests, {one.bytes:,} bytes{end}"


def _text(workspace: Path, done: Synced) -> object:
    from rich.console import Group
    from rich.text import Text

    from autokb.cli.views import next_line, quoted, skipped_lines

    lines: list[object] = []
    for name, one in done.sources.items():
        lines += [Text(f"{name}: {_line(one)}"), *skipped_lines(one.skipped)]
    if done.build is not None:
        lines.append(Text(f"built: {done.build.solutions} solutions"))
    elif any(one.changed for one in done.sources.values()):
        lines.append(next_line(f"Next: autokb build {quoted(workspace)}"))
    return Group(*lines)  # type: ignore[arg-type]
