"""Readers given another version: a candidate that is published, or an earlier version that they had before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from autokb.core.checks import Refusal
from autokb.core.errors import BadInputError, HalfLostError
from autokb.core.nouns import Verdict
from autokb.core.results import Result
from autokb.pipeline.checks import check_gate_settings, pass_gate
from autokb.pipeline.steps.decisions import RuleResults
from autokb.pipeline.steps.publish import Built, Records
from autokb.pipeline.steps.publish import publish as publish_records
from autokb.stores.published import Published, read_published
from autokb.stores.versions import CANDIDATE, Made
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import author_name

FORCE_NEEDS_AUTHOR = "--force needs --author NAME; it is recorded."


@dataclass(frozen=True, slots=True)
class Publication(Result):
    """The version that readers see now, or what the gate has against the candidate."""

    number: int
    published: bool
    refusal: Refusal | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the contract's shape."""
        if self.refusal is not None:
            return self.refusal.as_json()
        return {"number": self.number, "published": self.published}


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
        built = built_in_file(candidate, noted)
    made = workspace.publication_by(_by("build", author), noted.get("inputs"))
    made = replace(made, checks=passed.as_noted(force or author), forced_by=force)
    with file.transaction():
        publish_records(file, records, read_published(file), built, made)
        file.drop_candidate()
    return Publication(file.shown_version, True)


def built_in_file(file: WorkspaceFile, noted: Mapping[str, Any]) -> Built:
    """Read what a file shows as what a build gives."""
    published = read_published(file)
    base = {i: one for i, one in published.decided.base.items() if i not in published.decided.written}
    rules: RuleResults = {i: tuple(Verdict(**one) for one in some) for i, some in noted.get("rules", {}).items()}
    issues = {i: one for i, one in published.kb.issues.items() if i not in published.decided.problems}
    return Built(published.kb.documents, issues, base, noted.get("joined", {}), rules)


def _by(what: str, author: str) -> str:
    return f"{what}, published by {author}" if author else what
