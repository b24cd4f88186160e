"""Which model answers which task in which mode."""

from __future__ import annotations

import pytest

from autokb.core.settings import Settings
from autokb.pipeline.model_choice import OFFLINE, model_of

MODEL = "openai:gpt-5-mini"
OTHER = "anthropic:claude-haiku-4-5"


@pytest.mark.parametrize(
    ("mode", "settings", "expected"),
    [
        ("economical", Settings(model=MODEL), OFFLINE),
        ("economical", Settings(model=MODEL, context="document"), MODEL),
        ("economical", Settings(model=MODEL, context="chained"), MODEL),
        ("economical", Settings(model=MODEL, tasks={"add_context": OTHER}), OTHER),
        ("economical", Settings(model=OFFLINE, context="document"), OFFLINE),
        ("paper", Settings(model=MODEL), MODEL),
        ("paper", Settings(model=MODEL, tasks={"chunking/add_context": OFFLINE}), OFFLINE),
    ],
)
def test_contexts_are_free_in_economical_mode_unless_the_settings_ask_for_them(
    mode: str, settings: Settings, expected: str
) -> None:
    assert model_of(settings, mode, "chunking/add_context", "context") == expected


def test_the_other_tasks_are_asked_as_before() -> None:
    settings = Settings(model=MODEL)
    for stage, task in (("trees", "issues/grow_tree"), ("rules", "issues/check_rules"), ("attributes", "x/y")):
        assert model_of(settings, "economical", task, stage) == MODEL
    assert model_of(settings, "paper", "issues/check_rules", "rules") == OFFLINE
    assert model_of(settings, "paper", "issues/grow_tree", "trees") == MODEL
