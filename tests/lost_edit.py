"""An edit whose solution is gone: what every list of what needs attention begins with."""

from __future__ import annotations

from dataclasses import replace

from autokb.core.ids import short_id
from autokb.core.nouns import Decision
from autokb.stores.published import keep_decisions
from autokb.stores.workspace import Workspace

LOST_EDIT = Decision("edit-lost", "edited", "s-gone", "ann", "2026-01-01", text="Read <b>this</b>.")
FINDING = short_id("finding", "source_changed", "gone", LOST_EDIT.solution_id, LOST_EDIT.shown, LOST_EDIT.text)


def keep_lost_edit(workspace: Workspace) -> None:
    """Keep the edit, in a workspace that has no such solution."""
    with workspace.file() as file, file.transaction():
        keep_decisions(file, [replace(LOST_EDIT, number=file.last_number() + 1)])
