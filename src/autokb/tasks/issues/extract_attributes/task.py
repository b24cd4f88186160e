"""The task that reads attribute values out of an issue, a question or a solution (prompt G.2)."""

from __future__ import annotations

from autokb.tasks.issues.extract_attributes import model, offline
from autokb.tasks.issues.extract_attributes.shapes import ExtractAttributes, ExtractedAttributes, check
from autokb.tasks.task import Task

__all__ = ["TASK", "ExtractAttributes", "ExtractedAttributes"]


def _offline(item: ExtractAttributes) -> ExtractedAttributes:
    return ExtractedAttributes(attributes=offline.answer(item.text, item.kind, item.configuration))


TASK: Task[ExtractAttributes, ExtractedAttributes] = Task(
    name="issues/extract_attributes",
    version=1,
    input=ExtractAttributes,
    output=ExtractedAttributes,
    offline=_offline,
    check=check,
    asking=model.ASKING,
)
