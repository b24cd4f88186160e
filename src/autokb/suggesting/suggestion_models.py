"""The way to models while somebody waits: through ledger and budget, and within the time that one waits."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any
from weakref import finalize

from autokb.core.errors import AutokbError
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.pipeline.model_choice import OFFLINE, model_of
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import Stages, open_stages
from autokb.stores.database import failures_as_sentences
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.task import In, Out, Task

STAGE = "suggest"
# That an agent waits for all requests of a suggestion; the slowest hundredth of the paper's took 6.2 s with ReAct.
MOST_SECONDS = 20.0
REASON_CHARACTERS = 300  # of why a model gave no answer


@dataclass(eq=False)
class SuggestionModels:
    """Gives what answers tasks: offline at once, by a model through the workspace's ledger.

    Sessions without a ``budget`` stay open for the next suggestion until ``close``; several threads may use it.
    """

    workspace: Workspace
    file: WorkspaceFile
    budget: float | None = None
    seconds: float = MOST_SECONDS
    stage: str = STAGE
    of: object = None  # what ``file`` was opened for, which must not be closed before the sessions are
    _idle: deque[_Session] = field(default_factory=deque)

    def __post_init__(self) -> None:
        """Have sessions that nobody closes closed with the process: later the thread that serves them is gone."""
        finalize(self, _close_all, self._idle)

    def asks_models(self, tasks: Sequence[Task[Any, Any]]) -> bool:
        """Return whether a model answers one of the tasks."""
        return any(self._model(task) != OFFLINE for task in tasks)

    def _model(self, task: Task[Any, Any]) -> str:
        return model_of(self.workspace.settings, self.workspace.mode, task.name, self.stage)

    @contextmanager
    def answering(self, tasks: Sequence[Task[Any, Any]]) -> Iterator[Answering]:
        """Give what answers these tasks for one suggestion; what it spends is its own."""
        if not self.asks_models(tasks):
            yield Answering(None, self.file, self.stage)
            return
        session = self._take()
        run = Answering(session.stages, self.file, self.stage, time.monotonic() + self.seconds)
        is_whole = False
        try:
            yield run
            is_whole = not run.is_broken
        finally:
            if is_whole and self.budget is None:
                self._idle.append(session)
            else:
                session.held.close()

    def _take(self) -> _Session:
        with suppress(IndexError):  # none is idle, or another thread took it
            if self.budget is None:
                return self._idle.pop()
        held = ExitStack()
        options = ModelOptions(self.budget, is_live=True)
        return _Session(held.enter_context(open_stages(self.workspace, self.file, options=options)), held)

    def connect(self) -> None:
        """Have a session open and connected for the first suggestion."""
        self._idle.append(self._take())

    def close(self) -> None:
        """Close the connections that are kept open."""
        _close_all(self._idle)


@dataclass(frozen=True)
class _Session:
    stages: Stages
    held: ExitStack


def _close_all(sessions: deque[_Session]) -> None:
    while sessions:
        sessions.pop().held.close()


class Answering:
    """Answers the tasks of one suggestion; ``reasons`` say why one was not answered, ``spent`` what all cost."""

    def __init__(
        self, stages: Stages | None, file: WorkspaceFile, stage: str = STAGE, deadline: float | None = None
    ) -> None:
        self.reasons: list[str] = []
        self.is_broken = False  # what the session met ends it
        self._stages = stages
        self._file = file
        self._stage = stage
        self._deadline = deadline
        self._before = NOTHING_SPENT if stages is None else stages.spending()

    def ask(self, task: Task[In, Out], item: In, /) -> Out | None:
        """Answer one item; None where that went wrong."""
        return self.ask_all(task, [item])[0]

    def ask_all(self, task: Task[In, Out], items: Sequence[In]) -> list[Out | None]:
        """Answer items in as few requests as the task allows; nothing of an offline answer is kept."""
        stages = self._stages
        if stages is None or not stages.asks_model(task, self._stage):
            return [task.answer_offline(item) for item in items]
        failed = len(stages.log.failures)
        try:
            with failures_as_sentences(self._file.path), stages.within(self._deadline):
                found = stages.run(self._stage, task, items, ["the conversation"] * len(items))
        except AutokbError as error:  # the budget, a key that is refused, a busy workspace
            self.is_broken = True
            self.reasons.append(str(error)[:REASON_CHARACTERS])
            return [None] * len(items)
        self.reasons += [failure.reason[:REASON_CHARACTERS] for failure in stages.log.failures[failed:]]
        del stages.log.failures[failed:]
        return found

    @property
    def spent(self) -> Spending:
        """What this suggestion asked and paid."""
        if self._stages is None:
            return NOTHING_SPENT
        spent = self._stages.spending() - self._before
        return replace(spent, cached=0, cost=None if spent.cost is None else round(spent.cost, 9))
