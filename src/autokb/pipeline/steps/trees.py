"""Seeds become trees (algorithm 1, lines 16 to 20); what is off topic grows none, and says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autokb.core.attributes import Attributes
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Issue, RawIssue
from autokb.core.vectors import Vectors
from autokb.issues.seeds import far_from_documents
from autokb.issues.trees import Reported, issues, question
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.issues import Organised
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrowTree

OFF_TOPIC = "No document is near it, so no tree was grown from it."


@dataclass(frozen=True, slots=True)
class Grown:
    """All nodes, parents before their children, and for raw issues without a tree the reason."""

    issues: tuple[Issue, ...]
    reasons: Mapping[str, str]


def grow_trees(
    stages: Stages,
    spec: DomainSpec,
    raw: Sequence[RawIssue],
    vectors: Vectors,
    attributes: Mapping[str, Attributes],
    organised: Organised,
    windows: Vectors,
) -> Grown:
    """Grow a tree from every seed that a document is near to; rows of ``vectors`` are those of ``raw``."""
    reasons = _far_from_documents(raw, vectors, windows)
    seeds, questions = tree_questions(spec, raw, attributes, organised, reasons)
    replies = stages.run("trees", GROW_TREE, questions, seeds)
    grown = [
        node for seed, reply in zip(seeds, replies, strict=True) if reply is not None for node in issues(seed, reply)
    ]
    return Grown(tuple(grown), reasons)


def tree_questions(
    spec: DomainSpec,
    raw: Sequence[RawIssue],
    attributes: Mapping[str, Attributes],
    organised: Organised,
    reasons: Mapping[str, str],
) -> tuple[list[str], list[GrowTree]]:
    """Return the seeds that grow a tree and the question for each; raw issues with a reason against them grow none."""
    reported = {
        r.id: Reported(r, attributes[r.id], organised.problems[n])
        for n, r in enumerate(raw)
        if r.id in attributes and r.id in organised.theme_of
    }
    seeds: list[str] = []
    questions: list[GrowTree] = []
    for theme, clusters in organised.clusters.items():
        members = clusters.members()
        around = sorted(r for r in organised.theme_of if organised.theme_of[r] == theme and r not in reasons)
        for seed, own in members.items():
            if seed in reported and not all(member in reasons for member in own):
                seeds.append(seed)
                questions.append(question(seed, own, around, reported, organised.near, spec))
    return seeds, questions


def _far_from_documents(raw: Sequence[RawIssue], vectors: Vectors, windows: Vectors) -> dict[str, str]:
    if not len(raw) or not len(windows):
        return {}
    far = far_from_documents((vectors @ windows.T).max(axis=1))
    return {r.id: OFF_TOPIC for n, r in enumerate(raw) if far[n] and not r.resolved_by}
