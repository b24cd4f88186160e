"""Readers given another version: a candidate that is published, or an earlier version that they had before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from autokb.core.nouns import Verdict
from autokb.core.results import Discarded, Publication
from autokb.pipeline.steps.decisions import RuleResults
from autokb.pipeline.steps.publish import Built, Records, publish, settle
from autokb.stores.published import read_published
from autokb.stores.versions import CANDIDATE, Made
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


def keep_candidate(file: WorkspaceFile, found: Records, built: Built, made: Made) -> None:
    """Keep what was built beside what readers see; decisions of people are settled when it is published."""
    rules = {i: [asdict(one) for one in verdicts] for i, verdicts in built.rules.items()}
    body = {**asdict(made), "joined": dict(built.joined), "rules": rules}
    with file.transaction():
        file.keep_candidate(found, body)


def publish_candidate(workspace: Workspace, *, author: str = "") -> Publication:
    """Have readers see the candidate, as a new version (BadInputError where there is none)."""
    with workspace.build_lock(), workspace.file() as file:
        noted = file.candidate()
        records = file.candidate_records()
        with workspace.of(CANDIDATE).file() as candidate:
            built = _built(candidate, noted)
        made = workspace.publication_by(_by("build", author), noted.get("inputs"))
        with file.transaction():
            publish(file, records, read_published(file), built, made)
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


def _built(file: WorkspaceFile, noted: Mapping[str, Any]) -> Built:
    """Read what a file shows as what a build gives."""
    published = read_published(file)
    base = {i: one for i, one in published.decided.base.items() if i not in published.decided.written}
    rules: RuleResults = {i: tuple(Verdict(**one) for one in some) for i, some in noted.get("rules", {}).items()}
    return Built(published.kb.documents, published.kb.issues, base, noted.get("joined", {}), rules)


def _by(what: str, author: str) -> str:
    return f"{what}, published by {author}" if author else what
