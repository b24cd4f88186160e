"""Readers given another version: a candidate that is published, or an earlier version that they had before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import UTC, datetime
from typing import Any

from autokb.core.errors import BadInputError, ChangedMeanwhileError
from autokb.core.nouns import Verdict
from autokb.core.results import Discarded, Publication, Vacuumed
from autokb.pipeline.checks import check_gate_settings, pass_gate
from autokb.pipeline.steps.decisions import RuleResults
from autokb.pipeline.steps.publish import Built, Records, settle
from autokb.pipeline.steps.publish import publish as publish_records
from autokb.stores.published import read_published
from autokb.stores.versions import CANDIDATE, Made
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

FORCE_NEEDS_AUTHOR = "--force needs --author NAME; it is recorded."


def keep_candidate(file: WorkspaceFile, found: Records, built: Built, made: Made) -> None:
    """Keep what was built beside what readers see; decisions of people are settled when it is published."""
    rules = {i: [asdict(one) for one in verdicts] for i, verdicts in built.rules.items()}
    body = {**asdict(made), "joined": dict(built.joined), "rules": rules}
    with file.transaction():
        file.keep_candidate(found, body)


def publish(workspace: Workspace, *, author: str = "", force: bool = False, seen: str = "") -> Publication:
    """Have readers see the candidate, as a new version, if it passes the gate (BadInputError where there is none).

    ``seen`` is the date of the one that is meant; ChangedMeanwhileError where another has taken its place.
    Who forces it says who they are (BadInputError): it goes on record.
    """
    if force and not author:
        raise BadInputError(FORCE_NEEDS_AUTHOR)
    with workspace.build_lock(), workspace.file() as file:
        if seen and str(file.candidate().get("date", "")) != seen:
            raise ChangedMeanwhileError("Another candidate is in the place of the one that you saw; look at it first.")
        return publish_candidate(workspace, file, author=author, force=author if force else "")


def publish_candidate(workspace: Workspace, file: WorkspaceFile, *, author: str = "", force: str = "") -> Publication:
    """Have readers see the candidate, if it passes the gate; ``force`` names who lets it. Call it under the build lock.

    What passes, or is discarded, is a candidate no longer; one that is refused stays for people to look at.
    """
    noted = file.candidate()
    check_gate_settings(workspace, file)
    passed = pass_gate(workspace, file, force=bool(force))
    if passed.refusal is not None:
        return Publication(file.shown_version, False, passed.refusal)
    records = file.candidate_records()
    with workspace.of(CANDIDATE).file() as candidate:
        built = _built(candidate, noted)
    made = workspace.publication_by(_by("build", author), noted.get("inputs"))
    made = replace(made, checks=passed.as_noted(force or author))
    with file.transaction():
        publish_records(file, records, read_published(file), built, made)
        file.drop_candidate()
    return Publication(file.shown_version, True)


def discard_candidate(workspace: Workspace) -> Discarded:
    """Forget the candidate (BadInputError where there is none)."""
    with workspace.build_lock(), workspace.file() as file, file.transaction():
        file.candidate()
        file.drop_candidate()
    return Discarded(True)


def roll_back(workspace: Workspace, number: int) -> Publication:
    """Have readers see a version that is kept again, in one transaction (BadInputError where it is not kept).

    What people decided is of today: it is laid over the version as over a build.
    """
    with workspace.build_lock(), workspace.file() as file:
        with workspace.of(str(number)).file() as earlier:
            built = _built(earlier, {})
        now = datetime.now(UTC).isoformat(timespec="seconds")
        with file.transaction():
            settle(file, read_published(file), built, now, lambda: file.show_version(number))
        return Publication(file.shown_version, True)


def vacuum(workspace: Workspace, *, forget_work: bool = False) -> Vacuumed:
    """Write the file anew without what was deleted; it needs as much free disk as the file has."""
    with workspace.build_lock(), workspace.file() as file:
        before = file.size
        file.vacuum(forget_work=forget_work)
        return Vacuumed(before, file.size)


def _built(file: WorkspaceFile, noted: Mapping[str, Any]) -> Built:
    """Read what a file shows as what a build gives."""
    published = read_published(file)
    base = {i: one for i, one in published.decided.base.items() if i not in published.decided.written}
    rules: RuleResults = {i: tuple(Verdict(**one) for one in some) for i, some in noted.get("rules", {}).items()}
    return Built(published.kb.documents, published.kb.issues, base, noted.get("joined", {}), rules)


def _by(what: str, author: str) -> str:
    return f"{what}, published by {author}" if author else what
