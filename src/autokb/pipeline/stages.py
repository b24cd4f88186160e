"""Stages of a run: each item is worked out once, kept as it is done, and counted, whoever answers it."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Generic, TypeVar

from autokb.core.errors import BadInputError, StageFailedError
from autokb.core.executor import LOCAL, Executor
from autokb.core.nouns import Failure
from autokb.core.progress import Progress, silent
from autokb.core.settings import Settings
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.core.vectors import Vectors
from autokb.llm.batch.awaited import BatchReport
from autokb.pipeline.embedding import (
    EMBEDDINGS,
    Encoder,
    FreeEncoder,
    embed_once,
    open_free_embedder,
    read_embedder_name,
)
from autokb.pipeline.executors import open_executor
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions, ModelSession, open_session
from autokb.pipeline.runner import Answered, Job, OfflineRunner, Runner, in_batches, worked_out
from autokb.pipeline.stage_log import LEAST_FAILED, StageCount, StageLog, is_too_many
from autokb.stores.database import UNREADABLE
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.task import In, Out, Task

T = TypeVar("T")
W = TypeVar("W")


@dataclass(frozen=True, slots=True)
class Work(Generic[W]):
    """What a stage works out for the item at a position: the ``function`` of the ``thing`` there, as text.

    It ``travels`` to other processes where the function is one of a module, or a partial of one.
    """

    function: Callable[[W], str]
    thing: Callable[[int], W]
    travels: bool = True


@dataclass(eq=False)
class Stages:
    """The stages of one run: what is kept is looked up, the rest goes to a runner and is kept as it comes.

    ``model_of`` names the model of a task in a stage, ``runners`` holds one for each name. The encoder gives texts
    their vectors, the ``executor`` does what is worked out here. Where more than the ``tolerance`` of a stage's items
    fail, a share of them, the run ends (StageFailedError).
    """

    file: WorkspaceFile
    encoder: Encoder
    runners: Mapping[str, Runner] | None = None
    model_of: Callable[[str, str], str] = lambda _task, _stage: OFFLINE
    session: ModelSession | None = None
    progress: Progress = silent
    executor: Executor = LOCAL
    tolerance: float = 1.0
    rounds_left: int | None = field(default=None, init=False)  # after one whose replies are awaited
    # Rounds that a stage needs beyond this one, as each asks about the last one's replies.
    chained_left: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.log = StageLog(self.progress)
        self._runners: Mapping[str, Runner] = {OFFLINE: OfflineRunner(self.executor), **(self.runners or {})}

    # -- tasks -------------------------------------------------------------------------------------

    def model(self, task: Task[Any, Any], stage: str) -> str:
        """Return the model that answers a task in a stage: ``offline`` or ``PROVIDER:NAME``."""
        return self.model_of(task.name, stage)

    def answered_by(self, task: Task[Any, Any], stage: str) -> str:
        """Return what keys hold of who answers a task: its model, and the effort that a person set for it."""
        return self._runners[self.model(task, stage)].name

    def asks_model(self, task: Task[Any, Any], stage: str) -> bool:
        """Return whether a model answers a task in a stage."""
        return self.model(task, stage) != OFFLINE

    def run(self, stage: str, task: Task[In, Out], items: Sequence[In], names: Sequence[str]) -> list[Out | None]:
        """Answer a task for every item.

        A failed item is None and reported in ``log.failures`` under its name, one whose reply is awaited is None too.
        After keeping everything that arrived it raises StoppedOnPurposeError when the budget is reached, and
        StageFailedError when too many items failed.
        """
        runner = self._runners[self.model(task, stage)]
        with self.log.timed(stage) as count:
            keys = runner.keys(task, items)
            tolerated = max(self.tolerance * len(keys), LEAST_FAILED - 1) if self.tolerance < 1 else math.inf
            replies = self._remembered(
                stage,
                count,
                keys,
                names,
                lambda missing: runner.answer(Job(stage, task, items, keys, missing, tolerated)),
                lambda _position, text: task.output.model_validate_json(text),
            )
        for name, reply in zip(names, replies, strict=True):
            for part in getattr(reply, "left_out", ()):
                self.log.left_out.append(_left_out(stage, name, part.part, part.reason))
        return replies

    def remember(
        self,
        stage: str,
        keys: Sequence[str],
        names: Sequence[str],
        work: Work[Any],
        read: Callable[[int, str], T],
    ) -> list[T | None]:
        """Return for each key what ``read`` makes of the text under it, which is kept or what the work gives.

        An item whose work raises is None and reported in ``log.failures`` under its name.
        """
        executor = self.executor if work.travels else LOCAL

        def worked(missing: Sequence[int]) -> Iterator[Sequence[Answered]]:
            yield from in_batches(worked_out(missing, executor.map(work.function, map(work.thing, missing))))

        with self.log.timed(stage) as count:
            return self._remembered(stage, count, keys, names, worked, read)

    def remember_derived(
        self,
        stage: str,
        task: Task[In, Out],
        keys: Sequence[str],
        names: Sequence[str],
        work: Callable[[Sequence[int]], Mapping[int, tuple[In, str]]],
        read: Callable[[Mapping[str, Any]], T],
    ) -> list[T | None]:
        """Return for each key what ``read`` makes of the object under it, which is kept or made by ``work``.

        For results that follow from a task's replies and are cheaper to look up than the task's items are to make.
        ``work`` is given the positions that are missing. It runs the task, which counts itself, and gives each item
        with the JSON object made of its reply, whose ``left_out`` is reported again whenever the result is used.
        """

        def load(position: int, text: str) -> tuple[T, list[Failure]]:
            body = json.loads(text)
            left_out = [_left_out(stage, names[position], p["part"], p["reason"]) for p in body["left_out"]]
            return read(body), left_out

        with self.log.timed(stage) as count:
            known = self.kept(keys, load)
            count.reused += len(known)
            count.items += len(known)
            self.log.left_out += chain.from_iterable(left_out for _, left_out in known.values())
            if self.session is not None:
                self.session.count_reused(stage, task.name, [keys[n] for n in known])
        missing = sorted(set(range(len(keys))) - known.keys())
        found = work(missing) if missing else {}
        with self.log.timed(stage):
            texts = {keys[n]: text for n, (_, text) in found.items()}
            items = {keys[n]: item for n, (item, _) in found.items()}
            self.file.finish(stage, texts, self._requests_of(stage, task, items))
            known |= {n: load(n, texts[keys[n]]) for n in missing if keys[n] in texts}
        return [known[n][0] if n in known else None for n in range(len(keys))]

    def _requests_of(self, stage: str, task: Task[In, Out], items: Mapping[str, In]) -> dict[str, str]:
        """Return the requests that items were asked in, by their keys; items that nobody asked a model have none."""
        item_keys = self._runners[self.model(task, stage)].keys(task, list(items.values()))
        origins = self.file.origins(sorted(set(item_keys)))
        return {key: origins[of_item] for key, of_item in zip(items, item_keys, strict=True) if of_item in origins}

    def kept(self, keys: Sequence[str], read: Callable[[int, str], T]) -> dict[int, T]:
        """Return by position what ``read`` makes of the kept texts; a damaged one is missing, to be made again."""
        texts = self.file.finished(sorted(set(keys)))
        found = {}
        for position, key in enumerate(keys):
            if key in texts:
                with suppress(BadInputError, *UNREADABLE):
                    found[position] = read(position, texts[key])
        return found

    # Complex: the counts hold also when it is interrupted, so they are made beside the work.
    def _remembered(
        self,
        stage: str,
        count: StageCount,
        keys: Sequence[str],
        names: Sequence[str],
        answer: Callable[[Sequence[int]], Iterator[Sequence[Answered]]],
        read: Callable[[int, str], T],
    ) -> list[T | None]:
        """Look the keys up, have the first of each missing one answered, and keep what comes as it comes."""
        known = self.kept(keys, read)
        first = {key: position for position, key in reversed(list(enumerate(keys)))}
        missing = sorted(position for position in first.values() if position not in known)
        done = len(keys) - len(missing)
        errors: dict[int, Answered] = {}
        fresh: dict[str, str] = {}
        try:
            for batch in answer(missing):
                fresh |= self._keep(stage, keys, batch)
                errors |= {a.position: a for a in batch if a.answer is None}
                done += len(batch)
                self.log.progress(stage, done, len(keys))
        finally:
            count.computed += len(fresh)
            wrong = {keys[n]: error for n, error in errors.items()}  # whatever shares the key has failed too
            failed = [(n, wrong[key]) for n, key in enumerate(keys) if key in wrong]
            self.log.failures += [Failure(stage, names[n], one.error) for n, one in failed]
            count.failed += len(failed)
            count.unheard += sum(one.unheard for _, one in failed)
            count.items += len(keys)
            count.reused += len(keys) - len(missing) - (len(failed) - len(errors))
        self._check_failures(stage, count)
        self.log.progress(stage, len(keys), len(keys))
        known |= {n: read(n, fresh[key]) for n, key in enumerate(keys) if key in fresh}
        return [known.get(n) for n in range(len(keys))]

    def _check_failures(self, stage: str, count: StageCount) -> None:
        if is_too_many(count.failed, count.items, self.tolerance):
            unheard_of = not is_too_many(count.failed - count.unheard, count.items, self.tolerance)
            raise self.failed(stage, can_go_on=unheard_of)

    def failed(self, stage: str, *, can_go_on: bool) -> StageFailedError:
        """Return the error that ends a build for the failures of a stage; ``can_go_on`` where no replies came."""
        count = self.log.counts[stage]
        first = next(one for one in self.log.failures if one.stage == stage)
        then = (
            "Check that the model's server runs and that base_url in settings.yaml is its address, then run the same "
            "command again; it goes on where this one stopped."
            if can_go_on
            else "Remove the cause, for example by another model for the task, and run the command again; "
            f"failure_tolerance in settings.yaml is the share of a stage that may fail (now {self.tolerance:g})."
        )
        return StageFailedError(
            f"Nothing was published; readers see what they saw. The stage {stage!r} failed for {count.failed} of its "
            f"{count.items} items, the first because: {first.reason} What is finished is kept. {then}",
            can_go_on=can_go_on,
        )

    def _keep(self, stage: str, keys: Sequence[str], batch: Sequence[Answered]) -> dict[str, str]:
        """Keep the answers of a batch with the requests that they are from; return their texts by key."""
        answers = {keys[a.position]: a for a in batch if a.answer is not None}
        texts = {key: str(a.answer) for key, a in answers.items()}
        self.file.finish(stage, texts, {key: " ".join(a.requests) for key, a in answers.items() if a.requests})
        return texts

    @contextmanager
    def within(self, deadline: float | None) -> Iterator[None]:
        """Give up requests of a block that have no reply at a moment of ``time.monotonic``."""
        if self.session is None:
            yield
            return
        before, self.session.deadline = self.session.deadline, deadline
        try:
            yield
        finally:
            self.session.deadline = before

    # -- vectors -----------------------------------------------------------------------------------

    def embed(self, texts: Sequence[str], stage: str = EMBEDDINGS) -> Vectors:
        """Return the vectors of the texts, (len(texts), dimensions); only texts never seen before are embedded."""
        with self.log.timed(stage) as count:
            vectors, computed = embed_once(self.file, self.encoder, stage, texts, partial(self.log.progress, stage))
            count.computed += computed
            count.reused += len(texts) - computed
            return vectors

    # -- what was done -----------------------------------------------------------------------------

    @property
    def awaited(self) -> int:
        """The requests of this run whose replies come later."""
        return 0 if self.session is None else self.session.awaited.total()

    @property
    def awaited_stages(self) -> set[str]:
        """The stages that wait for them."""
        return set() if self.session is None else {stage for stage, _ in self.session.awaited}

    @property
    def awaited_tasks(self) -> dict[str, int]:
        """How many of them each task has, by its name without the group."""
        found: Counter[str] = Counter()
        for (_, task), count in (self.session.awaited if self.session is not None else Counter()).items():
            found[task.rpartition("/")[2]] += count
        return dict(sorted(found.items()))

    def plan_rounds(self, left: int | None, outlook: str) -> None:
        """Note how many rounds follow at most, and the sentence that says it beside the requests."""
        self.rounds_left = left
        if self.session is not None:
            self.session.outlook = outlook

    def spending(self) -> Spending:
        """Return what this run asked and spent; offline nothing."""
        return NOTHING_SPENT if self.session is None else self.session.spending()

    def done(self) -> dict[str, Any]:
        """Return what was done so far, by the names that the reports of builds have for it."""
        return {
            "failures": tuple(self.log.failures),
            "left_out": tuple(self.log.left_out),
            **self.spending().by_name(),
            "awaited": self.awaited,
            "awaited_tasks": self.awaited_tasks,
            "batch": self.batch_report(),
            "stages": self.log.reports(),
        }

    def batch_report(self) -> BatchReport | None:
        """Return what was found of a batch's replies, by custom_id; None where none was asked for."""
        return None if self.session is None else self.session.batch_report()


