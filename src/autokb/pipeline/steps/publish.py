"""What a build publishes: the records that differ, in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autokb.core.attributes import Attributes, as_lists
from autokb.core.ids import canonical_json
from autokb.core.nouns import Chunk, Document, RawIssue, Solution
from autokb.issues.seeds import seed_id
from autokb.issues.themes import theme_id
from autokb.pipeline.steps.issues import Organised
from autokb.pipeline.steps.trees import Grown
from autokb.stores.codecs import ISSUE, RAW_ISSUE, document_body, solution_body

KINDS = ("document", "raw_issue", "theme", "seed", "issue", "solution", "setting")
Records = dict[tuple[str, str], str]


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
    chunks_of: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        chunks_of.setdefault(chunk.document, []).append(chunk)
    trees = {raw_id: grown.joined.get(parent, parent) for raw_id, parent in grown.parent_of.items()}
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for document in documents:
        found["document", document.id] = document_body(document, chunks_of.get(document.id, ()))
    for one in raw:
        found["raw_issue", one.id] = {
            **RAW_ISSUE.body(one),
            "attributes": as_lists(attributes.get(one.id, {})),
            **_place(one.id, organised, trees, grown.reasons),
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
