"""What ``SupportKB.sync`` and ``SupportKB.watch`` call."""

from __future__ import annotations

from functools import partial

from autokb.app import SupportKB
from autokb.plugins.sync.sync import sync
from autokb.plugins.sync.watch import watch


class SyncNamespace:
    """The sources of one knowledge base."""

    watch = staticmethod(watch)

    def __init__(self, kb: SupportKB) -> None:
        self.sync = partial(sync, kb.workspace)
