"""Rounds of a build whose replies come later: which tasks one asks for, and how many are still to come."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.errors import RepliesAwaitedError
from autokb.pipeline.model_choice import CHAINED
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.contexts import context_mode
from autokb.pipeline.steps.documents import INTERACTIVE
from autokb.pipeline.steps.issues import sorts_at_once
from autokb.pipeline.steps.solutions import asks_attributes_apart
from autokb.pipeline.steps.trees import shares_requests
from autokb.stores.workspace import Workspace
from autokb.tasks.chunking.add_context.task import TASK as ADD_CONTEXT
from autokb.tasks.issues.assign_theme.task import TASK as ASSIGN_THEME
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.merge_parents.task import TASK as MERGE_PARENTS
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS
from autokb.tasks.task import Task

# Each asks about what the one before it brought.
TREES_ON = ("trees", "merge", "solutions", "solution_attributes", "rules")
AFTER: Mapping[str, tuple[str, ...]] = {
    "chunks": ("context", *TREES_ON),
    "context": TREES_ON,
    "attributes": TREES_ON,
    "themes": ("assign", *TREES_ON),
    "assign": TREES_ON,
    **{stage: TREES_ON[n:] for n, stage in enumerate(TREES_ON, 1)},
}
TASKS: Mapping[str, Task[Any, Any]] = {
    "context": ADD_CONTEXT,
    "assign": ASSIGN_THEME,
    "trees": GROW_TREE,
    "merge": MERGE_PARENTS,
    "solutions": WRITE_SOLUTIONS,
    "rules": CHECK_RULES,
}


@dataclass(frozen=True, slots=True)
class Rounds:
    """What comes after the round that is awaited: the stages of the longest way that ask a model, in their order.

    ``more`` are rounds that a stage needs to itself, one after the other; None where nobody knows how many.
    """

    stages: tuple[str, ...]
    more: int | None = 0

    @property
    def left(self) -> int | None:
        """How many rounds follow at most; None where nobody knows."""
        return None if self.more is None else len(self.stages) + self.more

    def sentence(self) -> str:
        """Say how many rounds follow."""
        if self.left == 0:
            return "It is the last round, unless a reply has to be asked for again."
        named = f" ({', '.join(self.stages)})" if self.stages else ""
        if self.left is None:
            return (
                f"At least {len(self.stages) + 1} more rounds follow{named}; documents are asked about part after "
                "part, each a round of its own."
            )
        rounds = "round follows" if self.left == 1 else "rounds follow"
        return f"At most {self.left} more {rounds}{named}; a reply that has to be asked for again adds one."


def stop_if_awaited(stages: Stages, workspace: Workspace, issues: int) -> None:
    """Stop the run where what follows needs replies that are awaited (RepliesAwaitedError).

    ``issues`` is how many raw issues there are.
    """
    if not stages.awaited:
        return
    rounds = rounds_after(stages, workspace, stages.awaited_stages, issues)
    tasks = ", ".join(f"{count} {task}" for task, count in sorted(stages.awaited_tasks.items()))
    stages.plan_rounds(rounds.left, rounds.sentence())
    are = "reply is" if stages.awaited == 1 else "replies are"
    raise RepliesAwaitedError(
        f"{stages.awaited} {are} awaited: {tasks}. {rounds.sentence()} Run the same command when they are there."
    )


def rounds_after(stages: Stages, workspace: Workspace, awaited: Collection[str], issues: int) -> Rounds:
    """Return what comes after a round in which these stages wait for replies."""
    if "chunks" in awaited and (workspace.settings.chunker in INTERACTIVE or _asks_in_chains(stages, workspace)):
        more = None
    else:
        more = stages.chained_left
    asking = _asking_stages(stages, workspace, issues)
    ways = [
        Rounds(tuple(stage for stage in AFTER[awaiting] if stage in asking), more if awaiting == "context" else 0)
        for awaiting in awaited
    ]
    longest = max(ways, key=lambda way: len(way.stages) + (way.more or 0))
    return replace(longest, more=None) if more is None else longest


def _asking_stages(stages: Stages, workspace: Workspace, issues: int) -> set[str]:
    """Return the stages that ask a model in this workspace."""
    asking = {stage for stage, task in TASKS.items() if stages.asks_model(task, stage)}
    if sorts_at_once(stages, workspace.mode, issues):
        asking.discard("assign")
    if not shares_requests(workspace, stages):
        asking.discard("merge")
    if not workspace.spec.rules:
        asking.discard("rules")
    if asks_attributes_apart(workspace, stages):
        asking.add("solution_attributes")
    return asking


def _asks_in_chains(stages: Stages, workspace: Workspace) -> bool:
    return stages.asks_model(ADD_CONTEXT, "context") and context_mode(workspace) in CHAINED
