"""Which ranking features of plug-ins a workspace uses: those that ``autokb rank fit`` found to gain."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import partial

from autokb.core.errors import AutokbWarning
from autokb.core.plugins import PluginError, implementation
from autokb.retrieval.own_features import OwnFeatures
from autokb.stores.database import read_object
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

FITTED = "weights of plug-ins"  # meta: the weight of each feature that is used, by its name


def own_features(workspace: Workspace, file: WorkspaceFile) -> OwnFeatures | None:
    """Return the features that a workspace uses, None where there are none: then no plug-in is looked for."""
    fitted = file.meta(FITTED)
    return find_features(workspace, read_object("meta", fitted)) if fitted else None


def find_features(workspace: Workspace, weights: Mapping[str, float]) -> OwnFeatures | None:
    """Return features by their names; those whose plug-in is missing are left out with a warning."""
    functions = {}
    for name in weights:
        try:
            functions[name] = partial(implementation("features", name), workspace)
        except PluginError as error:
            warnings.warn(f"The ranking feature {name} is out of reach. {error}", AutokbWarning, stacklevel=2)
    return OwnFeatures(functions, weights) if functions else None
