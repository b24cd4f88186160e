"""What people did with versions beside publishing them: earlier ones shown again, candidates discarded."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal

from autokb.core.ids import canonical_json
from autokb.core.results import Result
from autokb.stores.database import damaged_rows
from autokb.stores.workspace_file import WorkspaceFile

EVENTS = "version_events"  # meta: the newest events, the oldest of them first
MOST_EVENTS = 200  # some years of a team that goes back every week


@dataclass(frozen=True, slots=True)
class VersionEvent(Result):
    """What somebody did with a version, and when: ``what`` is rolled back or discarded.

    ``number`` is the version that readers saw from then on, or the one that the candidate would have become; ``before``
    is the one that they saw until then. ``by`` is empty where nobody said who it was.
    """

    what: Literal["rolled back", "discarded"]
    number: int
    before: int
    by: str
    date: str


def read_version_events(file: WorkspaceFile) -> tuple[VersionEvent, ...]:
    """Return the events that are kept, from the oldest."""
    with damaged_rows("meta"):
        return tuple(VersionEvent(**one) for one in _read(file))


def keep_version_event(file: WorkspaceFile, event: VersionEvent) -> None:
    """Keep one more event; call it inside a transaction."""
    with damaged_rows("meta"):
        file.note(EVENTS, canonical_json([*_read(file), event.as_json()][-MOST_EVENTS:]))


def _read(file: WorkspaceFile) -> list[dict[str, Any]]:
    return list(json.loads(file.meta(EVENTS) or "[]"))
