"""The model that chooses among what a question finds and writes the reply, within the settings' seconds and money."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from autokb.answering.answer import Answer, WrittenReply
from autokb.answering.chosen import Choosing
from autokb.answering.composed import Composed, compose_reply, why_not_composed
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError
from autokb.core.nouns import Message
from autokb.pipeline.model_choice import OFFLINE, check_settings
from autokb.retrieval.reader import ReaderRun
from autokb.stores.database import failures_as_sentences
from autokb.stores.ledger_table import spent_on
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.suggesting.suggestion_models import REASON_CHARACTERS, Answering, SuggestionModels
from autokb.tasks.answers.choose_answer.task import TASK as CHOOSE_ANSWER
from autokb.tasks.answers.choose_answer.task import ChooseAnswer, ChosenAnswer
from autokb.tasks.answers.compose_reply.task import TASK as COMPOSE_REPLY
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.task import Task

STAGE = "ask"
NO_CHOICE = "The model gave no choice that can be used."
NO_REPLY = "The model gave no reply that can be used."
NEEDS_MODEL = "A written reply needs a model; name one with --model, or in settings.yaml as ask: {model: openai:NAME}."
Result = TypeVar("Result")
SPENT = "The day's budget for questions ({budget:g} USD) is spent."


class ChoosingModel:
    """Has a model choose and write; whatever goes wrong with it is a note, and what was there before counts.

    The same question, asked of the same publication, is answered from the ledger. Several threads may use it.
    """

    def __init__(self, workspace: Workspace, file: WorkspaceFile, model: str, of: object = None) -> None:
        self.model = model
        self.settings = workspace.settings.ask
        settings = replace(workspace.settings, model=model, tasks={}, context="")
        check_settings(settings)
        self._file = file
        self._models = SuggestionModels(
            replace(workspace, settings=settings), file, seconds=self.settings.timeout, stage=STAGE, of=of
        )

    def choosing(
        self, conversation: Sequence[Message] = (), first: Callable[[Answer], None] = lambda _answer: None
    ) -> Choosing:
        """Return who chooses for one question of a conversation; ``first`` is told the answer that is there before."""
        return Choosing(self._choose, conversation, first)

    def _choose(self, item: ChooseAnswer) -> tuple[ChosenAnswer | None, ReaderRun]:
        def choose(answering: Answering) -> tuple[ChosenAnswer | None, str]:
            return answering.ask(CHOOSE_ANSWER, item), NO_CHOICE

        return self._run((CHOOSE_ANSWER,), choose)

    def write(self, answer: Answer, spec: DomainSpec) -> WrittenReply:
        """Have the model write a reply from what an answer shows, and check it."""
        if reason := why_not_composed(answer):
            return WrittenReply((), ReaderRun(self.model, 0.0, reason))

        def write(answering: Answering) -> tuple[Composed | None, str]:
            found = compose_reply(answer, spec, answering.ask, partial(answering.ask_all, CHECK_RULES))
            return (found if found.sentences else None), found.reason or NO_REPLY

        found, writing = self._run((COMPOSE_REPLY, CHECK_RULES), write)
        return WrittenReply(found.sentences if found else (), writing)

    def _run(
        self, tasks: Sequence[Task[Any, Any]], work: Callable[[Answering], tuple[Result | None, str]]
    ) -> tuple[Result | None, ReaderRun]:
        """Give what is worked out with the model, within the day's budget; where that is None, the note says why."""
        started = time.perf_counter()
        reasons: list[str] = []
        found, without = None, ""
        cost: float | None = 0.0
        try:
            with failures_as_sentences(self._file.path):
                spent = spent_on(self._file, STAGE, datetime.now(UTC).date().isoformat())
            if spent >= self.settings.budget_per_day:
                reasons.append(SPENT.format(budget=self.settings.budget_per_day))
            else:
                with self._models.answering(tasks) as answering:
                    found, without = work(answering)
                    reasons += answering.reasons
                    cost = answering.spent.cost
        except AutokbError as error:  # a key that is not set, a workspace that is busy
            reasons.append(str(error)[:REASON_CHARACTERS])
        note = None if found is not None else " ".join(dict.fromkeys(reasons)) or without
        return found, ReaderRun(self.model, round(time.perf_counter() - started, 6), note, cost)

    def connect(self) -> None:
        """Connect before the first question (AutokbError, which that question says too)."""
        self._models.connect()

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._models.close()


def with_reply(answer: Answer, spec: DomainSpec, model: ChoosingModel | None) -> Answer:
    """Return an answer with the reply that a model writes from what it shows, or why there is none."""
    reply = model.write(answer, spec) if model else WrittenReply((), ReaderRun(OFFLINE, 0.0, NEEDS_MODEL))
    return replace(answer, reply=reply, seconds=answer.seconds + reply.writing.seconds)
