"""Decisions of people through ``SupportKB``, at a moment of the test's choice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

from autokb.app import SupportKB
from autokb.app.namespaces import curation
from autokb.app.namespaces.curation import Judged
from autokb.core.in_use import moment
from autokb.stores.workspace import Workspace
from autokb.views.kinds import SolutionView


@contextmanager
def decided_at(now: str) -> Iterator[None]:
    """Let what is decided inside have this date; without one it has today's."""
    with patch.object(curation, "moment", lambda: now or moment()):
        yield


def judge(workspace: Workspace, solutions: Sequence[str], verb: str, *, now: str = "", **given: Any) -> Judged:
    with decided_at(now):
        judged: Judged = getattr(SupportKB(workspace).curation, verb)(solutions, **given)
        return judged


def edit(workspace: Workspace, solution: str, *, now: str = "", **given: Any) -> SolutionView:
    with decided_at(now):
        return SupportKB(workspace).curation.edit(solution, **given)


def undo(workspace: Workspace, solution: str, *, now: str = "", **given: Any) -> SolutionView:
    with decided_at(now):
        return SupportKB(workspace).curation.undo(solution, **given)


def write_by_hand(workspace: Workspace, issue: str, source: Path, *, now: str = "", author: str = "") -> SolutionView:
    with decided_at(now):
        return SupportKB(workspace).curation.write(issue, source, author=author)
