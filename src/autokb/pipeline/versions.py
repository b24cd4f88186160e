"""Readers given another version: a candidate that is published, or an earlier version that they had before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from autokb.core.errors import BadInputError, ChangedMeanwhileError, HalfLostError
from autokb.core.in_use import moment
from autokb.core.nouns import Verdict
from autokb.core.results import Discarded, Publication, Refusal, Vacuumed, VersionEvent
from autokb.pipeline.checks import check_gate_settings, pass_gate
from autokb.pipeline.steps.decisions import RuleResults
from autokb.pipeline.steps.publish import Built, Records, settle
from autokb.pipeline.steps.publish import publish as publish_records
from autokb.stores.published import Published, read_published
from autokb.stores.version_events import keep_version_event
from autokb.stores.versions import CANDIDATE, Made
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import author_name

FORCE_NEEDS_AUTHOR = "--force needs --author NAME; it is recorded."


def keep_candidate(file: WorkspaceFile, found: Records, built: Built, made: Made) -> None:
    """Keep what was built beside what readers see; decisions of people are settled when it is published."""
    rules = {i: [asdict(one) for one in verdicts] for i, verdicts in built.rules.items()}
    body = {**asdict(made), "joined": dict(built.joined), "rules": rules}
    with file.transaction():
        file.keep_candidate(found, body)


def publish_or_keep(
    file: WorkspaceFile, found: Records, published: Published, built: Built, made: Made
) -> Refusal | None:
    """Publish what was built, or keep it as a candidate and say why: it has less than half of what readers see."""
    try:
        publish_records(file, found, published, built, made)
    except HalfLostError as lost:
        keep_candidate(file, found, built, made)
        return Refusal(lost.reasons, ())
    return None


def name_forcer(author: str) -> str:
    """Return who forces a publication, as the record has it (BadInputError where nobody says who they are)."""
    if not (name := author_name(author)):
        raise BadInputError(FORCE_NEEDS_AUTHOR)
    return name


def publish(workspace: Workspace, *, author: str = "", force: bool = False, seen: str = "") -> Publication:
    """Have readers see the candidate, as a new version, if it passes the gate (BadInputError where there is none).

    Nor is one published that has less than half of what readers see.

    ``seen`` is the date of the one that is meant; ChangedMeanwhileError where another has taken its place.
    Who forces it says who they are (BadInputError): it goes on record.
    """
    author = name_forcer(author) if force else author_name(author)
    with workspace.build_lock(), workspace.file() as file:
        _check_seen(file, seen)
        return publish_candidate(workspace, file, author=author, force=author if force else "")


def _check_seen(file: WorkspaceFile, seen: str) -> None:
    if seen and str(file.candidate().get("date", "")) != seen:
        raise ChangedMeanwhileError("Another candidate is in the place of the one that you saw; look at it first.")


def publish_candidate(workspace: Workspace, file: WorkspaceFile, *, author: str = "", force: str = "") -> Publication:
    """Have readers see the candidate, if it passes the gate; ``force`` names who lets it. Call it under the build lock.

    What passes, or is discarded, is a candidate no longer; one that is refused stays for people to look at.
    """
    noted = file.candidate()
    check_gate_settings(workspace, file)
    passed = pass_gate(workspace, file, force=bool(force))
    lost = () if force else file.candidate_losses()
    if lost or passed.refusal is not None:
        told = passed.refusal or Refusal((), ())
        return Publication(file.shown_version, False, replace(told, reasons=(*lost, *told.reasons)))
    records = file.candidate_records()
    with workspace.of(CANDIDATE).file() as candidate:
        built = _built(candidate, noted)
    made = workspace.publication_by(_by("build", author), noted.get("inputs"))
    made = replace(made, checks=passed.as_noted(force or author), forced_by=force)
    with file.transaction():
        publish_records(file, records, read_published(file), built, made)
        file.drop_candidate()
    return Publication(file.shown_version, True)


def discard_candidate(workspace: Workspace, *, author: str = "", seen: str = "") -> Discarded:
    """Forget the candidate, and keep who did so (BadInputError where there is none).

    ``seen`` is the date of the one that is meant; ChangedMeanwhileError where another has taken its place.
    """
    with workspace.build_lock(), workspace.file() as file, file.transaction():
        file.candidate()
        _check_seen(file, seen)
        file.drop_candidate()
        number = max((one.number for one in file.versions()), default=0) + 1
        keep_version_event(file, VersionEvent("discarded", number, file.shown_version, author_name(author), moment()))
    return Discarded(True)


def roll_back(workspace: Workspace, number: int, *, author: str = "") -> Publication:
    """Have readers see a version that is kept again, in one transaction (BadInputError where it is not kept).

    What people decided is of today: it is laid over the version as over a build. Who did it is kept.
    """
    with workspace.build_lock(), workspace.file() as file:
        with workspace.of(str(number)).file() as earlier:
            built = _built(earlier, {})
        now, before = moment(), file.shown_version
        with file.transaction():
            settle(file, read_published(file), built, now, lambda: file.show_version(number))
            keep_version_event(file, VersionEvent("rolled back", number, before, author_name(author), now))
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
    issues = {i: one for i, one in published.kb.issues.items() if i not in published.decided.problems}
    return Built(published.kb.documents, issues, base, noted.get("joined", {}), rules)


def _by(what: str, author: str) -> str:
    return f"{what}, published by {author}" if author else what