def _left_out(stage: str, name: str, part: str, reason: str) -> Failure:
    return Failure(stage, name, f"{part}: {reason}" if part else reason)


@contextmanager
def open_stages(
    workspace: Workspace,
    file: WorkspaceFile,
    progress: Progress = silent,
    options: ModelOptions | None = None,
    *,
    tolerance: float = 1.0,
) -> Iterator[Stages]:
    """Give stages that ask the settings' models; everything that was paid for is kept however the block ends."""
    from autokb.pipeline.model_runner import ModelRunner

    settings = workspace.settings
    with (
        open_executor(settings.executor) as executor,
        open_session(workspace, file, options or ModelOptions()) as session,
    ):
        runners = {} if session is None else {name: ModelRunner(session, name) for name in session.models}
        yield Stages(
            file,
            encoder_of(settings, file, session, executor),
            runners,
            lambda task, stage: model_of(settings, workspace.mode, task, stage),
            session,
            progress,
            executor=executor,
            tolerance=tolerance,
        )


def open_question_encoder(workspace: Workspace, file: WorkspaceFile, held: ExitStack) -> Encoder:
    """Return what gives questions their vectors; a paid embedder's connection is held open by the stack."""
    session = held.enter_context(open_session(without_models(workspace), file, ModelOptions()))
    return encoder_of(workspace.settings, file, session)


def without_models(workspace: Workspace) -> Workspace:
    """Return a workspace whose settings name an embedder alone, so that no model's key is needed."""
    return replace(workspace, settings=replace(workspace.settings, model=OFFLINE, tasks={}))


def encoder_of(
    settings: Settings, file: WorkspaceFile, session: ModelSession | None, executor: Executor = LOCAL
) -> Encoder:
    """Return what gives texts their vectors by the settings; a paid embedder needs the session."""
    name = read_embedder_name(settings.embedder)
    if not name.is_paid:
        return FreeEncoder(
            open_free_embedder(name), file, executor=executor, opened_by=partial(open_free_embedder, name)
        )
    from autokb.pipeline.paid_embedding import PaidEncoder

    assert session is not None and session.embedder is not None, "a paid embedder is asked through the client"
    return PaidEncoder(session.embedder, session, file)
