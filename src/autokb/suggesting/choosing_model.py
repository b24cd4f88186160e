"""The model that chooses among what a question finds, within the seconds and the money that the settings give it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from autokb.answering.answer import Answer
from autokb.answering.chosen import Choosing
from autokb.core.errors import AutokbError
from autokb.core.nouns import Message
from autokb.pipeline.model_choice import check_settings
from autokb.retrieval.reader import ReaderRun
from autokb.stores.database import failures_as_sentences
from autokb.stores.ledger_table import spent_on
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.suggesting.suggestion_models import REASON_CHARACTERS, SuggestionModels
from autokb.tasks.answers.choose_answer.task import TASK as CHOOSE_ANSWER
from autokb.tasks.answers.choose_answer.task import ChooseAnswer, ChosenAnswer

STAGE = "ask"
NO_CHOICE = "The model gave no choice that can be used."
SPENT = "The day's budget for questions ({budget:g} USD) is spent."


class ChoosingModel:
    """Has a model choose; whatever goes wrong with it is a note, and the answer that was there before counts.

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
        started = time.perf_counter()
        reasons: list[str] = []
        chosen = None
        cost: float | None = 0.0
        try:
            with failures_as_sentences(self._file.path):
                spent = spent_on(self._file, STAGE, datetime.now(UTC).date().isoformat())
            if spent >= self.settings.budget_per_day:
                reasons.append(SPENT.format(budget=self.settings.budget_per_day))
            else:
                with self._models.answering((CHOOSE_ANSWER,)) as answering:
                    chosen = answering.ask(CHOOSE_ANSWER, item)
                    reasons += answering.reasons
                    cost = answering.spent.cost
        except AutokbError as error:  # a key that is not set, a workspace that is busy
            reasons.append(str(error)[:REASON_CHARACTERS])
        note = None if chosen is not None else " ".join(dict.fromkeys(reasons)) or NO_CHOICE
        return chosen, ReaderRun(self.model, round(time.perf_counter() - started, 6), note, cost)

    def close(self) -> None:
        """Close the connections that are kept open."""
        self._models.close()
