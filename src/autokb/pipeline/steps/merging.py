"""Parents that a model finds to be the same problem become one tree, before solutions are written for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from autokb.core.attributes import ANY
from autokb.core.nouns import Issue
from autokb.issues.attribute_masking import masked_text
from autokb.issues.joining import merge_trees, near_parents
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.trees import Grown, shares_requests
from autokb.stores.workspace import Workspace
from autokb.tasks.issues.merge_parents.task import TASK as MERGE_PARENTS
from autokb.tasks.issues.merge_parents.task import MergeParents, ParentText

STAGE = "merge"


def merge_parents(stages: Stages, workspace: Workspace, grown: Grown) -> Grown:
    """Return the trees with those merged whose parents a model says are one problem.

    Only parents near another one are asked about. Where a model grows no trees, or each in a request of its own as the
    paper has it, none are merged: there they are joined when their solutions are known.
    """
    if not shares_requests(workspace, stages):
        return grown
    spec = workspace.spec
    trees = [tuple(tree) for _, tree in grown.trees()]
    with stages.log.timed(STAGE):
        vectors = stages.embed([masked_text(tree[0].text, spec) for tree in trees])
        groups = near_parents([tree[0] for tree in trees], vectors) if trees else []
    found = merge_trees(trees, _same_parents(stages, f"{spec.name}: {spec.description}", groups))
    return replace(
        grown,
        issues=tuple(issue for tree in found.trees for issue in tree),
        seed_of={parent: seed for parent, seed in grown.seed_of.items() if parent not in found.merged},
        parent_of={raw: found.merged.get(parent, parent) for raw, parent in grown.parent_of.items()},
        joined={**grown.joined, **found.merged},
    )


def _same_parents(stages: Stages, domain: str, groups: Sequence[Sequence[Issue]]) -> list[list[str]]:
    """Ask which parents of each group are one problem, and return their ids."""
    questions = [MergeParents(domain, tuple(_compared(parent) for parent in group)) for group in groups]
    replies = stages.run(STAGE, MERGE_PARENTS, questions, [group[0].id for group in groups])
    return [
        [group[position].id for position in positions]
        for group, reply in zip(groups, replies, strict=True)
        if reply is not None
        for positions in reply.same
    ]


def _compared(parent: Issue) -> ParentText:
    return ParentText(parent.text, {name: values for name, values in parent.attributes.items() if values != ANY})
