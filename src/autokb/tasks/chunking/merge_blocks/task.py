"""The task that says which paragraphs of a page form units; what is in none of them is noise (prompt B.1)."""

from __future__ import annotations

from autokb.tasks.chunking.merge_blocks import model, offline
from autokb.tasks.chunking.merge_blocks.shapes import MergeBlocks, MergedBlocks, NoisePart, Paragraph
from autokb.tasks.task import Task

__all__ = ["TASK", "MergeBlocks", "MergedBlocks", "NoisePart", "Paragraph"]

TASK: Task[MergeBlocks, MergedBlocks] = Task(
    name="chunking/merge_blocks",
    version=1,
    input=MergeBlocks,
    output=MergedBlocks,
    offline=offline.answer,
    asking=model.ASKING,
)
