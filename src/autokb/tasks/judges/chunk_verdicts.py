"""What the tasks that say yes or no of a chunk have in common: many chunks in a request, one word for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from autokb.tasks.task import In, Reply, Task

MOST_CHUNKS = 12  # in one request; with many more a judge begins to skip some


@dataclass(frozen=True, slots=True)
class JudgeChunk:
    """A chunk as a reader gets it: its Markdown with the headings that are repeated in it."""

    text: str


class ChunkVerdict(Reply):
    """Whether what the task asks holds of the chunk; ``not judged`` where no model was asked."""

    verdict: Literal["yes", "no", "not judged"]


class VerdictTask(Task[In, ChunkVerdict]):
    """A task that a model answers by yes or no; what a chunk is worth to a reader no rule can tell."""

    output = ChunkVerdict
    most = MOST_CHUNKS
    entry_tokens = (24, 12)

    def offline(self, item: In) -> ChunkVerdict:
        """Say that nobody judged it."""
        return ChunkVerdict(verdict="not judged")

    def entry(self, items: Sequence[In]) -> Mapping[str, Any]:
        """Return the field of an entry: the word."""
        return {"verdict": Literal["yes", "no"]}


class ChunkJudge(VerdictTask[JudgeChunk]):
    """A task that is asked about chunks and nothing else."""

    input = JudgeChunk

    def values(self, items: Sequence[JudgeChunk]) -> Mapping[str, Any]:
        """Return the chunks."""
        return {"chunks": [item.text for item in items]}
