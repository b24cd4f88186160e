"""What the tasks that say yes or no of a chunk have in common: many chunks in a request, one word for each."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.prompts import Verbatim, examples
from autokb.tasks.reply import Reply

TOGETHER = 12  # chunks in one request; with many more a judge begins to pass over some
I = TypeVar("I")  # noqa: E741


@dataclass(frozen=True, slots=True)
class JudgeChunk:
    """A chunk as a reader gets it: its Markdown with the headings that are repeated in it."""

    text: str


class ChunkVerdict(Reply):
    """Whether what the task asks holds of the chunk; ``not judged`` where no model was asked."""

    verdict: Literal["yes", "no", "not judged"]


def not_judged(_item: object) -> ChunkVerdict:
    """Say that nobody judged it: what a chunk is worth to a reader no rule can tell."""
    return ChunkVerdict(verdict="not judged")


def verdict_asking(
    package: str,
    values: Callable[[Sequence[I]], Mapping[str, Any]],
    together: Callable[[I], Hashable] = lambda _item: (),
) -> Asking[I, ChunkVerdict]:
    """Return how a model is asked for one word on each chunk; ``values`` are the template's own variables."""

    def all_values(items: Sequence[I]) -> Mapping[str, Any]:
        return {**values(items), "examples": _shown(package)}

    return Asking(package, all_values, _entry, _read, _tokens, together, TOGETHER)


def chunks_alone(items: Sequence[JudgeChunk]) -> Mapping[str, Any]:
    """Return the variables of a task that is asked about chunks and nothing else."""
    return {"chunks": [item.text for item in items]}


def spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the reply of an example as it is to be written."""
    return Verbatim(json.dumps(reply, ensure_ascii=False))


def _shown(package: str) -> list[Mapping[str, Any]]:
    return [{**example, "reply": spelled(example["reply"])} for example in examples(package)]


def _entry(items: Sequence[Any]) -> type[Wire]:
    """Return the type of one entry: the chunk's number and the word."""
    return wire("Entry", number=Literal[tuple(range(1, len(items) + 1))], verdict=Literal["yes", "no"])


def _read(
    _items: Sequence[Any], _position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[ChunkVerdict, tuple[str, ...]]:
    return ChunkVerdict(verdict=entry.verdict), ()


def _tokens(_item: Any) -> tuple[int, int]:
    """Return the most and the usual number of tokens of one entry."""
    return 24, 12
