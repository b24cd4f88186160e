"""Versions as people read them: what is kept, and what differs between two for readers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from autokb.core.changes import Changes, Readable, compare
from autokb.core.errors import BadInputError
from autokb.core.results import Listed, Result
from autokb.stores.database import damaged_rows
from autokb.stores.published import read_published
from autokb.stores.version_events import VersionEvent, read_version_events
from autokb.stores.versions import CANDIDATE, NO_VERSION
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


@dataclass(frozen=True, slots=True)
class Forced(Result):
    """Who published all the same, and what there was against it."""

    by: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionChecks(Result):
    """What the ``n`` checks of a team found of a version: the shares that were right first, and in their outcome.

    ``trees`` is the share of the trees' solutions that fit their customers' issues, where the gate looked at it.
    """

    first: float
    outcome: float
    n: int
    forced: Forced | None = None
    trees: float | None = None


@dataclass(frozen=True, slots=True)
class VersionView(Result):
    """One version, or the candidate, with the documents, nodes and displayed solutions that were built for it.

    ``date`` and ``by`` are empty where nobody noted them, ``published`` is the one that readers see; ``inputs`` are
    hashes of what went in, ``checks`` the figures of its gate. ``is_candidate`` is one that nobody has published yet,
    under the number it would have. ``forced`` names who consented to its having less than half of what readers saw.
    """

    number: int
    date: str
    by: str
    documents: int
    issues: int
    solutions: int
    published: bool
    checks: VersionChecks | None = None
    inputs: Mapping[str, str] = field(default_factory=dict)
    is_candidate: bool = False
    forced: Forced | None = None


@dataclass(frozen=True, slots=True)
class Versions(Listed, Result):
    """The versions that are kept, from the oldest; the candidate stands last. ``events`` are rollbacks and the like."""

    LIST: ClassVar[str] = "versions"
    versions: tuple[VersionView, ...]
    events: tuple[VersionEvent, ...] = ()


def list_versions(workspace: Workspace) -> Versions:
    """Return the versions that are kept, from the oldest, and the candidate."""
    with workspace.file() as file, file.snapshot():
        shown = file.shown_version
        found = [_view(file, one.number, one.body, published=one.number == shown) for one in file.versions()]
        if file.has_candidate:
            number = found[-1].number + 1 if found else 1
            found.append(_view(file, number, file.candidate(), candidate=True))
        events = read_version_events(file)
    return Versions(tuple(found), events)


def diff(workspace: Workspace, before: str, after: str) -> Changes:
    """Return what readers see otherwise in one version than in another, as today's decisions leave both.

    A version is named by its number, the candidate by its name (BadInputError where one is not kept).
    """
    for named in (before, after):
        if not named:  # which would be what readers see, whatever that is
            raise BadInputError(NO_VERSION.format(number=repr(named), folder=workspace.folder))
    was, _ = _readable(workspace, before)
    now, date = _readable(workspace, after)
    return compare(was, now, date)


def _readable(workspace: Workspace, shows: str) -> tuple[Readable, str]:
    with workspace.of(shows).file() as file:
        published = read_published(file)
        noted = (
            {CANDIDATE: file.candidate()} if shows == CANDIDATE else {str(v.number): v.body for v in file.versions()}
        )
        body = noted[shows]
    return Readable(published.kb.solutions, published.kb.issues, published.kb.documents), str(body.get("date", ""))


def _forced(body: Mapping[str, Any]) -> Forced | None:
    with damaged_rows("version"):
        forced = body.get("forced")
        return Forced(str(forced["by"]), tuple(map(str, forced["reasons"]))) if forced else None


def _checks(body: Mapping[str, Any]) -> VersionChecks | None:
    if not (found := body.get("checks")):
        return None
    with damaged_rows("version"):
        by = _forced(found)
        trees = None if found.get("trees") is None else float(found["trees"])
        return VersionChecks(float(found["first"]), float(found["outcome"]), int(found["n"]), by, trees)


def _view(
    file: WorkspaceFile, number: int, body: Mapping[str, Any], *, published: bool = False, candidate: bool = False
) -> VersionView:
    counts = body.get("counts") or file.counts_of(CANDIDATE if candidate else str(number))
    return VersionView(
        number=number,
        date=str(body.get("date", "")),
        by=str(body.get("by", "")),
        documents=counts.get("document", 0),
        issues=counts.get("issue", 0),
        solutions=counts.get("displayed", 0),
        published=published,
        checks=_checks(body),
        inputs=dict(body.get("inputs") or {}),
        is_candidate=candidate,
        forced=_forced(body),
    )
