"""Stages of a build: each item is worked out once, kept at once, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from autokb.knowledge.nouns import Failure
from autokb.llm.embedders import Embedder, Vectors
from autokb.stores.knowledge_file import KnowledgeFile
from autokb.tasks.room import Reply, Room

I = TypeVar("I")  # noqa: E741
O = TypeVar("O", bound=Reply)  # noqa: E741
Progress = Callable[[str, int, int], None]
KEPT_AT_ONCE = 64  # items between two writes to the disk: what a kill -9 can cost at most
KEPT_SECONDS = 1.0


def silent(_stage: str, _done: int, _total: int) -> None:
    """Report no progress."""


@dataclass
class StageCount:
    """What one stage did in this run."""

    computed: int = 0
    reused: int = 0
    failed: int = 0
    seconds: float = 0.0


@dataclass
class Stages:
    """The stages of one build: finished work is looked up, the rest is worked out and stored as it is done."""

    file: KnowledgeFile
    progress: Progress = silent
    counts: dict[str, StageCount] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)

    @contextmanager
    def timed(self, stage: str) -> Iterator[StageCount]:
        """Count the seconds of a block to a stage."""
        count = self.counts.setdefault(stage, StageCount())
        start = time.perf_counter()
        try:
            yield count
        finally:
            count.seconds += time.perf_counter() - start

    def run(self, stage: str, room: Room[I, O], items: Sequence[I], names: Sequence[str]) -> list[O | None]:
        """Answer a room for every item; a failed item is None and stands in ``failures`` under its name."""
        keys = [room.key(item) for item in items]
        texts = self.remember(stage, keys, names, lambda n: room.answer_offline(items[n]).model_dump_json())
        return [None if text is None else room.output.model_validate_json(text) for text in texts]

    def remember(
        self, stage: str, keys: Sequence[str], names: Sequence[str], work: Callable[[int], str]
    ) -> list[str | None]:
        """Return for each key its stored reply, or what ``work`` gives for its position, stored as it is done."""
        with self.timed(stage) as count:
            known = self.file.finished(sorted(set(keys)))
            fresh: dict[str, str] = {}
            kept_at = time.perf_counter()
            for position, key in enumerate(keys):
                if key in known:
                    count.reused += 1
                    continue
                if (text := self._work(stage, names[position], work, position)) is None:
                    count.failed += 1
                    continue
                count.computed += 1
                known[key] = fresh[key] = text
                if len(fresh) >= KEPT_AT_ONCE or time.perf_counter() - kept_at > KEPT_SECONDS:
                    self.file.finish(stage, fresh)
                    fresh, kept_at = {}, time.perf_counter()
                    self.progress(stage, position + 1, len(keys))
            if fresh:
                self.file.finish(stage, fresh)
            self.progress(stage, len(keys), len(keys))
            return [known.get(key) for key in keys]

    def _work(self, stage: str, name: str, work: Callable[[int], str], position: int) -> str | None:
        try:
            return work(position)
        except Exception as error:  # one bad item must not end a build; it is listed with its reason
            self.failures.append(Failure(stage, name, f"{type(error).__name__}: {error}"))
            return None

    def embed(self, stage: str, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Return the vectors of the texts, (len(texts), dimensions); only texts never seen before are embedded."""
        with self.timed(stage) as count:
            vectors, missing = self.file.vectors(embedder.name, texts, embedder.dimensions)
            rows: dict[str, list[int]] = {}
            for row in missing:
                rows.setdefault(texts[row], []).append(row)
            count.reused += len(texts) - len(missing)
            count.computed += len(rows)
            count.reused += len(missing) - len(rows)
            fresh = list(rows)
            for start in range(0, len(fresh), KEPT_AT_ONCE):
                part = fresh[start : start + KEPT_AT_ONCE]
                found = embedder.embed(part)
                self.file.keep_vectors(embedder.name, part, found)
                for text, vector in zip(part, found, strict=True):
                    vectors[rows[text]] = vector
                self.progress(stage, start + len(part), len(fresh))
            return np.ascontiguousarray(vectors)

    def as_json(self) -> dict[str, Any]:
        """Return the ``stages`` of the build's answer."""
        return {
            name: {"computed": c.computed, "reused": c.reused, "failed": c.failed, "seconds": round(c.seconds, 3)}
            for name, c in self.counts.items()
        }
