"""Which model answers which task, and whether the settings name only what this version knows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from autokb.chunking.methods import METHODS
from autokb.core.errors import BadEntryError, shown_value
from autokb.core.plugins import code_of, is_of_plugin
from autokb.core.settings import OFFLINE_MODEL, Settings
from autokb.pipeline.embedding import check_embedder
from autokb.pipeline.executors import check_executor
from autokb.pipeline.reranking import check_reranker
from autokb.tasks.registry import task_names
from autokb.tasks.task import Task

OFFLINE = OFFLINE_MODEL
PAPER_OFFLINE_STAGES = frozenset({"attributes", "rules"})  # appendix C of the AutoKB paper counts no request for them
# In economical mode trees are another question than in the paper's; a model that is set for one answers both.
WITH_MODEL_OF = {"issues/grow_trees": "issues/grow_tree"}
CHAINED = ("chained", "woven")  # contexts that are asked for one after the other, each from the one before it
CONTEXT_MODES = ("document", *CHAINED)
CONTEXT_STAGE = "context"


def model_of(settings: Settings, mode: str, task: str, stage: str) -> str:
    """Return the model that answers a task in a stage of the build.

    ``paper`` mode asks what appendix C counts: raw issues' attributes and rules are answered offline there, unless
    the settings name a model for the task itself. ``economical`` mode makes contexts of headings and introductions
    (decision 025), unless the settings name a model for them or say how contexts are asked for.
    """
    for name in (task, WITH_MODEL_OF.get(task, task)):
        if named := settings.tasks.get(name) or settings.tasks.get(name.rsplit("/", 1)[-1]):
            return named
    if mode == "paper":
        return OFFLINE if stage in PAPER_OFFLINE_STAGES else settings.model
    return OFFLINE if stage == CONTEXT_STAGE and not settings.context else settings.model


def lacks_model(settings: Settings, mode: str, tasks: Sequence[Task[Any, Any]], stage: str) -> bool:
    """Return whether one of the tasks that only a model can answer has none."""
    return any(not task.answers_offline and model_of(settings, mode, task.name, stage) == OFFLINE for task in tasks)


def named_models(settings: Settings) -> list[str]:
    """Return every model that the settings name, without ``offline``; unknown tasks are refused (BadInputError)."""
    known = task_names()
    for task in settings.tasks:
        if task not in known and not is_of_plugin(task) and task not in {name.rsplit("/", 1)[-1] for name in known}:
            raise BadEntryError(
                f"settings.yaml: tasks: there is no task {shown_value(task)}; the tasks are {', '.join(known)}."
            )
    return sorted({settings.model, *settings.tasks.values()} - {OFFLINE})


def check_chunking(settings: Settings) -> None:
    """Refuse a chunker or a kind of context that this version does not know (BadEntryError)."""
    if is_of_plugin(settings.chunker):
        code_of("chunkers", settings.chunker)
    elif settings.chunker not in METHODS:
        known = ", ".join(METHODS)
        raise BadEntryError(
            f"settings.yaml: there is no chunker {shown_value(settings.chunker)}; choose one of: {known}."
        )
    if settings.context not in ("", *CONTEXT_MODES):
        raise BadEntryError(
            f"settings.yaml: context must be document, chained or woven, not {shown_value(settings.context)}."
        )


def check_settings(settings: Settings) -> None:
    """Refuse models, embedders, chunkers and contexts that this version does not know, before any work is done."""
    check_chunking(settings)
    check_embedder(settings.embedder)
    check_reranker(settings.reranker)
    check_executor(settings.executor)
    for model in sorted({settings.model, settings.ask.model, *settings.tasks.values()} - {OFFLINE}):
        provider, _, name = model.partition(":")
        if not provider.strip() or not name.strip():
            raise BadEntryError(
                f"settings.yaml: the model {shown_value(model)} is not known to this version; write offline or "
                "PROVIDER:NAME, for example openai:gpt-5-mini."
            )
