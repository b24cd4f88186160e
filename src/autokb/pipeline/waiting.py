"""A build by batch that waits for its replies and goes on by itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from autokb.core.errors import AutokbError, BadInputError, RepliesAwaitedError, StageFailedError, StoppedOnPurposeError
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.pipeline.build_report import BuildReport
from autokb.pipeline.model_session import ModelOptions, has_batch_ended
from autokb.stores.workspace import Workspace

FOLDER_SECONDS = 5.0  # between two looks at a folder
PROVIDER_SECONDS = 60.0  # between two questions to a provider: batches take minutes to hours
Notify = Callable[[tuple[str, ...]], None]
WAITS = "Waiting for them. Ctrl-C ends the waiting; the same command goes on later."


def build_and_wait(
    workspace: Workspace, options: ModelOptions, build: Callable[[ModelOptions], BuildReport], notify: Notify
) -> BuildReport:
    """Build round after round as replies come, and publish; ``notify`` is told what each round found and waits for.

    Raises as ``build`` does, but not for replies that are awaited. What all rounds asked and spent is in the report.
    """
    if not options.batch and options.batch_files is None:
        raise BadInputError("--wait goes with --batch or --batch-files DIR; without them nothing is waited for.")
    before = _Before()
    while True:
        replies = _find_replies(options)
        try:
            report = build(before.reduce_budget(options))
        except RepliesAwaitedError as stop:
            assert isinstance(stop.result, BuildReport)
            before = before.with_round(stop.result)
            notify((*(stop.result.batch.said if stop.result.batch else ()), str(stop), WAITS))
        except (StoppedOnPurposeError, StageFailedError) as stop:
            if isinstance(stop.result, BuildReport):
                stop.result = before.add_to(stop.result)
            raise
        else:
            return before.add_to(report)
        _wait(workspace, options, replies, notify)


@dataclass(frozen=True, slots=True)
class _Before:
    """What the rounds before the one at work asked, spent and took."""

    spent: Spending = NOTHING_SPENT
    seconds: float = 0.0

    def with_round(self, report: BuildReport) -> _Before:
        return _Before(self._total(report), self.seconds + report.seconds)

    def add_to(self, report: BuildReport) -> BuildReport:
        """Return the report of the last round as that of all rounds."""
        total = self._total(report)
        seconds = round(self.seconds + report.seconds, 3)
        return replace(report, calls=total.calls, tokens=total.tokens, cost=total.cost, seconds=seconds)

    def reduce_budget(self, options: ModelOptions) -> ModelOptions:
        """Return the options of the next round: one budget is for all rounds, and for the replies that they bring."""
        if options.budget is None:
            return options
        return replace(options, budget=max(0.0, options.budget - (self.spent.cost or 0.0)), budget_has_replies=True)

    def _total(self, report: BuildReport) -> Spending:
        return self.spent + Spending(report.calls, 0, report.tokens, report.cost)


def _find_replies(options: ModelOptions) -> object:
    """Return what changes when replies come into the folder; nothing where a provider is asked."""
    from autokb.llm.batch.folder import reply_state

    return None if options.batch_files is None else reply_state(options.batch_files)


def _wait(workspace: Workspace, options: ModelOptions, replies: object, notify: Notify) -> None:
    """Return when replies may be there that the last round did not find."""
    failed = ""
    while True:
        time.sleep(PROVIDER_SECONDS if options.batch_files is None else FOLDER_SECONDS)
        if options.batch_files is not None:
            if _find_replies(options) != replies:
                return
            continue
        try:
            if has_batch_ended(workspace):
                return
        except BadInputError:
            raise
        except AutokbError as error:  # a connection that broke; the batch goes on without it
            if str(error) != failed:
                notify((failed := str(error), WAITS))
