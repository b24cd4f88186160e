"""What a build publishes: the records that differ, in one transaction, as a new version or as a candidate."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.attributes import Attributes, as_lists
from autokb.core.changes import Readable, compare
from autokb.core.decisions import apply_decisions, keep_approved
from autokb.core.ids import canonical_json
from autokb.core.nouns import Chunk, Document, Issue, RawIssue, Solution
from autokb.core.review_policy import ReviewPolicy
from autokb.heuristics.grouping import grouped
from autokb.issues.seeds import seed_id
from autokb.issues.themes import theme_id
from autokb.pipeline.steps.decisions import RuleResults, find_events, keep_updated
from autokb.pipeline.steps.issues import Organised
from autokb.pipeline.steps.trees import Grown
from autokb.retrieval.calibrated_gate import SETTING as CALIBRATION
from autokb.stores.codecs import ISSUE, RAW_ISSUE, document_body, solution_body
from autokb.stores.published import (
    REVIEW,
    Published,
    keep_changes,
    keep_decisions,
    keep_events,
    read_decisions,
)
from autokb.stores.versions import Made
from autokb.stores.workspace_file import WorkspaceFile

KINDS = ("document", "raw_issue", "theme", "seed", "issue", "solution", "setting")
Records = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Built:
    """What readers are to see, as nouns; ``joined`` are trees that others took in, ``rules`` of texts by hand."""

    documents: Mapping[str, Document]
    issues: Mapping[str, Issue]
    solutions: Mapping[str, Solution]
    joined: Mapping[str, str]
    rules: RuleResults


def publish(file: WorkspaceFile, found: Records, published: Published, built: Built, made: Made) -> None:
    """Publish records in one transaction, with what the build made of decisions and what it changed for readers.

    ``published`` is what is there when it begins, of which no other build can have changed anything since; decisions
    that people took while it ran are read here.
    """
    with file.transaction():
        # read inside: a team may calibrate while a build runs; and of the newest version: a rollback takes none back
        if (calibration := file.newest("setting", CALIBRATION)) is not None:
            found = {**found, ("setting", CALIBRATION): canonical_json(calibration)}
        settle(file, published, built, made.date, lambda: file.publish(found, KINDS, made))


def settle(file: WorkspaceFile, published: Published, built: Built, now: str, show: Callable[[], object]) -> None:
    """Have readers see something else, and keep what becomes of decisions and what changes for readers.

    ``show`` puts the records of ``built`` in the place of those of ``published``. Call it inside a transaction.
    """
    was_built = {i: s for i, s in published.decided.base.items() if i not in published.decided.written}
    decisions = read_decisions(file)
    before = apply_decisions(was_built, published.kb.issues, decisions)
    show()
    decisions = replace(decisions, policy=ReviewPolicy.of_setting(file.record("setting", REVIEW)))
    if decisions.policy.changed == "keep":
        kept = keep_approved(before, built.solutions, file.last_number(), now)
        keep_decisions(file, kept)
        decisions = replace(decisions, log=(*decisions.log, *kept))
    after = keep_updated(
        file, decisions, built.solutions, built.issues, built.joined, built.rules, before=published.kb.issues
    )
    keep_events(file, find_events(before, after, now))
    was = Readable(before.solutions, published.kb.issues, published.kb.documents)
    issues = {**built.issues, **after.problems}
    keep_changes(file, compare(was, Readable(after.solutions, issues, built.documents), now))


def records(
    *,
    documents: Sequence[Document],
    chunks: Iterable[Chunk],
    raw: Sequence[RawIssue],
    attributes: Mapping[str, Attributes],
    organised: Organised,
    grown: Grown,
    solutions: Iterable[Solution],
    settings: Mapping[str, Mapping[str, Any]],
) -> Records:
    """Return every record by kind and id."""
    chunks_of = grouped((chunk.document, chunk) for chunk in chunks)
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for document in documents:
        found["document", document.id] = document_body(document, chunks_of.get(document.id, ()))
    for one in raw:
        found["raw_issue", one.id] = {
            **RAW_ISSUE.body(one),
            **({"told": one.told} if one.told else {}),
            "attributes": as_lists(attributes.get(one.id, {})),
            **_place(one.id, organised, grown.parent_of, grown.reasons),
        }
    found.update(_themes_and_seeds(organised))
    found.update({("issue", i.id): ISSUE.body(i) for i in grown.issues})
    found.update({("solution", s.id): solution_body(s) for s in solutions})
    found.update({("setting", name): body for name, body in settings.items()})
    return {key: canonical_json(body) for key, body in found.items()}


def _place(raw_id: str, organised: Organised, trees: Mapping[str, str], reasons: Mapping[str, str]) -> dict[str, str]:
    """Say where a raw issue landed, or why it landed nowhere."""
    theme, seed = organised.theme_of.get(raw_id), organised.seed_of(raw_id)
    if theme is None or seed is None:
        return {"reason": reasons.get(raw_id, "It has no theme yet: a step failed; build again.")}
    place = {"theme": theme_id(theme), "seed": seed_id(seed)}
    tree = trees.get(raw_id)
    if tree is not None:
        return {**place, "issue": tree}
    return {
        **place,
        "reason": reasons.get(raw_id, reasons.get(seed, "Its seed has no tree: a step failed; build again.")),
    }


def _themes_and_seeds(organised: Organised) -> dict[tuple[str, str], Mapping[str, Any]]:
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for theme, clusters in organised.clusters.items():
        if clusters.seeds:
            found["theme", theme_id(theme)] = {"name": theme}
        for seed in clusters.seeds:
            body = {"raw_issue": seed, "theme": theme_id(theme)}
            found["seed", seed_id(seed)] = body | ({"reason": clusters.alone[seed]} if seed in clusters.alone else {})
    return found
