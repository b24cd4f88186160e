"""The room that drafts attributes and rules from issues and documents, for a person to edit (section 4.1)."""

from __future__ import annotations

from autokb.tasks.issues.draft_spec import model, offline
from autokb.tasks.issues.draft_spec.shapes import DraftedAttribute, DraftedRule, DraftedSpec, DraftSpec, check
from autokb.tasks.room import Room

__all__ = ["ROOM", "DraftSpec", "DraftedAttribute", "DraftedRule", "DraftedSpec"]


ROOM: Room[DraftSpec, DraftedSpec] = Room(
    name="issues/draft_spec",
    version=1,
    input=DraftSpec,
    output=DraftedSpec,
    offline=offline.draft,
    check=check,
    asking=model.ASKING,
)
