"""The task that drafts attributes and rules from issues and documents, for a person to edit (section 4.1)."""

from __future__ import annotations

from autokb.tasks.issues.draft_spec import model, offline
from autokb.tasks.issues.draft_spec.shapes import DraftedAttribute, DraftedRule, DraftedSpec, DraftSpec, check
from autokb.tasks.task import Task

__all__ = ["TASK", "DraftSpec", "DraftedAttribute", "DraftedRule", "DraftedSpec"]


TASK: Task[DraftSpec, DraftedSpec] = Task(
    name="issues/draft_spec",
    version=1,
    input=DraftSpec,
    output=DraftedSpec,
    offline=offline.draft,
    check=check,
    asking=model.ASKING,
)
