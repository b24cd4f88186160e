"""Settings: what earlier versions called by another word is still read."""

from __future__ import annotations

from autokb.core.settings import read_settings

JUDGE = {"check_rules": "openai:judge"}


def test_models_of_single_tasks_are_read_under_the_old_word_too() -> None:
    assert read_settings({"tasks": JUDGE}).tasks == read_settings({"rooms": JUDGE}).tasks == JUDGE
    assert read_settings({"tasks": JUDGE, "rooms": {"check_rules": "openai:old"}}).tasks == JUDGE
