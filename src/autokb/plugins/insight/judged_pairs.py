"""Contradictions by a model: what it is asked about, what that may cost, and its answers, which are kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json
from autokb.core.nouns import Failure
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import Figures, Spending, Told
from autokb.pipeline.cost_estimate import CountingRunner, Estimate
from autokb.pipeline.model_session import ModelOptions, read_ratios
from autokb.pipeline.request_batching import item_keys
from autokb.pipeline.runner import Job
from autokb.pipeline.stages import open_stages
from autokb.stores.database import UNREADABLE, damaged_rows
from autokb.stores.ledger_table import LedgerTable
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.find_disagreement.task import TASK, FindDisagreement, FoundDisagreement
from autokb.tasks.task import NEEDS_MODEL

STAGE = "contradictions"
ASKED = "contradictions_asked"  # meta: the models that were asked, each with its effort, the last one first
MOST_MODELS = 3  # whose answers are looked up


@dataclass(frozen=True, slots=True)
class JudgedPairs(Result):
    """How many pairs there were for a model, how many of them disagree by its word, what failed, and what it cost."""

    pairs: int
    disagree: int
    failures: tuple[Failure, ...]
    spending: Spending


def judge_pairs(
    workspace: Workspace,
    pairs: Sequence[FindDisagreement],
    options: ModelOptions | None = None,
    progress: Progress = silent,
    told: Told | None = None,
) -> JudgedPairs:
    """Ask the settings' model about pairs that it was not asked about (BadInputError where there is none).

    Before, ``told`` is given how many pairs those are, and what they may cost. Raises StoppedOnPurposeError when the
    budget is reached; what was answered is kept.
    """
    with workspace.file() as file, open_stages(workspace, file, progress, options) as stages:
        if not stages.asks_model(TASK, STAGE):
            raise BadInputError(NEEDS_MODEL.format(what="Judging contradictions"))
        model = stages.model(TASK, STAGE)
        _note(file, model, workspace.settings.effort_of(model))
        if told is not None:
            told(*_outlook(workspace, file, model, pairs))
        found = stages.run(STAGE, TASK, pairs, [f"{p.one.title} / {p.other.title}" for p in pairs])
        disagree = sum(one is not None and one.first > 0 for one in found)
        return JudgedPairs(len(pairs), disagree, tuple(stages.log.failures), stages.spending())


def _outlook(
    workspace: Workspace, file: WorkspaceFile, model: str, pairs: Sequence[FindDisagreement]
) -> tuple[int, Figures]:
    """Return how many pairs a model was not asked about, and what their requests may cost."""
    from autokb.llm.prices import Prices

    settings = workspace.settings
    estimate = Estimate(Prices(settings.prices, settings.base_url), read_ratios(file))
    counting = CountingRunner(
        settings, workspace.mode, LedgerTable(file), estimate, model, lambda task, item: task.answer_offline(item)
    )
    keys = counting.keys(TASK, pairs)
    done = file.finished(keys)
    missing = [n for n, key in enumerate(keys) if key not in done]
    for _ in counting.answer(Job(STAGE, TASK, pairs, keys, missing)):
        pass
    return len(missing), estimate.total().rounded()


def read_judged(
    file: WorkspaceFile, find_pairs: Callable[[], Sequence[FindDisagreement]]
) -> dict[FindDisagreement, FoundDisagreement]:
    """Return what models answered on these pairs, the last one that was asked first; nobody is asked.

    The pairs are looked for only where somebody asked a model about any.
    """
    asked = _asked(file)
    left = list(find_pairs()) if asked else []
    found: dict[FindDisagreement, FoundDisagreement] = {}
    for model, effort in asked:
        keys = item_keys(TASK, model, left, effort)
        texts = file.finished(keys)
        for pair, key in zip(left, keys, strict=True):
            with suppress(KeyError, BadInputError, *UNREADABLE):  # a damaged answer is none
                found[pair] = FoundDisagreement.model_validate_json(texts[key])
        left = [pair for pair in left if pair not in found]
    return found


def _asked(file: WorkspaceFile) -> list[tuple[str, str]]:
    with damaged_rows("meta"):
        return [(str(model), str(effort)) for model, effort in json.loads(file.meta(ASKED) or "[]")]


def _note(file: WorkspaceFile, model: str, effort: str) -> None:
    """Note that a model is asked, before it is: a run that is killed has answers too."""
    others = [one for one in _asked(file) if one != (model, effort)]
    with file.transaction():
        file.note(ASKED, canonical_json([(model, effort), *others][:MOST_MODELS]))
