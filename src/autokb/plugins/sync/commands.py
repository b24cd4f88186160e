"""``autokb sync``: the workspace kept in step with the sources of its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from autokb.cli.commands import Folder, Json

if TYPE_CHECKING:
    from autokb.app import SupportKB
    from autokb.app.synced import Synced


def sync(
    workspace: Folder,
    source: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="This source alone; may be repeated.")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on, each source as often as its entry every: says, until it is stopped.")
    ] = False,
    build: Annotated[bool, typer.Option("--build", help="Build after it, where something changed.")] = False,
    accept: Annotated[
        bool,
        typer.Option(
            "--accept",
            help="Take what the sources give now: pages that became something else, and removals of more than half.",
        ),
    ] = False,
    json: Json = False,
) -> int:
    """Read what is new, changed or gone in the sources of the settings, once or until it is stopped."""
    from autokb.app import SupportKB
    from autokb.cli.output import emit, say, spinner
    from autokb.core.errors import BadInputError, hide_values
    from autokb.plugins.sync.views import synced_view

    with hide_values():
        kb = SupportKB.open(workspace)
        if watch and accept:
            raise BadInputError("--accept is for one run that you look at; leave out --watch.")
        if watch:
            _watch(kb, source or [], build=build, json=json)
            return 0
        with spinner("Reading") as progress:
            done = kb.sync(source or [], accept=accept, build=build, progress=progress)
    emit(json, done.as_json(), lambda: synced_view(workspace, done))
    say(done.errors)
    return 1 if done.errors or (done.build and done.build.refusal) else 0


def _watch(kb: SupportKB, names: list[str], *, build: bool, json: bool) -> None:
    """Run until SIGTERM or Ctrl-C, which both end it cleanly: what was read is stored."""
    import signal
    from datetime import UTC, datetime

    from autokb.cli.output import say, write_json
    from autokb.plugins.sync.views import build_line, run_line

    def tell(done: Synced | str) -> None:
        now = datetime.now(UTC).isoformat(timespec="seconds")
        if json:
            write_json({"date": now} | ({"error": done} if isinstance(done, str) else done.as_json()))
        elif isinstance(done, str):
            say([f"{now} {done}"])
        else:
            say(f"{now} {run_line(name, one)}" for name, one in done.sources.items())
            if done.build is not None:
                say([f"{now} {build_line(done.build)}"])

    def stop(_signal: int, _frame: object) -> None:
        if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as a script does in what it starts with &
            raise KeyboardInterrupt
        signal.raise_signal(signal.SIGINT)

    signal.signal(signal.SIGTERM, stop)
    try:
        kb.watch(names, build=build, tell=tell)
    except KeyboardInterrupt:
        return
