"""Stages of a build: each item is worked out once, kept at once, and counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from autokb.app.embedding import noted_dimensions, read_embedder_name
from autokb.app.model_answers import ask_model
from autokb.app.models import NOTHING_SPENT, OFFLINE, Models, is_paid
from autokb.app.paid_embedding import embed_and_keep, first_batch
from autokb.core.errors import StoppedOnPurposeError
from autokb.core.ids import digest
from autokb.core.nouns import Failure
from autokb.llm.embedders import Embedder, Vectors, paid
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.task import Reply, Task

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

    file: WorkspaceFile
    progress: Progress = silent
    counts: dict[str, StageCount] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    left_out: list[Failure] = field(default_factory=list)
    models: Models | None = None
    awaited: int = 0

    @contextmanager
    def timed(self, stage: str) -> Iterator[StageCount]:
        """Count the seconds of a block to a stage."""
        count = self.counts.setdefault(stage, StageCount())
        start = time.perf_counter()
        try:
            yield count
        finally:
            count.seconds += time.perf_counter() - start

    def run(self, stage: str, task: Task[I, O], items: Sequence[I], names: Sequence[str]) -> list[O | None]:
        """Answer a task for every item; a failed item is None and stands in ``failures`` under its name.

        A model is asked where the settings name one; an item whose reply is awaited is None too (``awaited``).
        """
        model = OFFLINE if self.models is None else self.models.of(task.name, stage)
        if self.models is not None and model != OFFLINE:
            return ask_model(self, self.models, stage, task, items, names, model)
        keys = [task.key(item) for item in items]
        texts = self.remember(stage, keys, names, lambda n: task.answer_offline(items[n]).model_dump_json())
        return [None if text is None else task.output.model_validate_json(text) for text in texts]

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
            if self.models is not None and self.models.estimate is not None and paid(embedder):
                return self._counted(stage, embedder, texts)
            count.computed += first_batch(self.file, self.models, stage, embedder, texts)
            vectors, missing = self.file.vectors(embedder.name, texts, embedder.dimensions)
            rows: dict[str, list[int]] = {}
            for row in missing:
                rows.setdefault(texts[row], []).append(row)
            count.reused += len(texts) - len(missing)
            count.computed += len(rows)
            count.reused += len(missing) - len(rows)
            done = 0
            for batch in embed_and_keep(self.file, self.models, stage, embedder, list(rows)):
                for text, vector in zip(batch.texts, batch.vectors, strict=True):
                    vectors[rows[text]] = vector
                done += len(batch.texts)
                self.progress(stage, done, len(rows))
            return np.ascontiguousarray(vectors)

    def _counted(self, stage: str, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        """Count what a paid embedder would read; what it has not read yet points anywhere, the same way each time."""
        dimensions = noted_dimensions(self.file, embedder) or 8
        vectors, missing = self.file.vectors(embedder.name, texts, dimensions)
        self.count_texts(stage, [texts[row] for row in missing])
        for row in missing:
            vectors[row] = np.random.default_rng(int(digest(texts[row])[:8], 16)).standard_normal(dimensions)
            vectors[row] /= np.linalg.norm(vectors[row])
        return vectors

    def stop_if_awaited(self) -> None:
        """Stop the build where what follows needs replies that are awaited (StoppedOnPurposeError)."""
        if self.awaited:
            raise StoppedOnPurposeError(
                f"{self.awaited} replies are awaited; run the same command when they are there."
            )

    def count(self, stage: str, task: Task[I, O], items: Sequence[I]) -> None:
        """Count what a model would be asked about these items; the answers do not matter."""
        if self.models is not None and self.models.of(task.name, stage) != OFFLINE:
            self.run(stage, task, items, [""] * len(items))

    def count_texts(self, stage: str, texts: Sequence[str]) -> None:
        """Count what a paid embedder would read of these texts."""
        if self.models is not None and self.models.estimate is not None and is_paid(self.models.settings.embedder):
            name = read_embedder_name(self.models.settings.embedder).price_key
            self.models.estimate.count_texts(stage, list(dict.fromkeys(texts)), name)

    def spending(self) -> dict[str, Any]:
        """Return ``calls``, ``cached``, ``tokens`` and ``cost`` of this run; offline they are 0."""
        return dict(NOTHING_SPENT) if self.models is None else self.models.spending()

    def batch_report(self) -> dict[str, Any] | None:
        """Return what was found of a batch's replies, by custom_id; None where none was asked for."""
        taken = None if self.models is None else self.models.taken
        if taken is None:
            return None
        kinds = ("missing", "doubled", "foreign", "malformed", "failed", "unsure", "incomplete", "skipped")
        return {"taken": taken.taken, **{k: list(getattr(taken, k)) for k in kinds}, "said": taken.sentences()}

    def waited(self) -> float:
        """Return the seconds spent on waiting for models."""
        return 0.0 if self.models is None else self.models.seconds

    def as_json(self) -> dict[str, Any]:
        """Return the ``stages`` of the build's answer."""
        return {
            name: {"computed": c.computed, "reused": c.reused, "failed": c.failed, "seconds": round(c.seconds, 3)}
            for name, c in self.counts.items()
        }
