"""The stages of one run with the client to its models open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from autokb.app.models import ASK_MODELS, AskModels, open_models
from autokb.app.stages import Progress, Stages, silent
from autokb.app.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile


@contextmanager
def open_stages(
    workspace: Workspace, file: WorkspaceFile, progress: Progress = silent, asking: AskModels = ASK_MODELS
) -> Iterator[Stages]:
    """Give stages that ask the settings' models; everything that was paid for is kept however the block ends."""
    with open_models(workspace, file, asking) as models:
        yield Stages(file, progress, models=models)
