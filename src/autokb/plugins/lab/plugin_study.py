"""A study that a plug-in brings: run, and shown as our own evaluations are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from autokb.core.plugins import PluginError, call, code_of, said
from autokb.plugins.lab.evaluation.report import Record


@dataclass(frozen=True, slots=True)
class PluginStudy(Record):
    """What a plug-in's study found: figures, ``systems`` and ``differences`` in the shape of our own evaluations."""

    found: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        """Return what was found by its own names."""
        return dict(Record.as_json(self)["found"])


def run_study(kb: object, name: str) -> PluginStudy:
    """Run the study PLUGIN.NAME (PluginError: there is none, it fails, or returns what cannot be shown)."""
    code = code_of("studies", name)
    study = PluginStudy(call(name.partition(".")[0], code, kb))
    try:
        study.as_tables()
    except Exception as error:
        raise PluginError(f"What {code} of the study {name} returns cannot be shown ({said(error)}).") from error
    return study
