"""Seeds become trees (algorithm 1, lines 16 to 20), and those of one problem one; what is off topic grows none."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from autokb.core.attributes import ANY, Attributes
from autokb.core.domain import DomainSpec
from autokb.core.forest import Forest
from autokb.core.ids import digest
from autokb.core.nouns import Issue, RawIssue
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.issues.attribute_masking import masked_text
from autokb.issues.joining import JoinedTrees, followed, merge_trees, near_parents
from autokb.issues.manuals import Manuals
from autokb.issues.placement import PlacedTree
from autokb.issues.same_problem import SameProblem, SplitPart
from autokb.issues.seeds import far_from_documents
from autokb.issues.trees import Reported, SeedReports, ThemeReports, issues, seed_reports
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.issues import Organised
from autokb.stores.workspace import Workspace
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrownTree
from autokb.tasks.issues.grow_trees.task import TASK as GROW_TREES
from autokb.tasks.issues.grow_trees.task import GrownTrees
from autokb.tasks.issues.merge_parents.task import TASK as MERGE_PARENTS
from autokb.tasks.issues.merge_parents.task import MergeParents, ParentText
from autokb.tasks.task import In, Task

STAGE, MERGE_STAGE = "trees", "merge"
VERSION = "4"  # raise it when the question for a seed's tree changes
ReportParts = Callable[[Mapping[str, SplitPart]], dict[str, SeedReports]]  # ``reports_by_lead`` of one build
Grew = TypeVar("Grew", GrownTree, GrownTrees)
OFF_TOPIC = "No document is near it, so no tree was grown from it."


@dataclass(frozen=True, slots=True)
class Grown:
    """All nodes, parents before their children, and for raw issues without a tree the reason.

    ``seed_of`` holds the raw issue that each parent grew from, ``parent_of`` the parent of each raw issue's tree, and
    ``joined`` the parent of the tree that took in another parent's.
    """

    issues: tuple[Issue, ...]
    reasons: Mapping[str, str]
    seed_of: Mapping[str, str]
    parent_of: Mapping[str, str]
    joined: Mapping[str, str] = field(default_factory=dict)

    def trees(self) -> Iterator[tuple[str, list[Issue]]]:
        """Yield the seed and the nodes of each tree, the parent first."""
        forest = Forest(self.issues)
        for parent in forest.roots:
            yield self.seed_of[parent.id], [parent, *forest.children(parent.id)]

    def with_joined(self, found: JoinedTrees) -> Grown:
        """Return a copy with the trees that are left when some took in others."""
        return replace(
            self,
            issues=tuple(issue for tree in found.trees for issue in tree.issues),
            seed_of={parent: seed for parent, seed in self.seed_of.items() if parent not in found.joined},
            parent_of={raw_id: found.joined.get(parent, parent) for raw_id, parent in self.parent_of.items()},
            joined=followed(self.joined, found.joined),
        )

    def without(self, parents: Collection[str], reason: str) -> Grown:
        """Return a copy without the trees of these parents; ``reason`` is recorded for their raw issues.

        ``joined`` stays as it is.
        """
        gone = {raw_id for parent in self.issues if parent.id in parents for raw_id in parent.raw_issues}
        return replace(
            self,
            issues=tuple(i for i in self.issues if i.id not in parents and i.parent_id not in parents),
            reasons={**self.reasons, **dict.fromkeys(sorted(gone), reason)},
            seed_of={parent: seed for parent, seed in self.seed_of.items() if parent not in parents},
            parent_of={raw_id: parent for raw_id, parent in self.parent_of.items() if parent not in parents},
        )


def shares_requests(workspace: Workspace, stages: Stages) -> bool:
    """Return whether a model grows trees from several clusters in one request: it then also splits and merges them.

    In paper mode each seed is a request of its own, worded as before.
    """
    return workspace.mode != "paper" and stages.asks_model(GROW_TREES, STAGE)


def grow_trees(
    stages: Stages,
    workspace: Workspace,
    raw: Sequence[RawIssue],
    vectors: Vectors,
    attributes: Mapping[str, Attributes],
    organised: Organised,
    windows: Vectors,
    same_problem: SameProblem,
    manuals: Manuals,
) -> Grown:
    """Grow a tree from every problem that a document is near to; rows of ``vectors`` are those of ``raw``.

    A model that is shown several clusters at once says itself which of them hold several problems; otherwise a cluster
    is one problem unless ``same_problem`` finds several in it.

    A tree is kept under what its question follows from, since the question costs more than looking the tree up.
    """
    reasons = _far_from_documents(raw, vectors, windows)
    report = partial(reports_by_lead, workspace.spec, raw, attributes, organised, reasons)
    if shares_requests(workspace, stages):
        grown = _grow_from_clusters(stages, workspace, organised, manuals, report)
    else:
        grown = _grow_from_seeds(stages, workspace, organised, same_problem, report)
    grown = [(part, tree) for part, tree in grown if _is_left(part, reasons)]
    nodes = {part.lead: issues(part.lead, tree, part.seed) for part, tree in grown}
    seed_of = {tree[0].id: lead for lead, tree in nodes.items()}
    parent_of = {member: nodes[part.lead][0].id for part, _ in grown for member in part.members}
    return Grown(tuple(node for tree in nodes.values() for node in tree), reasons, seed_of, parent_of)


def _grow_from_seeds(
    stages: Stages, workspace: Workspace, organised: Organised, same_problem: SameProblem, report: ReportParts
) -> list[tuple[SplitPart, GrownTree]]:
    """Grow one tree from each part of a cluster, offline or as the paper asks a model."""
    with stages.log.timed(STAGE):
        parts = {
            part.lead: part
            for seed, members in organised.members().items()
            for part in same_problem.parts(seed, members)
        }
        reports = report(parts)
    questions = {seed: partial(one.question, workspace.spec) for seed, one in reports.items()}
    prints = {seed: (one.fingerprint,) for seed, one in reports.items()}
    trees = _remember_trees(stages, workspace, GROW_TREE, questions, prints, GrownTree)
    return [(parts[lead], tree) for lead, tree in trees.items()]


def _grow_from_clusters(
    stages: Stages, workspace: Workspace, organised: Organised, manuals: Manuals, report: ReportParts
) -> list[tuple[SplitPart, GrownTree]]:
    """Grow the trees of whole clusters, which a model is told what the manuals distinguish."""
    with stages.log.timed(STAGE):
        parts = {seed: SplitPart(seed, members, seed) for seed, members in organised.members().items()}
        reports = report(parts)
        labels = {seed: manuals.distinguish(one.problem) for seed, one in reports.items()}
    questions = {seed: partial(one.cluster_question, workspace.spec, labels[seed]) for seed, one in reports.items()}
    prints = {seed: (one.fingerprint, *labels[seed]) for seed, one in reports.items()}
    trees = _remember_trees(stages, workspace, GROW_TREES, questions, prints, GrownTrees)
    return [part for seed, grown in trees.items() for part in reports[seed].parts(grown)]


def _remember_trees(
    stages: Stages,
    workspace: Workspace,
    task: Task[In, Grew],
    questions: Mapping[str, Callable[[], In]],
    prints: Mapping[str, Sequence[str]],
    kind: type[Grew],
) -> dict[str, Grew]:
    """Return what grew from each seed, kept under what its question follows from; ``prints`` tell that."""
    seeds = list(questions)
    asked = digest(VERSION, task.offline_version, stages.answered_by(task, STAGE), workspace.domain_text)

    def grow(missing: Sequence[int]) -> dict[int, tuple[In, str]]:
        names = [seeds[n] for n in missing]
        items = [questions[seed]() for seed in names]
        replies = zip(missing, items, stages.run(STAGE, task, items, names), strict=True)
        return {n: (item, _kept_text(tree)) for n, item, tree in replies if tree is not None}

    keys = [digest("tree of a seed", asked, seed, *prints[seed]) for seed in seeds]
    trees = stages.remember_derived(STAGE, task, keys, seeds, grow, lambda body: kind.model_validate(body["tree"]))
    return {seed: tree for seed, tree in zip(seeds, trees, strict=True) if tree is not None}


def _kept_text(tree: GrownTree | GrownTrees) -> str:
    left_out = [part.model_dump() for part in tree.left_out]
    return json.dumps({"tree": tree.model_dump(mode="json"), "left_out": left_out}, ensure_ascii=False)


def drop_off_topic(grown: Grown, raw: Sequence[RawIssue], off_topic: Collection[str]) -> Grown:
    """Return the trees without those that only off-topic raw issues reported; a known outcome is on topic."""
    gone = {r.id for r in raw if r.id in off_topic and not r.resolved_by}
    off = {
        parent.id
        for parent in grown.issues
        if parent.parent_id is None and parent.raw_issues and gone.issuperset(parent.raw_issues)
    }
    return grown.without(off, OFF_TOPIC)


def reports_by_lead(
    spec: DomainSpec,
    raw: Sequence[RawIssue],
    attributes: Mapping[str, Attributes],
    organised: Organised,
    reasons: Mapping[str, str],
    parts: Mapping[str, SplitPart],
) -> dict[str, SeedReports]:
    """Return the raw issues that a tree grows from, each with its reports; those with a reason against them grow none.

    ``parts`` are those of the clusters by their leads.
    """
    reported = {
        r.id: Reported(r, attributes[r.id], organised.problems[n], spec.name, spec.language)
        for n, r in enumerate(raw)
        if r.id in attributes and r.id in organised.theme_of
    }
    in_theme = grouped((theme, raw_id) for raw_id, theme in organised.theme_of.items() if raw_id not in reasons)
    around = {theme: ThemeReports.of(ids, reported) for theme, ids in in_theme.items()}
    members = organised.members()
    found: dict[str, SeedReports] = {}
    for part in parts.values():
        if part.lead in reported and _is_left(part, reasons):
            theme = around[organised.theme_of[part.lead]]
            beside = members[part.seed]
            found[part.lead] = seed_reports(part.lead, part.members, theme, reported, organised.near, beside)
    return found


def _is_left(part: SplitPart, reasons: Collection[str]) -> bool:
    """Return whether a part has a raw issue without a reason against it."""
    return not all(member in reasons for member in part.members)


def _far_from_documents(raw: Sequence[RawIssue], vectors: Vectors, windows: Vectors) -> dict[str, str]:
    if not len(raw) or not len(windows):
        return {}
    far = far_from_documents((vectors @ windows.T).max(axis=1))
    return {r.id: OFF_TOPIC for n, r in enumerate(raw) if far[n] and not r.resolved_by}


# -- parents that are one problem ---------------------------------------------------------------------------------


def merge_parents(stages: Stages, workspace: Workspace, grown: Grown) -> Grown:
    """Return the trees with those merged whose parents a model says are one problem.

    Only parents near another one are asked about. Where a model grows no trees, or each in a request of its own as the
    paper has it, none are merged: there they are joined when their solutions are known.
    """
    if not shares_requests(workspace, stages):
        return grown
    spec = workspace.spec
    parents = [issue for issue in grown.issues if issue.parent_id is None]
    with stages.log.timed(MERGE_STAGE):
        vectors = stages.embed([masked_text(parent.text, spec) for parent in parents])
        groups = near_parents(parents, vectors) if parents else []
    domain = f"{spec.name}: {spec.description}"
    same = _same_parents(stages, domain, groups)
    return grown.with_joined(merge_trees([PlacedTree(tuple(tree), ()) for _, tree in grown.trees()], same))


def _same_parents(stages: Stages, domain: str, groups: Sequence[Sequence[Issue]]) -> list[list[str]]:
    """Ask which parents of each group are one problem, and return their ids."""
    questions = [MergeParents(domain, tuple(map(_compared, group))) for group in groups]
    replies = stages.run(MERGE_STAGE, MERGE_PARENTS, questions, [group[0].id for group in groups])
    return [
        [group[position].id for position in positions]
        for group, reply in zip(groups, replies, strict=True)
        if reply is not None
        for positions in reply.same
    ]


def _compared(parent: Issue) -> ParentText:
    return ParentText(parent.text, {name: values for name, values in parent.attributes.items() if values != ANY})
