"""``sync --watch``: one process that reads each source when its time has come, until it is stopped."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime

from autokb.app.syncing.sync import chosen_sources, last_run
from autokb.core.errors import AutokbError, hide_values
from autokb.core.results import Synced
from autokb.stores.workspace import Workspace

LONGEST_NAP = 60.0  # seconds after which the settings are looked at again


def watch(
    workspace: Callable[[], Workspace],
    names: Iterable[str],
    run: Callable[[list[str]], Synced],
    tell: Callable[[Synced | str], None],
) -> None:
    """Run what is due, tell what became of it, and wait for what is due next; KeyboardInterrupt ends it.

    What is due is kept in the workspace, so a process that is started again waits for the rest of the time. Settings
    are read anew each time. An error is told, without values of the settings, and no end: the next time may be better.
    """
    wanted = list(names)
    chosen_sources(workspace(), wanted)  # what is wrong from the beginning is refused
    while True:
        nap = LONGEST_NAP
        try:
            now = datetime.now(UTC)
            with hide_values():
                opened = workspace()
                waits = {}
                for name, source in chosen_sources(opened, wanted).items():
                    last = last_run(opened, name)
                    waits[name] = 0.0 if last is None else source.every - (now - last).total_seconds()
                if due := [name for name, seconds in waits.items() if seconds <= 0]:
                    tell(run(due))
                    continue
                nap = min(LONGEST_NAP, *waits.values())
        except AutokbError as error:
            tell(str(error))
        time.sleep(nap)
