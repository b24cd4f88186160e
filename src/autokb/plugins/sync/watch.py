"""``sync --watch``: one process that reads each source when its time has come, until it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from autokb.app.synced import Synced
from autokb.core.errors import AutokbError, hide_values
from autokb.pipeline.build_report import BuildReport
from autokb.plugins.sync.sync import build_if_changed, chosen_sources, last_run, side_by_side
from autokb.stores.workspace import Workspace

LONGEST_NAP = 60.0  # seconds after which the settings are looked at again
SHORTEST_NAP = 0.1


def watch(
    workspace: Callable[[], Workspace],
    names: Iterable[str],
    build: Callable[[], BuildReport] | None,
    tell: Callable[[Synced | str], None],
) -> None:
    """Run what is due, tell what became of it, and wait for what is due next; KeyboardInterrupt ends it.

    What is due is kept in the workspace, so a process that is started again waits for the rest of the time. Settings
    are read anew each time. An error is told, without values of the settings, and no end: the next time may be better.
    A source that is still read waits for itself alone.
    """
    wanted = list(names)
    chosen_sources(workspace(), wanted)  # what is wrong from the beginning is refused
    started: dict[str, datetime] = {}  # where the workspace cannot note it
    with side_by_side() as reads:
        while True:
            nap = LONGEST_NAP
            try:
                now = datetime.now(UTC)
                with hide_values():
                    opened = workspace()
                    for place, (name, source) in enumerate(chosen_sources(opened, wanted).items()):
                        last = max(filter(None, (last_run(opened, name), started.get(name))), default=None)
                        wait = 0.0 if last is None else source.every - (now - last).total_seconds()
                        if name not in reads.running and wait <= 0:
                            started[name] = now
                            reads.start(opened, source, place)
                        elif name not in reads.running:
                            nap = min(nap, wait)
                    if one := reads.ended(max(SHORTEST_NAP, nap)):
                        tell(Synced(dict([one]), build_if_changed(workspace(), build)))
            except AutokbError as error:
                tell(str(error))
                time.sleep(nap)
            except Exception as error:  # no fault of one moment ends the service
                tell(f"It failed with {type(error).__name__}; it goes on.")
                time.sleep(nap)
